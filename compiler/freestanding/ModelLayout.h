// Where everything of a freestanding model lies: the values of its variables, and the memory of a
// call.
#ifndef KERATIN_COMPILER_FREESTANDING_MODELLAYOUT_H
#define KERATIN_COMPILER_FREESTANDING_MODELLAYOUT_H

#include "compiler/driver/FunctionCompiler.h"
#include "ir/saved/SavedGraph.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace keratin::compiler {

// A loop of the graph, whose steps the header tells.
struct KnownLoop {
  std::string what; // "scan; at net.cc:12"
  int64_t steps;    // at most
};

struct FreestandingFunction {
  std::string name; // in C, behind the model's
  std::string entryName;
  std::unique_ptr<FunctionDescription> description;
  std::vector<int32_t> constantTypes; // keratin_dtype_t of its constants
  // As EntryDescription has them.
  std::vector<ir::KernelName> kernelNames;
  std::vector<std::string> kernelFunctions;
  std::vector<int32_t> variables; // of its own, their numbers in the model
  int64_t arenaBytes = 0;
  std::optional<int64_t> operations; // on elements, of a call at most; none: beyond 64 bits
  std::vector<KnownLoop> loops;
  int64_t stackBytes = 0; // of a call at most; 0: not known

  const keratin_function_desc_t &descriptor() const { return description->descriptor; }
};

// All multiples of the alignment.
class ModelLayout {
public:
  // A variable that no function updates is a constant of the code; the others are in the state.
  ModelLayout(const ir::SavedGraph &graph, const std::vector<FreestandingFunction> &functions,
              int64_t alignment);

  int64_t alignment() const { return boundary; }
  // Of a variable in the state, by its number in the model; none: it is a constant.
  std::optional<int64_t> stateOffset(int32_t variable) const { return offsets[variable]; }
  int64_t stateBytes() const { return state; } // 0: there is none
  int64_t variableBytes(int32_t variable) const { return bytes[variable]; }
  bool usesState(const FreestandingFunction &function) const;
  bool writesState(const FreestandingFunction &function) const;

  // The workspace of a call: the arena, the scratch of its kernels, and new values of the variables
  // that are updated when nothing can fail any more, by their place among the updates.
  struct Workspace {
    int64_t scratch, bytes;
    std::vector<std::optional<int64_t>> updates; // none: in place
  };
  Workspace workspaceOf(const FreestandingFunction &function) const;

private:
  int64_t aligned(int64_t count) const { return (count + boundary - 1) / boundary * boundary; }

  int64_t boundary, state = 0;
  std::vector<std::optional<int64_t>> offsets;
  std::vector<int64_t> bytes;
};

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_FREESTANDING_MODELLAYOUT_H
