#include "frontend/graph/Graph.h"

#include "frontend/graph/Trace.h"
#include "ir/interfaces/ComputedSizes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

#include "llvm/ADT/TypeSwitch.h"

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

//===-- Handles -------------------------------------------------------------------------------===//

Node *Graph::acquire(mlir::Value value) {
  std::unique_ptr<Node> &node = nodes[value];
  if (!node) {
    node = std::make_unique<Node>();
    node->value = value;
    node->scope = scope;
  }
  ++node->handles;
  return node.get();
}

Node *Graph::find(mlir::Value value) const {
  auto found = nodes.find(value);
  return found == nodes.end() ? nullptr : found->second.get();
}

void Graph::release(Node *node) {
  // Only the last handle needs the lock. Under it no other thread can make a new handle of this
  // node, and those that hold one keep the count above zero.
  int64_t count = node->handles.load(std::memory_order_relaxed);
  while (count > 1)
    if (node->handles.compare_exchange_weak(count, count - 1, std::memory_order_acq_rel))
      return;
  std::lock_guard lock(mutex);
  if (--node->handles > 0)
    return;
  mlir::Operation *op = node->value.getDefiningOp();
  nodes.erase(node->value);
  try {
    candidates.insert(op);
    if (depth == 0)
      collect();
  } catch (const std::bad_alloc &) {
    // No handle's end fails; the op stays until something else collects it.
  }
}

//===-- Life of ops ---------------------------------------------------------------------------===//

void Graph::created(mlir::Operation *op) {
  ++liveOps;
  candidates.insert(op);
  if (!traces.empty())
    traces.back()->add(op);
  forEachSymbol(op, [&](int64_t id) { ++symbols[id].uses; });
}

void Graph::endCall() {
  if (--depth == 0)
    collect();
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

void Graph::collect() {
  while (!candidates.empty()) {
    mlir::Operation *op = candidates.pop_back_val();
    if (isDead(op))
      erase(op);
  }
}

void Graph::erase(mlir::Operation *op) {
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
    if (--symbol.uses == 0 && !symbol.owner)
      symbols.remove(id);
  }
  std::vector<Tensor> held; // let go at the end
  if (auto literal = llvm::dyn_cast<ir::LiteralOp>(op))
    literals.remove(literal.getId());
  else if (auto placeholder = llvm::dyn_cast<ir::PlaceholderOp>(op)) {
    held = std::move(placeholders[placeholder.getId()].sizes);
    placeholders.remove(placeholder.getId());
  } else if (auto variable = llvm::dyn_cast<ir::VariableOp>(op))
    variables.remove(variable.getId());
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

// The dims attributes of an op, by name: a dictionary of all its attributes would be uniqued, and
// kept, for every op.
static llvm::SmallVector<DimsAttr, 2> dimsOf(mlir::Operation *op) {
  using Dims = llvm::SmallVector<DimsAttr, 2>;
  return llvm::TypeSwitch<mlir::Operation *, Dims>(op)
      .Case([](ir::SliceOp slice) { return Dims{slice.getStarts()}; })
      .Case([](ir::PadOp pad) { return Dims{pad.getLow()}; })
      .Case<ir::ConvolutionOp, ir::WindowSumOp, ir::WindowMaxOp, ir::WindowPickOp,
            ir::WindowScatterOp>([](auto window) { return Dims{window.getLow()}; })
      .Case([](ir::CheckRangeOp check) { return Dims{check.getLower(), check.getUpper()}; })
      .Case([](ir::ScanOp scan) { return Dims{scan.getLength()}; })
      .Case([](ir::WhileOp loop) {
        Dims dims;
        if (loop.getLength())
          dims.push_back(*loop.getLength());
        if (loop.getAtMost())
          dims.push_back(*loop.getAtMost());
        return dims;
      })
      .Case([](ir::RequireOp require) { return Dims{require.getLhs(), require.getRhs()}; })
      .Default([](mlir::Operation *) { return Dims(); });
}

void Graph::forEachSymbol(mlir::Operation *op, llvm::function_ref<void(int64_t)> visit) {
  auto visitType = [&](mlir::Type type) {
    for (int64_t id : symbolsOf(llvm::cast<mlir::RankedTensorType>(type).getEncoding()))
      visit(id);
  };
  for (mlir::Type type : op->getResultTypes())
    visitType(type);
  for (DimsAttr dims : dimsOf(op))
    for (int64_t id : symbolsOf(dims))
      visit(id);
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

std::string Graph::nodeName(const std::string &name) {
  if (name.size() < 2 || name.back() != '/')
    return uniqueName((scope ? *scope : std::string()) + name);
  std::string full = name.substr(0, name.size() - 1);
  return scopeNames.erase(full) ? full : uniqueName(full);
}

std::string Graph::scopeName(const std::string &name) {
  if (name.back() == '/')
    return name;
  std::string unique = uniqueName((scope ? *scope : std::string()) + name);
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
  std::lock_guard lock(Graph::get().mutex);
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
  std::lock_guard lock(Graph::get().mutex);
  VariableInfo *info = variableInfo(*this, "Tensor::constraint");
  return info ? info->constraint : Constraint();
}

bool Tensor::trainable() const {
  std::lock_guard lock(Graph::get().mutex);
  VariableInfo *info = variableInfo(*this, "Tensor::trainable");
  return info && info->trainable;
}

void Tensor::setTrainable(bool trainable) {
  std::lock_guard lock(Graph::get().mutex);
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
