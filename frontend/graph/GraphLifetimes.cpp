// How long nodes and ops live.
#include "frontend/graph/Graph.h"
#include "frontend/graph/Trace.h"
#include "ir/interfaces/ComputedSizes.h"

using namespace keratin;
using namespace keratin::frontend;

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
