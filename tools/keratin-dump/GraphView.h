// A function as plain data, from which every picture and table is made. No MLIR in here: those who
// draw need not know it.
#ifndef KERATIN_TOOLS_DUMP_GRAPHVIEW_H
#define KERATIN_TOOLS_DUMP_GRAPHVIEW_H

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace keratin::dump {

enum class NodeKind {
  Input,
  Variable,
  Constant,
  Op,
  Output,
  Update,   // the new value of a variable
  Argument, // of a loop's step: its number, a state, an element of a sequence
  Outside   // makes an operand, or uses a result, and is not shown itself
};
const char *nodeKindName(NodeKind kind); // "input", …

struct ViewNode {
  NodeKind kind = NodeKind::Op;
  std::string op;                  // "keratin.tanh"; "" if it is no op
  std::string family;              // "elementwise", "reduction", "contraction", "movement", ""
  std::string name;                // "tanh", or the name of an input or a variable
  std::string result;              // "%12" as the text shows it; inside a kernel its own numbers
  std::vector<std::string> yields; // the kernel's results that this op makes: "%14#1"
  std::vector<std::string> types;  // of the results: "tensor<4xf32>"
  std::string shape;               // of the first result: "float32 (d0, 4)"
  std::vector<std::pair<std::string, std::string>> attributes; // as text, large ones elided
  std::vector<std::string> places; // "dir/net.cc:57:12", where the op was written
  std::vector<int> operands;       // nodes
  int kernel = -1;                 // an index into `kernels`
  std::string region;              // "body of %5 / first branch of %2": outermost first, or ""
  std::string scope;               // "stage0/block1", of a gradient "gradient/stage0/block1"; or ""
};

// Numbers under the sizes asked for, and the same as expressions. nullopt: not to be represented.
struct ViewQuantity {
  std::optional<int64_t> value;
  std::string formula; // "" if it is a constant
};

// A kernel; or a loop or branch of the function, with all that is in it.
struct ViewKernel {
  const char *kind = "kernel";  // "loop", "branch"
  std::string label;            // "kernel 3", "loop of kernels 3 to 7"; before planning "kernel"
  int64_t first = 0, last = -1; // their numbers
  std::string result;           // "%14", "%14:2"
  std::string title;            // "stage0/block1: gradient of convolution + 6"
  std::string scope;            // as a node has it
  std::string place;            // the innermost: "net.cc:57"
  ViewQuantity operations, bytesRead, bytesWritten; // of a loop for all its steps
  std::optional<double> microseconds;               // of a call, where a profile says so
  std::string text;                                 // its IR
  std::string function;                             // that it became
  std::vector<ViewKernel> inside; // the kernels of a loop or branch, each as often as it runs at
                                  // most in the one step or branch that it stands in
};

struct ViewBuffer {
  int node = -1; // what makes the first value in it
  std::string title, place;
  ViewQuantity offset, bytes;
  int64_t first = 0, last = 0; // indices into the view's kernels
  int64_t values = 1;          // that follow one another in it
};

struct ViewMemory {
  ViewQuantity arena;
  std::optional<int64_t> mostArena; // of sizes that have limits
  std::optional<int64_t> prepared;  // what stays from call to call
  std::optional<int64_t> maxLive;
  std::vector<ViewBuffer> buffers;
  std::vector<int64_t> live; // bytes while each kernel runs; empty without maxLive
};

struct GraphView {
  std::string function, stage;
  std::map<std::string, int64_t> symbols;                // "batch" = 32: all that occur
  std::vector<ViewNode> nodes;                           // operands come first
  std::vector<ViewKernel> kernels;                       // in the order in which they stand
  std::vector<std::pair<std::string, int64_t>> opCounts; // most frequent first
  ViewQuantity operations, bytesRead, bytesWritten;
  std::optional<ViewMemory> memory;   // of a planned function
  std::optional<double> microseconds; // of a call, where a profile says so

  // Loops and branches among `kernels`.
  size_t loopCount() const {
    return size_t(std::count_if(kernels.begin(), kernels.end(), [](const ViewKernel &kernel) {
      return kernel.kind != std::string_view("kernel");
    }));
  }
};

} // namespace keratin::dump

#endif // KERATIN_TOOLS_DUMP_GRAPHVIEW_H
