// The graph that K functions build: one module of the dialect, and what its ops cannot hold.
#ifndef KERATIN_FRONTEND_GRAPH_GRAPH_H
#define KERATIN_FRONTEND_GRAPH_GRAPH_H

#include "frontend/graph/IdTable.h"
#include "frontend/graph/VariableStorage.h"
#include "ir/dialect/Keratin.h"
#include "ir/dialect/ValuePart.h"
#include "keratin/tensor.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace keratin::detail {

// What all handles on one value share. Exists as long as a handle does.
struct Node {
  std::atomic<int64_t> handles{0};
  mlir::Value value;
  std::shared_ptr<const std::string> scope; // null outside name scopes
  std::string name;                         // made when first asked for
  bool usesLearningPhase = false;
  // The callable of a K function that has returned, for which alone the value meant something; null
  // for most.
  std::shared_ptr<const std::string> madeIn;
};

} // namespace keratin::detail

namespace keratin::frontend {

using detail::Node;
class Trace;

struct PlaceholderInfo {
  std::string name;
  std::optional<Array> defaultValue; // for a call that does not feed it
  // Of a step argument (see Trace), the callable that it was made for: nobody can feed it.
  std::shared_ptr<const std::string> callable = nullptr;
  // Placeholders whose values are sizes beside this one: fed with it, though no op uses them.
  std::vector<Tensor> sizes = {};
};

struct VariableInfo {
  std::string name;
  std::string savedName; // in the file that it came from; "" for none
  std::shared_ptr<VariableStorage> storage;
  Constraint constraint;
  bool trainable = true;
  // Counts the draws of one random node: every call of a function with the node adds one.
  bool countsDraws = false;
};

// Where the value of a symbol comes from.
struct SymbolInfo {
  // The placeholder, the variable, or the truncate that computes it, while it lives.
  mlir::Operation *owner = nullptr;
  // Of its value, not of one of its dimensions.
  std::optional<ir::ValuePart> part = std::nullopt;
  std::string description = {}; // for messages: "dimension 0 of placeholder x"
  int64_t uses = 0;             // by the ops of the graph
  // The element of a tensor that it is the value of; none for most.
  std::pair<mlir::Value, int64_t> element = {};
};

// The process's graph. Building it is thread-compatible as far as the meaning of a program goes,
// and safe in any case: every entrance takes the mutex. Compiling and calling functions do not.
//
// Ops are made at the end of one block, so it is ordered. An op that no handle and no other op
// needs (for its value, or for the size that it computes) is erased, and then what only it needed,
// iteratively; while a K function runs (see Call), that waits for its end.
class Graph {
public:
  // While it lives, a callable of the user's runs.
  class UserCode {
  public:
    explicit UserCode(Graph &graph) : graph(graph), outer(graph.userDepth) {
      graph.userDepth = graph.depth;
    }
    ~UserCode() { graph.userDepth = outer; }
    UserCode(const UserCode &) = delete;
    UserCode &operator=(const UserCode &) = delete;

  private:
    Graph &graph;
    const int outer;
  };

  // Never destroyed: tensors with static storage may outlive everything.
  static Graph &get();

  std::recursive_mutex mutex;

  mlir::MLIRContext context;
  mlir::Block *block();

  // A handle on the value. Handles are counted by retain (which needs no lock) and release.
  Node *acquire(mlir::Value value);
  void release(Node *node);
  // Null if there is no handle on it.
  Node *find(mlir::Value value) const;
  std::string nameOf(Node *node);

  // Between these, ops without uses stay; `created` is told of every new op.
  void beginCall() { ++depth; }
  void endCall();
  int callDepth() const { return depth; }
  // Whether the user called the K function that is running, and no other K function did.
  bool isCalledByUser() const { return depth == userDepth + 1; }
  void created(mlir::Operation *op);

  // The callables that are running, innermost last.
  std::vector<Trace *> traces;

  // A fresh symbol; it lives until its owner and every op that mentions it are gone.
  int64_t addSymbol(SymbolInfo info) { return symbols.add(std::move(info)); }
  void own(mlir::Operation *op, llvm::ArrayRef<int64_t> ids);
  // The symbol for the value of an integer scalar placeholder or variable, or for a part of it: a
  // function with that for the whole is not called with a negative one.
  int64_t valueSymbol(mlir::Operation *op, ir::ValuePart part = ir::ValuePart::Whole);
  std::optional<int64_t> existingValueSymbol(mlir::Operation *op, ir::ValuePart part) const;

  // The symbol that the call defines with the value of an element, while it lives.
  std::optional<int64_t> computedSymbol(mlir::Value value, int64_t element) const;
  void addComputedSymbol(mlir::Value value, int64_t element, int64_t id);

  IdTable<PlaceholderInfo> placeholders;
  IdTable<VariableInfo> variables;
  IdTable<Array> literals;
  IdTable<SymbolInfo> symbols;

  // The name scope in force, and unique names.
  std::shared_ptr<const std::string> scope;
  std::string uniqueName(const std::string &base);
  // For a node that the user names: in the scope, unless it ends in '/' and so is the full name.
  // The first node that has the name of a scope for its full name gets it as it is.
  std::string nodeName(const std::string &name);
  // The scope of this name inside the one in force, ending in '/'.
  std::string scopeName(const std::string &name);
  void forgetNames();

  // Symbols of a dims attribute; of an op and the ops in its regions.
  llvm::ArrayRef<int64_t> symbolsOf(mlir::Attribute dims);
  void forEachSymbol(mlir::Operation *op, llvm::function_ref<void(int64_t)> visit);

  int64_t opCount() const { return liveOps; }

private:
  Graph();
  void collect();
  bool isDead(mlir::Operation *op);
  bool definesUsedSize(mlir::Operation *op);
  void erase(mlir::Operation *op);

  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::unordered_map<std::string, int64_t> nameCounters;
  std::unordered_set<std::string> scopeNames; // without '/'; of scopes that no node is named after
  llvm::DenseMap<mlir::Value, std::unique_ptr<Node>> nodes;
  llvm::DenseMap<mlir::Attribute, llvm::SmallVector<int64_t, 2>> dimsSymbols;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<int64_t, 2>> ownedSymbols;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, int64_t> computedSymbols;
  // Ops that may have become dead.
  llvm::SetVector<mlir::Operation *> candidates;
  int depth = 0;
  int userDepth = 0; // the depth of calls below the user's innermost code
  int64_t liveOps = 0;
};

// The value behind a tensor, and the other way round. ValueError, in the name of the caller, for an
// empty Tensor.
mlir::Value valueOf(const Tensor &tensor, const char *caller = "");
Tensor tensorOf(mlir::Value value);
Node *nodeOf(const Tensor &tensor, const char *caller = "");

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_GRAPH_GRAPH_H
