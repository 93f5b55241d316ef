// The graph that K functions build: one module of the dialect, and what its ops cannot hold.
#ifndef KERATIN_FRONTEND_GRAPH_GRAPH_H
#define KERATIN_FRONTEND_GRAPH_GRAPH_H

#include "frontend/graph/IdTable.h"
#include "frontend/graph/ThreadState.h"
#include "frontend/graph/VariableStorage.h"
#include "ir/dialect/Keratin.h"
#include "ir/dialect/SizeLimits.h"
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
  std::atomic<bool> usesLearningPhase{false};
  // The callable of a K function that has returned, for which alone the value meant something; null
  // for most.
  std::shared_ptr<const std::string> madeIn;
  uint64_t serial = 0;          // nodes are numbered as they are made, from 1
  Node *nextReleased = nullptr; // in the graph's queue
};

} // namespace keratin::detail

namespace keratin::frontend {

using detail::Node;

struct PlaceholderInfo {
  std::string name;
  std::optional<Array> defaultValue; // for a call that does not feed it
  // Of a step argument (see Trace), the callable that it was made for: nobody can feed it.
  std::shared_ptr<const std::string> callable = nullptr;
  // Placeholders whose values are sizes beside this one: fed with it, though no op uses them.
  std::vector<Tensor> sizes = {};
  // What was asked for, where the name had to differ from others of the program (InputNames.h).
  std::string askedName = {};
  std::string part = {}; // of a sparse placeholder, ".rows": the end of both names
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
  std::string name = {};        // as the user calls it; "" for most
  ir::SizeLimits limits = {};   // as the user says
  // The element of a tensor that it is the value of; none for most.
  std::pair<mlir::Value, int64_t> element = {};
};

// The process's graph: any number of threads may build it, each what it likes.
//
// Of the graph, under its mutex: the ops, the tables, the names that are taken, and the MLIR
// context, which has no locks of its own. Of a thread (ThreadState), and not seen by others: the
// calls on its stack, the callables that they run and what these have made, the name scope and the
// control dependencies in force, the ops that wait for the end of a call. Of a call (Call): where
// its ops go, its location, what it requires. K functions hold the mutex, but not while a callable
// of the user's runs (UserCode); compiling and calling functions do not.
//
// Ops are made at the end of one block, so it is ordered; the ops of several threads mix. An op
// that no handle and no other op needs (for its value, or for the size that it computes) is erased,
// and then what only it needed, iteratively. This waits for the end of the K function that made it,
// and of every K function whose callable is running and that may have its value in hand: one whose
// callable was called when the value had a handle already.
class Graph {
public:
  // Holds the mutex. A thread may have several.
  class Lock {
  public:
    explicit Lock(Graph &graph) : graph(graph) { graph.enter(); }
    ~Lock() { graph.leave(); }
    Lock(const Lock &) = delete;
    Lock &operator=(const Lock &) = delete;

  private:
    Graph &graph;
  };

  // While it lives, a callable of the user's runs in the K function that made it, and the thread
  // does not hold the mutex. What the function has in hand stays.
  class UserCode {
  public:
    explicit UserCode(Graph &graph);
    ~UserCode();
    UserCode(const UserCode &) = delete;
    UserCode &operator=(const UserCode &) = delete;

  private:
    Graph &graph;
    const int outerDepth;
    const uint64_t outerSeen;
    int locks;
  };

  // Never destroyed: tensors with static storage may outlive everything.
  static Graph &get();

  mlir::MLIRContext context;
  mlir::Block *block();

  // A handle on the value. Handles are counted by Tensor's copies and by release, which any thread
  // may call at any time: it does not wait. While another thread has the mutex the last handle of
  // a node goes to a queue, which whoever has the mutex next empties.
  Node *acquire(mlir::Value value);
  void release(Node *node) noexcept;
  // Null if there is no handle on it.
  Node *find(mlir::Value value) const;
  std::string nameOf(Node *node);

  // Between these, what the thread makes stays; `created` is told of every new op.
  void beginCall();
  void endCall();
  // Whether the user called the K function that is running, and no other K function did.
  bool isCalledByUser() const;
  void created(mlir::Operation *op);

  // The thread builds no more.
  void endThread();

  // The thread's callables that are running, innermost last.
  llvm::ArrayRef<Trace *> traces() const;
  void beginTrace(Trace *trace);
  void endTrace();

  // The thread's name scope in force, null for none; `key` is the object that begins and ends it.
  std::shared_ptr<const std::string> scope() const;
  void beginScope(const void *key, std::shared_ptr<const std::string> name);
  void endScope(const void *key);

  // The thread's control dependencies, outermost first.
  llvm::ArrayRef<ThreadState::ControlScope> controlScopes() const;
  void beginControl(const void *key, llvm::SmallVector<mlir::Value> ops);
  void endControl(const void *key);

  // A fresh symbol; it lives until its owner and every op that mentions it are gone.
  int64_t addSymbol(SymbolInfo info) { return symbols.add(std::move(info)); }
  void own(mlir::Operation *op, llvm::ArrayRef<int64_t> ids);
  // The symbol of the size of this name: the same as long as any op mentions it, and in the call
  // that brings it. Nobody owns it.
  int64_t namedSymbol(const std::string &name);
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

  std::string uniqueName(const std::string &base);
  // For a node that the user names: in the scope, unless it ends in '/' and so is the full name.
  // The first node that has the name of a scope for its full name gets it as it is.
  std::string nodeName(const std::string &name);
  // The same for a node that need not differ from others.
  std::string askedName(const std::string &name) const;
  // The scope of this name inside the one in force, ending in '/'.
  std::string scopeName(const std::string &name);
  void forgetNames();

  // Symbols of a dims attribute; of an op and the ops in its regions.
  llvm::ArrayRef<int64_t> symbolsOf(mlir::Attribute dims);
  void forEachSymbol(mlir::Operation *op, llvm::function_ref<void(int64_t)> visit);

  int64_t opCount() const { return liveOps; }

private:
  // What tables held: destroyed without the mutex, since the user's objects are among it.
  using Garbage = std::vector<std::unique_ptr<void, void (*)(void *)>>;

  Graph();
  void enter();
  void entered();
  void leave();
  static void destroy(Garbage garbage);
  template <typename T> void discard(std::unique_ptr<T> entry) {
    garbage.emplace_back(nullptr, [](void *object) { delete static_cast<T *>(object); });
    garbage.back().reset(entry.release());
  }

  ThreadState &threadState();
  void takeReleased();
  void eraseReleased();
  void forget(Node *node) noexcept;
  bool isKeptBesides(const ThreadState &own, mlir::Operation *op) const;
  void collect(ThreadState &own);
  bool isDead(mlir::Operation *op);
  bool definesUsedSize(mlir::Operation *op);
  void forgetUnusedNames();
  void erase(mlir::Operation *op, llvm::SetVector<mlir::Operation *> &candidates);

  std::recursive_mutex mutex;
  int held = 0;                   // how often its thread has it
  ThreadState *current = nullptr; // of the thread that has it; null for none
  std::vector<std::unique_ptr<ThreadState>> threads;
  std::vector<ThreadState *> suspended;  // those whose callables run
  ThreadState nobodys;                   // ops that no call keeps
  std::atomic<Node *> released{nullptr}; // the queue
  Garbage garbage;

  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::unordered_map<std::string, int64_t> nameCounters;
  std::unordered_set<std::string> scopeNames; // without '/'; of scopes that no node is named after
  llvm::DenseMap<mlir::Value, std::unique_ptr<Node>> nodes;
  llvm::DenseMap<mlir::Attribute, llvm::SmallVector<int64_t, 2>> dimsSymbols;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<int64_t, 2>> ownedSymbols;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, int64_t> computedSymbols;
  llvm::StringMap<int64_t> namedSymbols;
  llvm::SmallVector<int64_t> newNames; // of namedSymbols; no op may mention them yet
  int64_t liveOps = 0;
  uint64_t lastSerial = 0; // of nodes
};

// The value behind a tensor, and the other way round. ValueError, in the name of the caller, for an
// empty Tensor.
mlir::Value valueOf(const Tensor &tensor, const char *caller = "");
Tensor tensorOf(mlir::Value value);
Node *nodeOf(const Tensor &tensor, const char *caller = "");

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_GRAPH_GRAPH_H
