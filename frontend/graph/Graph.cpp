#include "frontend/graph/Graph.h"

#include "frontend/graph/AtThreadEnd.h"
#include "frontend/graph/Trace.h"
#include "ir/interfaces/ComputedSizes.h"
#include "ir/interfaces/OpProperties.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

using namespace keratin;
using namespace keratin::frontend;
using keratin::ir::DimsAttr;

namespace keratin::detail {
struct TensorAccess {
  static Node *node(const Tensor &tensor) { return tensor.node; }
  static Tensor make(Node *node) {
    Tensor tensor;
    tensor.node = node;
    return tensor;
  }
};
} // namespace keratin::detail

Graph &Graph::get() {
  static Graph *graph = new Graph;
  return *graph;
}

Graph::Graph() : context(mlir::MLIRContext::Threading::DISABLED) {
  // The argument alone leaves types and attributes with tables of each thread, which are gone when
  // objects with static storage are destroyed.
  context.disableMultithreading();
  context.getOrLoadDialect<ir::KeratinDialect>();
  module = mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
}

mlir::Block *Graph::block() { return module->getBody(); }

//===-- The mutex -----------------------------------------------------------------------------===//

// Of this thread, null before its first K function. Without a destructor: those of a thread run
// before objects with static storage are destroyed, which may build graphs.
static thread_local ThreadState *ownState = nullptr;

void Graph::enter() {
  mutex.lock();
  entered();
  if (held == 1)
    eraseReleased();
}

void Graph::entered() {
  if (held++ == 0)
    current = ownState;
}

void Graph::leave() {
  if (held == 1)
    eraseReleased();
  Garbage mine;
  if (held == 1 && !garbage.empty())
    mine.swap(garbage);
  --held;
  mutex.unlock();
  if (!mine.empty())
    destroy(std::move(mine));
}

// What the destructors of this end is put behind it, so that a chain of objects is no recursion.
void Graph::destroy(Garbage list) {
  static thread_local Garbage *outer = nullptr;
  if (outer) {
    std::move(list.begin(), list.end(), std::back_inserter(*outer));
    return;
  }
  outer = &list;
  while (!list.empty()) {
    auto object = std::move(list.back());
    list.pop_back();
    object.reset();
  }
  outer = nullptr;
}

Graph::UserCode::UserCode(Graph &graph)
    : graph(graph), outerDepth(graph.current->userDepth), outerSeen(graph.current->seen) {
  if (!outerSeen)
    graph.suspended.push_back(graph.current);
  graph.current->userDepth = graph.current->depth;
  graph.current->seen = graph.lastSerial + 1;
  Garbage mine;
  mine.swap(graph.garbage);
  locks = std::exchange(graph.held, 0);
  for (int i = 0; i < locks; ++i)
    graph.mutex.unlock();
  destroy(std::move(mine));
}

Graph::UserCode::~UserCode() {
  for (int i = 0; i < locks; ++i) {
    graph.mutex.lock();
    graph.entered();
  }
  graph.current->userDepth = outerDepth;
  graph.current->seen = outerSeen;
  if (!outerSeen)
    graph.suspended.erase(llvm::find(graph.suspended, graph.current));
}

//===-- Threads -------------------------------------------------------------------------------===//

static void endThisThread() { Graph::get().endThread(); }

ThreadState &Graph::threadState() {
  if (!current) {
    threads.push_back(std::make_unique<ThreadState>());
    current = ownState = threads.back().get();
    // Made once, also if the thread builds graphs after its end.
    static thread_local AtThreadEnd<endThisThread> end;
    (void)&end;
  }
  return *current;
}

// Objects that end scopes may outlive the thread that made them.
void Graph::endThread() {
  Lock lock(*this);
  if (!current || !current->isIdle())
    return;
  llvm::erase_if(threads, [&](const auto &thread) { return thread.get() == current; });
  current = ownState = nullptr;
}

void Graph::beginCall() { ++threadState().depth; }

void Graph::endCall() {
  if (--current->depth > 0)
    return;
  takeReleased();
  collect(*current);
  if (suspended.empty())
    forgetUnusedNames();
}

// A call that failed may have brought names, and said things of them that no op relies on.
void Graph::forgetUnusedNames() {
  for (int64_t id : newNames)
    if (symbols.contains(id) && symbols[id].uses == 0 && !symbols[id].name.empty()) {
      namedSymbols.erase(symbols[id].name);
      symbols.remove(id);
    }
  newNames.clear();
}

bool Graph::isCalledByUser() const { return current && current->depth == current->userDepth + 1; }

llvm::ArrayRef<Trace *> Graph::traces() const {
  return current ? llvm::ArrayRef(current->traces) : llvm::ArrayRef<Trace *>();
}

void Graph::beginTrace(Trace *trace) { threadState().traces.push_back(trace); }

void Graph::endTrace() { threadState().traces.pop_back(); }

std::shared_ptr<const std::string> Graph::scope() const {
  return current && !current->nameScopes.empty() ? current->nameScopes.back().name : nullptr;
}

void Graph::beginScope(const void *key, std::shared_ptr<const std::string> name) {
  threadState().nameScopes.push_back({key, std::move(name)});
}

// Usually that of this thread. Objects that live in one thread and die in another are of no use,
// but must not leave anything behind.
void Graph::endScope(const void *key) {
  for (const auto &thread : threads)
    llvm::erase_if(thread->nameScopes, [&](const auto &scope) { return scope.key == key; });
}

llvm::ArrayRef<ThreadState::ControlScope> Graph::controlScopes() const {
  return current ? llvm::ArrayRef(current->controlScopes)
                 : llvm::ArrayRef<ThreadState::ControlScope>();
}

void Graph::beginControl(const void *key, llvm::SmallVector<mlir::Value> ops) {
  threadState().controlScopes.push_back({key, std::move(ops), traces().size()});
}

void Graph::endControl(const void *key) {
  for (const auto &thread : threads)
    llvm::erase_if(thread->controlScopes, [&](const auto &scope) { return scope.key == key; });
}

//===-- Handles -------------------------------------------------------------------------------===//

Node *Graph::acquire(mlir::Value value) {
  std::unique_ptr<Node> &node = nodes[value];
  if (!node) {
    node = std::make_unique<Node>();
    node->value = value;
    node->scope = scope();
    node->serial = ++lastSerial;
  }
  ++node->handles;
  return node.get();
}

Node *Graph::find(mlir::Value value) const {
  auto found = nodes.find(value);
  return found == nodes.end() ? nullptr : found->second.get();
}

void Graph::release(Node *node) noexcept {
  int64_t count = node->handles.load(std::memory_order_relaxed);
  while (count > 1)
    if (node->handles.compare_exchange_weak(count, count - 1, std::memory_order_acq_rel))
      return;
  // The last handle goes at once if nobody has the mutex.
  if (mutex.try_lock()) {
    entered();
    if (--node->handles == 0)
      forget(node);
    leave();
    return;
  }
  // Otherwise it is the queue's. Under the mutex others may still make handles on the value; these
  // find one more than their own, so a node is in the queue once.
  Node *next = released.load(std::memory_order_relaxed);
  do
    node->nextReleased = next;
  while (!released.compare_exchange_weak(next, node, std::memory_order_release,
                                         std::memory_order_relaxed));
}

void Graph::takeReleased() {
  if (!released.load(std::memory_order_relaxed))
    return;
  Node *node = released.exchange(nullptr, std::memory_order_acquire);
  while (node) {
    Node *next = node->nextReleased;
    if (--node->handles == 0)
      forget(node);
    node = next;
  }
}

void Graph::eraseReleased() {
  takeReleased();
  try {
    collect(nobodys);
  } catch (const std::bad_alloc &) {
    // No handle's end fails; the ops stay until something else collects them.
  }
}

// The last handle on the node is gone. Every call that may have the value in hand keeps its op.
void Graph::forget(Node *node) noexcept {
  mlir::Operation *op = node->value.getDefiningOp();
  const uint64_t serial = node->serial;
  nodes.erase(node->value);
  try {
    bool isKept = current && current->depth > 0;
    if (isKept)
      current->candidates.insert(op);
    for (ThreadState *thread : suspended)
      if (thread != current && serial < thread->seen) {
        thread->candidates.insert(op);
        isKept = true;
      }
    if (!isKept)
      nobodys.candidates.insert(op);
  } catch (const std::bad_alloc &) {
    // As above.
  }
}

//===-- Life of ops ---------------------------------------------------------------------------===//

void Graph::created(mlir::Operation *op) {
  ++liveOps;
  current->candidates.insert(op);
  if (!current->traces.empty())
    current->traces.back()->add(op);
  forEachSymbol(op, [&](int64_t id) { ++symbols[id].uses; });
}

bool Graph::isDead(mlir::Operation *op) {
  if (!op->use_empty())
    return false;
  for (mlir::Value result : op->getResults())
    if (nodes.contains(result))
      return false;
  return !definesUsedSize(op);
}

// Whether the sizes of other ops have the symbol that this one defines.
bool Graph::definesUsedSize(mlir::Operation *op) {
  std::optional<int64_t> defined = ir::symbolDefinedBy(op);
  if (!defined)
    return false;
  // Its own mentions do not count.
  int64_t own = 0;
  forEachSymbol(op, [&](int64_t id) { own += id == *defined; });
  return symbols[*defined].uses > own;
}

bool Graph::isKeptBesides(const ThreadState &own, mlir::Operation *op) const {
  auto keeps = [&](const ThreadState *thread) {
    return thread != &own && thread->candidates.contains(op);
  };
  return keeps(&nobodys) || llvm::any_of(suspended, keeps);
}

// What another thread keeps too, that one looks at.
void Graph::collect(ThreadState &own) {
  while (!own.candidates.empty()) {
    mlir::Operation *op = own.candidates.pop_back_val();
    if (isDead(op) && !isKeptBesides(own, op))
      erase(op, own.candidates);
  }
}

void Graph::erase(mlir::Operation *op, llvm::SetVector<mlir::Operation *> &candidates) {
  for (mlir::Value operand : op->getOperands())
    candidates.insert(operand.getDefiningOp());
  llvm::SmallVector<int64_t, 4> mentioned;
  forEachSymbol(op, [&](int64_t id) { mentioned.push_back(id); });
  if (auto owned = ownedSymbols.find(op); owned != ownedSymbols.end()) {
    for (int64_t id : owned->second) {
      symbols[id].owner = nullptr;
      if (symbols[id].element.first)
        computedSymbols.erase(symbols[id].element);
      // Counted as a mention, so that the loop below sees it.
      ++symbols[id].uses;
      mentioned.push_back(id);
    }
    ownedSymbols.erase(owned);
  }
  for (int64_t id : mentioned) {
    SymbolInfo &symbol = symbols[id];
    if (symbol.owner && ir::symbolDefinedBy(symbol.owner))
      candidates.insert(symbol.owner);
    if (--symbol.uses == 0 && !symbol.owner) {
      namedSymbols.erase(symbol.name);
      symbols.remove(id);
    }
  }
  if (auto literal = llvm::dyn_cast<ir::LiteralOp>(op))
    discard(literals.remove(literal.getId()));
  else if (auto placeholder = llvm::dyn_cast<ir::PlaceholderOp>(op))
    discard(placeholders.remove(placeholder.getId()));
  else if (auto variable = llvm::dyn_cast<ir::VariableOp>(op))
    discard(variables.remove(variable.getId()));
  op->erase();
  --liveOps;
}

//===-- Symbols -------------------------------------------------------------------------------===//

llvm::ArrayRef<int64_t> Graph::symbolsOf(mlir::Attribute attribute) {
  auto dims = llvm::dyn_cast_or_null<DimsAttr>(attribute);
  if (!dims)
    return {};
  auto [entry, isNew] = dimsSymbols.try_emplace(dims);
  if (isNew)
    for (const ir::DimExpr &dim : dims.getDims())
      for (int64_t id : dim.symbols())
        if (!llvm::is_contained(entry->second, id))
          entry->second.push_back(id);
  return entry->second;
}

void Graph::forEachSymbol(mlir::Operation *op, llvm::function_ref<void(int64_t)> visit) {
  auto visitType = [&](mlir::Type type) {
    for (int64_t id : symbolsOf(llvm::cast<mlir::RankedTensorType>(type).getEncoding()))
      visit(id);
  };
  for (mlir::Type type : op->getResultTypes())
    visitType(type);
  ir::forEachDims(op, [&](DimsAttr dims) {
    for (int64_t id : symbolsOf(dims))
      visit(id);
  });
  for (mlir::Region &region : op->getRegions())
    for (mlir::Block &block : region) {
      for (mlir::Type type : block.getArgumentTypes())
        visitType(type);
      for (mlir::Operation &nested : block)
        forEachSymbol(&nested, visit);
    }
}

void Graph::own(mlir::Operation *op, llvm::ArrayRef<int64_t> ids) {
  for (int64_t id : ids) {
    symbols[id].owner = op;
    ownedSymbols[op].push_back(id);
  }
}

int64_t Graph::namedSymbol(const std::string &name) {
  auto [known, isNew] = namedSymbols.try_emplace(name, 0);
  if (isNew) {
    SymbolInfo info{nullptr, std::nullopt, "size '" + name + "'"};
    info.name = name;
    known->second = symbols.add(std::move(info));
    newNames.push_back(known->second);
  }
  return known->second;
}

std::optional<int64_t> Graph::existingValueSymbol(mlir::Operation *op, ir::ValuePart part) const {
  auto owned = ownedSymbols.find(op);
  if (owned != ownedSymbols.end())
    for (int64_t id : owned->second)
      if (symbols[id].part == part)
        return id;
  return std::nullopt;
}

std::optional<int64_t> Graph::computedSymbol(mlir::Value value, int64_t element) const {
  auto found = computedSymbols.find({value, element});
  return found == computedSymbols.end() ? std::nullopt : std::optional(found->second);
}

void Graph::addComputedSymbol(mlir::Value value, int64_t element, int64_t id) {
  symbols[id].element = {value, element};
  computedSymbols[{value, element}] = id;
}

int64_t Graph::valueSymbol(mlir::Operation *op, ir::ValuePart part) {
  if (std::optional<int64_t> known = existingValueSymbol(op, part))
    return *known;
  std::string name = part == ir::ValuePart::Positive   ? "the positive part of "
                     : part == ir::ValuePart::Negative ? "the negative part of "
                                                       : "";
  if (auto placeholder = llvm::dyn_cast<ir::PlaceholderOp>(op))
    name += "the value of placeholder " + placeholders[placeholder.getId()].name;
  else if (auto variable = llvm::dyn_cast<ir::VariableOp>(op))
    name += "the value of variable " + variables[variable.getId()].name;
  int64_t id = symbols.add(SymbolInfo{op, part, std::move(name)});
  ownedSymbols[op].push_back(id);
  return id;
}

//===-- Names ---------------------------------------------------------------------------------===//

std::string Graph::uniqueName(const std::string &base) {
  int64_t count = nameCounters[base]++;
  return count == 0 ? base : base + "_" + std::to_string(count);
}

static bool isFullName(const std::string &name) { return name.size() >= 2 && name.back() == '/'; }

std::string Graph::askedName(const std::string &name) const {
  if (isFullName(name))
    return name.substr(0, name.size() - 1);
  return (scope() ? *scope() : std::string()) + name;
}

std::string Graph::nodeName(const std::string &name) {
  std::string asked = askedName(name);
  return isFullName(name) && scopeNames.erase(asked) ? asked : uniqueName(asked);
}

std::string Graph::scopeName(const std::string &name) {
  if (name.back() == '/')
    return name;
  std::string unique = uniqueName((scope() ? *scope() : std::string()) + name);
  scopeNames.insert(unique);
  return unique + "/";
}

void Graph::forgetNames() {
  nameCounters.clear();
  scopeNames.clear();
}

std::string Graph::nameOf(Node *node) {
  if (!node->name.empty())
    return node->name;
  mlir::Operation *op = node->value.getDefiningOp();
  if (auto placeholder = llvm::dyn_cast<ir::PlaceholderOp>(op))
    return placeholders[placeholder.getId()].name + ":0";
  if (auto variable = llvm::dyn_cast<ir::VariableOp>(op))
    return variables[variable.getId()].name + ":0";
  std::string base =
      (node->scope ? *node->scope : std::string()) + op->getName().stripDialect().str();
  return node->name = uniqueName(base) + ":0";
}

//===-- Tensors -------------------------------------------------------------------------------===//

Node *frontend::nodeOf(const Tensor &tensor, const char *caller) {
  Node *node = detail::TensorAccess::node(tensor);
  if (!node)
    throw ValueError(std::string(caller) + (*caller ? ": " : "") +
                     "an empty Tensor stands for no value");
  return node;
}

mlir::Value frontend::valueOf(const Tensor &tensor, const char *caller) {
  return nodeOf(tensor, caller)->value;
}

Tensor frontend::tensorOf(mlir::Value value) {
  return detail::TensorAccess::make(Graph::get().acquire(value));
}

Tensor::Tensor(const Tensor &other) noexcept : node(other.node) {
  if (node)
    node->handles.fetch_add(1, std::memory_order_relaxed);
}

Tensor::~Tensor() {
  if (node)
    Graph::get().release(node);
}

DType Tensor::dtype() const {
  return DType(ir::dtypeOf(ir::getElementType(frontend::valueOf(*this, "Tensor::dtype"))));
}

StaticShape Tensor::shape() const {
  StaticShape shape;
  for (int64_t dim : ir::getTensorType(frontend::valueOf(*this, "Tensor::shape")).getShape())
    shape.push_back(mlir::ShapedType::isDynamic(dim) ? std::nullopt : std::optional(dim));
  return shape;
}

int64_t Tensor::ndim() const {
  return ir::getTensorType(frontend::valueOf(*this, "Tensor::ndim")).getRank();
}

std::string Tensor::name() const {
  Graph::Lock lock(Graph::get());
  return Graph::get().nameOf(frontend::nodeOf(*this, "Tensor::name"));
}

bool Tensor::usesLearningPhase() const {
  return frontend::nodeOf(*this, "Tensor::usesLearningPhase")->usesLearningPhase;
}
void Tensor::setUsesLearningPhase(bool uses) {
  frontend::nodeOf(*this, "Tensor::setUsesLearningPhase")->usesLearningPhase = uses;
}

static VariableInfo *variableInfo(const Tensor &tensor, const char *caller) {
  auto op = valueOf(tensor, caller).getDefiningOp<ir::VariableOp>();
  return op ? &Graph::get().variables[op.getId()] : nullptr;
}

Constraint Tensor::constraint() const {
  Graph::Lock lock(Graph::get());
  VariableInfo *info = variableInfo(*this, "Tensor::constraint");
  return info ? info->constraint : Constraint();
}

bool Tensor::trainable() const {
  Graph::Lock lock(Graph::get());
  VariableInfo *info = variableInfo(*this, "Tensor::trainable");
  return info && info->trainable;
}

void Tensor::setTrainable(bool trainable) {
  Graph::Lock lock(Graph::get());
  if (VariableInfo *info = variableInfo(*this, "Tensor::setTrainable"))
    info->trainable = trainable;
  else
    throw TypeError("setTrainable: the tensor is not a variable");
}

std::string keratin::toString(const StaticShape &shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + (shape[i] ? std::to_string(*shape[i]) : std::string("None"));
  return text + (shape.size() == 1 ? ",)" : ")");
}
