// From the ops of a function to the nodes of a model's graph.
#ifndef KERATIN_FRONTEND_ONNX_GRAPHEXPORTER_H
#define KERATIN_FRONTEND_ONNX_GRAPHEXPORTER_H

#include "frontend/onnx/ExportRecords.h"
#include "ir/dialect/Keratin.h"
#include "ir/dialect/SizeNames.h"

#include "absl/status/status.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include "third_party/onnx/onnx.pb.h"

#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace keratin::frontend::onnx_models {

using Numbers = std::vector<int64_t>;
// Values of the model.
using Names = std::vector<std::string>;

struct NodeAttribute {
  const char *name;
  std::variant<int64_t, double, std::string, Numbers, onnx::GraphProto, onnx::TensorProto> value;
};
using NodeAttributes = std::vector<NodeAttribute>;

// Thrown by exporting, caught where a model is asked for.
struct ExportFailure {
  absl::Status status;
};

// What a slice takes for the end of any tensor.
inline constexpr int64_t kFarAway = std::numeric_limits<int64_t>::max();

inline ir::DimExpr checked(std::optional<ir::DimExpr> size) {
  if (!size)
    throw ExportFailure{absl::InvalidArgumentError("a size cannot be represented in 64 bits")};
  return *std::move(size);
}

// The versions of the standard ops that are written.
inline constexpr int64_t kFirstOpset = 14, kLastOpset = 23;

// An element type of ONNX.
int32_t elementTypeOf(mlir::Type type);

class GraphExporter {
public:
  // Nodes go to `graph`, which lives longer.
  GraphExporter(onnx::GraphProto &graph, int64_t opset, ir::SizeNames sizeNames,
                bool keepsPlaces = true);

  const int64_t opset;

  //===-- Values ------------------------------------------------------------------------------===//
  // An op may leave its result as less than it is: ONNX repeats operands of unlike shapes by
  // itself. The shape's last dimensions are those of the value, or 1.
  struct Compact {
    std::string name;
    ir::Shape shape;
  };
  void define(mlir::Value value, const std::string &name);
  void define(mlir::Value value, Compact compact);
  void define(mlir::Value value, mlir::Value same);
  // What has the shape of the value; nodes that repeat are made where it is first asked for.
  std::string value(mlir::Value value);
  Compact compact(mlir::Value value) { return entry(value).compact; }
  // All operands, repeated.
  Names values(mlir::ValueRange values);

  //===-- Nodes -------------------------------------------------------------------------------===//
  Names nodes(llvm::StringRef op, const Names &inputs, size_t outputs,
              NodeAttributes attributes = {});
  std::string node(llvm::StringRef op, const Names &inputs, NodeAttributes attributes = {}) {
    return nodes(op, inputs, 1, std::move(attributes)).front();
  }
  // A vector of int64.
  std::string vector(const Numbers &numbers);
  // A scalar of an element type.
  std::string scalar(double value, mlir::Type type);
  // An infinity, or the largest or smallest integer of the type.
  std::string extreme(mlir::Type type, bool largest);
  std::string integer(int64_t value) { return scalarOfBytes(onnx::TensorProto::INT64, &value, 8); }
  // The elements, with a name of their own.
  std::string constant(mlir::DenseElementsAttr elements);

  //===-- Often needed ------------------------------------------------------------------------===//
  std::string cast(const std::string &x, mlir::Type to);
  std::string reshape(const std::string &x, const ir::Shape &from, const ir::Shape &to);
  std::string transpose(const std::string &x, llvm::ArrayRef<int64_t> order);
  // By which order a node of the model's own graph transposed something to this; null: none did.
  const Numbers *orderOf(const std::string &name) const {
    auto found = transposed.find(name);
    return scopes.size() > 1 || found == transposed.end() ? nullptr : &found->second.second;
  }
  std::string unsqueeze(const std::string &x, const Numbers &axes);
  std::string squeeze(const std::string &x, const Numbers &axes);
  // Zeros, of a shape and an element type.
  std::string zeros(const ir::Shape &shape, mlir::Type type);
  // x along the axes in `axes` from `starts` to `ends`, vectors of int64.
  std::string slice(const std::string &x, const std::string &starts, const std::string &ends,
                    const Numbers &axes, const Numbers &steps = {});
  std::string reversed(const std::string &x, const Numbers &axes);
  // A value of integers as int64, which indices of ONNX are.
  std::string indices(mlir::Value value);
  // Along axes, which go.
  std::string reduce(llvm::StringRef op, const std::string &x, const Numbers &axes);
  // Zeros between neighbours along an axis, steps - 1 of them, and behind the last.
  std::string spread(const std::string &x, ir::Shape &shape, size_t axis, int64_t steps);
  // A number before and after; below 0: cut off.
  std::string padded(const std::string &x, const ir::Shape &shape, const ir::Shape &before,
                     const ir::Shape &after, mlir::Type type, double value = 0);
  // 0, 1, 2, …, of int64.
  std::string range(const ir::DimExpr &count);

  //===-- Sizes -------------------------------------------------------------------------------===//
  // As a vector of int64, the size alone as one of one element, or as a scalar.
  std::string sizes(const ir::Shape &shape);
  std::string size(const ir::DimExpr &size);
  std::string sizeScalar(const ir::DimExpr &size);
  // Of an input: the symbols that its dimensions are.
  void defineSizes(const std::string &name, const ir::Shape &shape);
  // By a vector of one element, and what that is at most.
  void defineSymbol(int64_t symbol, const std::string &name,
                    const std::optional<ir::DimExpr> &most = std::nullopt);
  bool knows(const ir::DimExpr &size) const;

  //===-- Graphs ------------------------------------------------------------------------------===//
  void block(mlir::Block &block);
  // What `make` makes, as a graph of its own, which sees all around it.
  onnx::GraphProto body(llvm::function_ref<void()> make);
  // Declares an input or output. Sizes that are not numbers have names.
  void declareInput(const std::string &name, mlir::Type type);
  void declareOutput(const std::string &name, mlir::Type type);
  void declare(onnx::ValueInfoProto &info, const std::string &name, mlir::Type type);
  // A name that nothing has, of this one.
  std::string unique(const std::string &name);
  // Of the model, whatever graph is under way.
  void addInitializer(const std::string &name, mlir::RankedTensorType type, std::string bytes);
  void addInitializer(const std::string &name, mlir::DenseElementsAttr elements);
  onnx::GraphProto &graph() { return *scopes.back().graph; }

  //===-- Failures ----------------------------------------------------------------------------===//
  [[noreturn]] void notImplemented(const std::string &what);
  void need(int64_t least, const char *what);

private:
  // By its name, or the axis of an input that it is.
  struct Symbol {
    std::string name, input;
    int64_t axis = 0;
  };
  struct ScopeState {
    onnx::GraphProto *graph = nullptr;
    llvm::StringMap<std::string> sizes; // by their texts
    llvm::DenseMap<int64_t, Symbol> symbols;
  };
  struct Entry {
    Compact compact;
    std::string whole; // "" until it is made
  };

  Entry &entry(mlir::Value value);
  void addInitializer(onnx::TensorProto tensor) {
    *scopes.front().graph->add_initializer() = std::move(tensor);
  }
  std::string scalarOfBytes(int32_t type, const void *bytes, size_t count);
  std::string makeSize(const ir::DimExpr &size);

  ir::SizeNames sizeNames;
  const bool keepsPlaces;
  std::vector<ScopeState> scopes;
  llvm::DenseMap<mlir::Value, Entry> entries;
  llvm::StringMap<std::string> constants;      // by type, shape and bytes
  llvm::DenseMap<int64_t, ir::DimExpr> bounds; // of symbols
  // Results of Transpose: of what, and by which order.
  llvm::StringMap<std::pair<std::string, Numbers>> transposed;
  llvm::StringSet<> taken;
  llvm::StringMap<unsigned> counts;
  mlir::Operation *current = nullptr;
};

// Windows along one dimension.
struct Windows {
  ir::DimExpr size, count, low, reach;
  int64_t stride;
};
// How many places behind x these windows need; a number where there is one, which may be less than
// the last window reaches: ONNX rounds the number of windows down.
ir::DimExpr placesAfter(const Windows &windows);
// What ONNX calls the padding before and after that leaves ceil(size / stride) windows; null where
// it is another one.
const char *sameRule(llvm::ArrayRef<Windows> windows);

} // namespace keratin::frontend::onnx_models

#endif // KERATIN_FRONTEND_ONNX_GRAPHEXPORTER_H
