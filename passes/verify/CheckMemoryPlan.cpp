// Shares nothing with the planner but the attributes of a plan: what both had wrong would go
// unseen.
#include "ir/dialect/MemoryPlan.h"
#include "ir/dialect/Signature.h"
#include "ir/interfaces/ComputedSizes.h"
#include "ir/interfaces/OpProperties.h"
#include "passes/Passes.h"

#include "llvm/ADT/SetVector.h"

namespace keratin::passes {
#define GEN_PASS_DEF_CHECKMEMORYPLAN
#include "passes/Passes.h.inc"
} // namespace keratin::passes

using namespace keratin::ir;
using namespace keratin::passes;
using namespace mlir;

namespace {

// A result of a node, as the plan describes it.
struct PlannedValue {
  OpResult value;
  PlaceAttr place;
  int64_t made = 0;     // position of its node
  int64_t lastRead = 0; // position of the last node that reads it, itself or through views
};

using Assignment = llvm::DenseMap<int64_t, int64_t>;

// Through what is inside, or because a size that it computes is wrong.
bool mayEndCall(Operation *node) {
  for (Operation *op = node->getNextNode(); op && !isNode(op); op = op->getNextNode())
    if (isa<DefineSizeOp>(op))
      return true;
  return isFallible(node);
}

// Of the function and of what is inside its nodes.
SmallVector<DefineSizeOp> definitionsIn(func::FuncOp function) {
  SmallVector<DefineSizeOp> definitions;
  function.walk([&](DefineSizeOp define) { definitions.push_back(define); });
  return definitions;
}

// Bytes of a value; nullopt: a call with such sizes is refused before it needs memory.
std::optional<int64_t> bytesWith(Value value, const Assignment &symbols) {
  auto symbol = [&](int64_t id) -> std::optional<int64_t> { return symbols.lookup(id); };
  int64_t bytes = dtypeBytes(dtypeOf(getElementType(value)));
  for (const DimExpr &dim : getShape(value)) {
    std::optional<int64_t> size = dim.evaluate(symbol);
    if (!size || *size < 0 || __builtin_mul_overflow(bytes, *size, &bytes))
      return std::nullopt;
  }
  return bytes;
}

// Follows elements through the body: each value is at every index a function of the stored element
// at the same index ("same"), or independent of the storage.
LogicalResult checkElementwise(KernelOp kernel, Value storage, OpResult written) {
  auto sizesOf = [](Value value) { return getShape(value); };
  auto width = [](Value value) { return dtypeBytes(dtypeOf(getElementType(value))); };
  llvm::SmallDenseSet<Value> same;
  for (BlockArgument argument : kernel.getBody().front().getArguments()) {
    Value operand = kernel->getOperand(argument.getArgNumber());
    if (rootOf(operand) != storage)
      continue;
    for (Value part = operand; part != storage; part = part.getDefiningOp()->getOperand(0))
      if (isa<SliceOp>(part.getDefiningOp()))
        return kernel.emitError("writes result ")
               << written.getResultNumber() << " over an operand of which it reads a part";
    if (sizesOf(argument) != sizesOf(written) || width(argument) != width(written))
      return kernel.emitError("writes result ")
             << written.getResultNumber() << " over an operand of another shape";
    same.insert(argument);
  }
  WalkResult walk = kernel.getBody().walk([&](Operation *op) {
    // scatter_add among others makes one row after the other; alone it reads nothing of its shape.
    if (!isMadeByElement(op) && !isa<YieldOp, ScatterAddOp>(op)) {
      op->emitError("may need the place of a result that is written over an operand");
      return WalkResult::interrupt();
    }
    bool reads = llvm::any_of(op->getOperands(), [&](Value v) { return same.contains(v); });
    if (!reads || isa<YieldOp>(op))
      return WalkResult::advance();
    if (!isa<ElementwiseOpInterface>(op) || sizesOf(op->getResult(0)) != sizesOf(written)) {
      op->emitError("reads elements at other indices of an operand that is written over");
      return WalkResult::interrupt();
    }
    same.insert(op->getResult(0));
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  // What nobody reads is memory to work in.
  for (Value other : kernel->getResults())
    if (!other.use_empty() && sizesOf(other) != sizesOf(written))
      return kernel.emitError("writes over an operand in one of several loops");
  return success();
}

// A message may write what it receives over all that it sends, if it adds up.
LogicalResult checkMessageOver(KernelOp message, Value storage, OpResult written) {
  Value operand = message->getOperand(0);
  if (message->getNumOperands() != 1 || !isa<AllReduceOp>(message.getBody().front().front()))
    return message.emitError("receives something else over what is sent");
  while (operand != storage && !isa<SliceOp>(operand.getDefiningOp()))
    operand = operand.getDefiningOp()->getOperand(0);
  if (operand != storage || byteCount(storage) != byteCount(written))
    return message.emitError("receives result ")
           << written.getResultNumber() << " over a value of which it sends a part";
  return success();
}

// A loop may write a state over its first value, if steps change it in place and read that value in
// no other way.
LogicalResult checkLoopOver(LoopOpInterface loop, Value storage, OpResult written) {
  unsigned state = written.getResultNumber();
  if (state >= loop.getNumStates() || !placeOfState(loop, state).isInResult())
    return loop->emitError("writes result ")
           << state << " over an operand, but its steps do not change it in place";
  for (auto [index, operand] : llvm::enumerate(loop->getOperands()))
    if ((index == state) != (rootOf(operand) == storage))
      return loop->emitError("writes result ")
             << state << " over a value that is not, or not only, its first one";
  return success();
}

LogicalResult checkOver(Operation *node, Value storage, OpResult written) {
  if (auto kernel = dyn_cast<KernelOp>(node))
    return isCollective(&kernel.getBody().front().front())
               ? checkMessageOver(kernel, storage, written)
               : checkElementwise(kernel, storage, written);
  if (auto loop = dyn_cast<LoopOpInterface>(node))
    return checkLoopOver(loop, storage, written);
  return node->emitError("is a branch and writes over an operand");
}

bool isInPreparedMemory(OpResult value) {
  PlaceAttr place = placeOf(value);
  return place.isInMemory() && place.getNumber() == 1 &&
         preparedMemoryOf(value.getOwner()->getParentOfType<FunctionOpInterface>());
}

// The plan of one block and of what is inside its nodes.
class BlockChecker {
public:
  // Precondition: verifyMemoryPlan(). Buffers begin on multiples of `alignment`.
  BlockChecker(Block &block, int64_t alignment)
      : block(block), alignment(alignment), loop(dyn_cast<LoopOpInterface>(block.getParentOp())) {}

  LogicalResult read();
  LogicalResult check();

  // What the block needs of the arena for these symbols, from when to when.
  struct Interval {
    unsigned memory;
    int64_t begin, end;
    int64_t made, lastRead;
    PlannedValue *planned = nullptr; // null: of a loop, or inside a node
    bool isInside = false;
    Location location;
  };
  using Intervals = std::vector<Interval>;
  bool isRefused(const Assignment &symbols);
  // `totals` are the bytes of each memory; of a tape, nullopt: a stack has it for itself.
  using Totals = ArrayRef<std::optional<int64_t>>;
  LogicalResult checkArena(const Assignment &symbols, Totals totals, Intervals &all);
  void collectSizes(llvm::function_ref<void(const DimExpr &)> collect);

  ArrayRef<Operation *> getNodes() { return nodes; }
  PlannedValue *find(Value value) {
    for (PlannedValue &planned : values)
      if (planned.value == value)
        return &planned;
    return nullptr;
  }
  PlannedValue *findReturned(unsigned index) {
    return find(rootOf(block.getTerminator()->getOperand(index)));
  }
  std::vector<PlannedValue> &getValues() { return values; }
  // Positions of all nodes that read a storage.
  SmallVector<int64_t> readersOf(Value storage) {
    SmallVector<int64_t> readers;
    for (size_t i = 0; i < nodes.size(); ++i)
      if (llvm::any_of(nodes[i]->getOperands(),
                       [&](Value operand) { return rootOf(operand) == storage; }))
        readers.push_back(i);
    return readers;
  }

private:
  LogicalResult readNode(Operation *node, int64_t position);
  LogicalResult readLoop();
  LogicalResult checkReturned();
  LogicalResult checkNowhere();
  LogicalResult checkReuses();
  LogicalResult checkJoined(KernelOp kernel);
  LogicalResult checkStates();
  LogicalResult addInterval(Intervals &all, Value value, PlaceAttr place, Interval interval,
                            const Assignment &symbols, Totals totals);
  LogicalResult compare(const Interval &a, const Interval &b, const Assignment &symbols);
  InFlightDiagnostic at(InFlightDiagnostic diagnostic, const Assignment &symbols) {
    for (auto [id, value] : symbols)
      diagnostic << (id == symbols.begin()->first ? "; with " : ", ") << "d" << id << " = "
                 << value;
    return diagnostic;
  }

  Block &block;
  int64_t alignment;
  LoopOpInterface loop; // whose body the block is
  SmallVector<Operation *> nodes;
  std::vector<PlannedValue> values;
  // Of the loop: what lies where from step to step.
  SmallVector<std::pair<Value, PlaceAttr>> lasting;
  std::vector<std::vector<BlockChecker>> inside; // of each node
};

LogicalResult BlockChecker::read() {
  for (Operation &op : block)
    if (isNode(&op) && failed(readNode(&op, nodes.size())))
      return failure();
  for (PlannedValue &planned : values)
    for (int64_t reader : readersOf(planned.value))
      planned.lastRead = std::max(planned.lastRead, reader);
  return loop ? readLoop() : success();
}

LogicalResult BlockChecker::readNode(Operation *node, int64_t position) {
  nodes.push_back(node);
  for (OpResult result : node->getResults())
    values.push_back({result, placeOf(result), position, position});
  std::vector<BlockChecker> &checkers = inside.emplace_back();
  if (isa<KernelOp>(node))
    return success();
  for (Region &region : node->getRegions()) {
    checkers.emplace_back(region.front(), alignment);
    if (failed(checkers.back().read()))
      return failure();
  }
  return success();
}

LogicalResult BlockChecker::readLoop() {
  if (PlaceAttr step = placeOfStep(loop))
    lasting.push_back({loop.getStepNumber(), step});
  else if (!readersOf(loop.getStepNumber()).empty() ||
           llvm::any_of(loop.getBody().front().getOps<DefineSizeOp>(), [&](DefineSizeOp define) {
             return rootOf(define.getSize()) == loop.getStepNumber();
           }))
    return loop->emitError("has no place for its step number, which is read");
  for (auto [number, state] : llvm::enumerate(loop.getStateArguments()))
    if (PlaceAttr place = placeOfState(loop, number); place.isInMemory())
      lasting.push_back({state, place});
  return success();
}

LogicalResult BlockChecker::check() {
  for (std::vector<BlockChecker> &checkers : inside)
    for (BlockChecker &checker : checkers)
      if (failed(checker.check()))
        return failure();
  if (failed(checkReturned()) || failed(checkNowhere()) || failed(checkReuses()))
    return failure();
  for (Operation *node : nodes)
    if (isJoined(node) && failed(checkJoined(cast<KernelOp>(node))))
      return failure();
  return loop ? checkStates() : success();
}

// What is returned as operand k is what was written to its place, and nothing else was written
// there.
LogicalResult BlockChecker::checkReturned() {
  Operation *exit = block.getTerminator(), *parent = block.getParentOp();
  auto function = dyn_cast<func::FuncOp>(parent);
  const char *kind = function ? "function result " : "yielded value ";
  // The place of what is returned as an operand, whichever value is written there.
  auto placeOfReturned = [&](unsigned index, PlaceAttr written) {
    std::optional<int64_t> variable =
        function ? Signature(function).updatedVariable(index) : std::nullopt;
    if (variable && written.isInVariable())
      return PlaceAttr::of(parent->getContext(), PlaceKind::Variable, *variable);
    return PlaceAttr::of(parent->getContext(), PlaceKind::Returned, index);
  };
  llvm::SmallDenseMap<PlaceAttr, unsigned> writers;
  llvm::SmallDenseSet<PlaceAttr> returned;
  for (PlannedValue &planned : values)
    if (planned.place.isReturned() || planned.place.isInVariable())
      ++writers[planned.place.withOver(std::nullopt)];
  for (unsigned index = 0; index < exit->getNumOperands(); ++index) {
    PlannedValue *planned = findReturned(index);
    if (!planned)
      return parent->emitError(kind) << index << " aliases an argument or a constant";
    for (Value view = exit->getOperand(index); view != planned->value;
         view = view.getDefiningOp()->getOperand(0))
      if (isa<SliceOp>(view.getDefiningOp()))
        return parent->emitError(kind) << index << " is a part of another value";
    PlaceAttr expected = placeOfReturned(index, planned->place);
    if (PlaceAttr home =
            loop && index < loop.getNumStates() ? placeOfState(loop, index) : PlaceAttr();
        home && home.isInStack()) {
      unsigned stack = loop.getNumStates() + home.getNumber();
      if (findReturned(stack) != planned)
        return parent->emitError("state ") << index << " is not what is written to its stack";
      if (writers.contains(expected))
        return parent->emitError(kind) << index << " is not what its buffer holds";
      expected = placeOfReturned(stack, planned->place);
    }
    if (planned->place.withOver(std::nullopt) != expected || writers.lookup(expected) != 1)
      return parent->emitError(kind) << index << " is not what its buffer holds";
    returned.insert(expected);
  }
  for (PlannedValue &planned : values)
    if (planned.place.isInVariable() && !returned.contains(planned.place.withOver(std::nullopt)))
      return planned.value.getOwner()->emitError("writes variable ")
             << planned.place.getNumber() << ", which has no such update";
  return success();
}

LogicalResult BlockChecker::checkNowhere() {
  for (PlannedValue &planned : values) {
    if (!planned.place.isNowhere())
      continue;
    auto holder = dyn_cast<LoopOpInterface>(planned.value.getOwner());
    unsigned index = planned.value.getResultNumber();
    if (!holder || index >= holder.getNumStates() || !placeOfState(holder, index).isInStack() ||
        !readersOf(planned.value).empty())
      return planned.value.getOwner()->emitError("result ") << index << " needs a place";
  }
  return success();
}

LogicalResult BlockChecker::checkReuses() {
  for (PlannedValue &planned : values) {
    if (!planned.place.getOver())
      continue;
    Operation *node = nodes[planned.made];
    unsigned index = planned.value.getResultNumber();
    Value storage = rootOf(node->getOperand(*planned.place.getOver()));
    if (failed(checkOver(node, storage, planned.value)))
      return failure();
    if (planned.place.isInVariable())
      continue; // checkUpdates knows what it may write over
    if (!planned.place.isInMemory())
      return node->emitError("reuses an operand for a buffer outside of the arena");
    PlannedValue *operand = find(storage);
    if (!operand || operand->place.withOver(std::nullopt) != planned.place.withOver(std::nullopt))
      return node->emitError("result ")
             << index << " does not lie where the operand it reuses does";
    if (operand->lastRead != planned.made)
      return node->emitError("result ") << index << " is written over a value that is read later";
  }
  return success();
}

// What is not launched does nothing but put its operands one behind the other, and they lie so.
LogicalResult BlockChecker::checkJoined(KernelOp kernel) {
  ConcatenateOp join;
  for (Operation &op : kernel.getBody().front()) {
    if (!isa<ReshapeOp, ConcatenateOp, YieldOp>(op) || (join && isa<ConcatenateOp>(op)))
      return op.emitError("is not done by a kernel that is not launched");
    if (auto found = dyn_cast<ConcatenateOp>(op))
      join = found;
  }
  PlaceAttr whole = placeOf(kernel->getResult(0));
  if (!join || !whole.isInMemory() || kernel->getNumResults() != 1)
    return kernel.emitError("is not launched, and does not join values in memory");
  const Shape shape = getShape(join.getY());
  for (const DimExpr &size : ArrayRef(shape).take_front(join.getAxis()))
    if (size != DimExpr(1))
      return kernel.emitError("is not launched, and joins more than one row of each operand");
  std::optional<DimExpr> next = whole.getOffset();
  for (Value x : join.getXs()) {
    while (auto reshape = x.getDefiningOp<ReshapeOp>())
      x = reshape.getX();
    auto argument = dyn_cast<BlockArgument>(x);
    Value root = argument ? rootOf(kernel->getOperand(argument.getArgNumber())) : Value();
    PlannedValue *planned = root ? find(root) : nullptr;
    if (!planned || !next || byteCount(root) != byteCount(x) ||
        planned->place != PlaceAttr::inMemory(kernel.getContext(), whole.getNumber(), *next))
      return kernel.emitError(
          "is not launched, and an operand does not lie where its result has it");
    next = add(*next, *byteCount(x));
  }
  return success();
}

// A state that steps change in place is read by nobody after its next value was written.
LogicalResult BlockChecker::checkStates() {
  for (unsigned state = 0; state < loop.getNumStates(); ++state) {
    if (!placeOfState(loop, state).isInResult())
      continue;
    PlannedValue *next = findReturned(state);
    Value old = loop.getStateArguments()[state];
    for (int64_t reader : readersOf(old)) {
      if (reader > next->made)
        return nodes[reader]->emitError("reads a state after its next value was written in place");
      if (reader == next->made && failed(checkOver(nodes[reader], old, next->value)))
        return failure();
    }
  }
  return success();
}

bool BlockChecker::isRefused(const Assignment &symbols) {
  auto refused = [&](Value value) { return !bytesWith(value, symbols); };
  for (PlannedValue &planned : values)
    if (refused(planned.value))
      return true;
  if (llvm::any_of(lasting, [&](auto &entry) { return refused(entry.first); }))
    return true;
  for (std::vector<BlockChecker> &checkers : inside)
    for (BlockChecker &checker : checkers)
      if (checker.isRefused(symbols))
        return true;
  return false;
}

// Of what a kernel joins that is not launched: it begins where the one before it ends.
static bool isPart(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    return isNode(user) ? isJoined(user) : isView(user) && isPart(user->getResult(0));
  });
}

// Whether the node makes a whole, not launched, of which the root is a part.
static bool joins(Operation *node, Value root) {
  return node && isJoined(node) && llvm::any_of(node->getOperands(), [&](Value operand) {
           Value part = rootOf(operand);
           return part == root || joins(part.getDefiningOp(), root);
         });
}

LogicalResult BlockChecker::addInterval(Intervals &all, Value value, PlaceAttr place,
                                        Interval interval, const Assignment &symbols,
                                        Totals totals) {
  auto symbol = [&](int64_t id) -> std::optional<int64_t> { return symbols.lookup(id); };
  auto error = [&](const Twine &text) { return at(emitError(interval.location, text), symbols); };
  int64_t bytes = *bytesWith(value, symbols);
  std::optional<int64_t> offset = place.getOffset().evaluate(symbol);
  if (!offset || *offset < 0 || (*offset % alignment != 0 && !isPart(value)))
    return error("a result has no offset that is a multiple of " + Twine(alignment));
  interval.memory = place.getNumber();
  std::optional<int64_t> total = totals[interval.memory];
  if (total && (*offset > *total || bytes > *total - *offset))
    return error("a result leaves the arena");
  interval.begin = *offset;
  interval.end = *offset + bytes;
  all.push_back(interval);
  return success();
}

LogicalResult BlockChecker::compare(const Interval &a, const Interval &b,
                                    const Assignment &symbols) {
  // Inside of one node: compared there, or in branches of which one is taken.
  if (a.isInside && b.isInside && a.made == b.made)
    return success();
  // a is made before b, or by the same node.
  bool bothLive = b.made <= a.lastRead;
  bool share = a.memory == b.memory && a.begin < b.end && b.begin < a.end;
  if (!bothLive || !share)
    return success();
  std::optional<unsigned> over = b.planned ? b.planned->place.getOver() : std::nullopt;
  bool declared = a.planned && over && a.begin == b.begin &&
                  rootOf(nodes[b.made]->getOperand(*over)) == a.planned->value;
  // checkJoined() has seen where they lie.
  declared |= a.planned && b.planned && joins(nodes[b.made], a.planned->value);
  if (declared)
    return success();
  InFlightDiagnostic diagnostic = emitError(b.location, "overwrites a value that is still needed");
  diagnostic.attachNote(a.location) << "made here";
  return at(std::move(diagnostic), symbols);
}

LogicalResult BlockChecker::checkArena(const Assignment &symbols, Totals totals, Intervals &all) {
  for (PlannedValue &planned : values) {
    if (!planned.place.isInMemory())
      continue;
    // What is prepared is there all the time.
    bool isKept = isInPreparedMemory(planned.value);
    if (failed(addInterval(all, planned.value, planned.place,
                           {0, 0, 0, isKept ? -1 : planned.made,
                            isKept ? int64_t(nodes.size()) : planned.lastRead, &planned, false,
                            planned.value.getLoc()},
                           symbols, totals)))
      return failure();
  }
  for (auto [value, place] : lasting)
    if (failed(addInterval(all, value, place,
                           {0, 0, 0, -1, int64_t(nodes.size()), nullptr, false, loop.getLoc()},
                           symbols, totals)))
      return failure();
  for (auto [position, checkers] : llvm::enumerate(inside))
    for (BlockChecker &checker : checkers) {
      Intervals needed;
      if (failed(checker.checkArena(symbols, totals, needed)))
        return failure();
      for (Interval &interval : needed)
        all.push_back({interval.memory, interval.begin, interval.end, int64_t(position),
                       int64_t(position), nullptr, true, interval.location});
    }
  for (const Interval &a : all)
    for (const Interval &b : all)
      if (&a != &b && a.made <= b.made && failed(compare(a, b, symbols)))
        return failure();
  return success();
}

void BlockChecker::collectSizes(llvm::function_ref<void(const DimExpr &)> collect) {
  for (PlannedValue &planned : values) {
    llvm::for_each(getShape(planned.value), collect);
    if (planned.place.isInMemory())
      collect(planned.place.getOffset());
  }
  for (auto [value, place] : lasting) {
    llvm::for_each(getShape(value), collect);
    collect(place.getOffset());
  }
  for (std::vector<BlockChecker> &checkers : inside)
    for (BlockChecker &checker : checkers)
      checker.collectSizes(collect);
}

class Checker {
public:
  Checker(func::FuncOp function, int64_t alignment) : function(function), alignment(alignment) {}

  LogicalResult check() {
    if (failed(verifyMemoryPlan(function)))
      return failure();
    memories = memoriesOf(function);
    top.emplace(function.getBody().front(), alignment);
    return success(succeeded(top->read()) && succeeded(checkSizes()) && succeeded(top->check()) &&
                   succeeded(checkUpdates()) && succeeded(checkPrepared()) &&
                   succeeded(checkArena()));
  }

private:
  LogicalResult checkUpdates();
  LogicalResult checkUpdateInPlace(unsigned functionResult);
  LogicalResult checkPrepared();
  LogicalResult checkArena();
  LogicalResult checkSizes();
  LogicalResult checkSizesOf(Block &block);
  bool bound(Assignment &symbols);
  LogicalResult checkArenaFor(Assignment symbols);

  func::FuncOp function;
  const int64_t alignment;
  std::optional<BlockChecker> top;
  SmallVector<MemoryAttr> memories;
};

LogicalResult Checker::checkUpdateInPlace(unsigned functionResult) {
  Signature signature(function);
  std::optional<int64_t> number = signature.updatedVariable(functionResult);
  BlockArgument variable = function.getArgument(signature.firstVariable() + *number);
  Operation *exit = function.getBody().front().getTerminator();
  PlannedValue *planned = top->findReturned(functionResult);
  ArrayRef<Operation *> nodes = top->getNodes();
  if (mayEndCall(planned->value.getOwner()) ||
      exit->getOperand(functionResult).getType() != variable.getType())
    return nodes[planned->made]->emitError("must not update a variable in place");
  for (unsigned other = 0; other < function.getNumResults(); ++other)
    if (other != functionResult && signature.isUpdate(other) &&
        signature.updatedVariable(other) == number)
      return function.emitError("a variable updated in place has several updates");
  for (size_t later = planned->made; later < nodes.size(); ++later)
    if (mayEndCall(nodes[later]))
      return nodes[later]->emitError("can fail after a variable was written in place");
  bool readsItself = false;
  for (int64_t reader : top->readersOf(variable)) {
    if (reader > planned->made)
      return nodes[reader]->emitError("reads a variable after it was written in place");
    readsItself |= reader == planned->made;
  }
  std::optional<unsigned> over = planned->place.getOver();
  if (readsItself != over.has_value())
    return nodes[planned->made]->emitError(
        "must say which operand the update in place writes over");
  if (!readsItself)
    return success();
  if (rootOf(nodes[planned->made]->getOperand(*over)) != variable)
    return nodes[planned->made]->emitError("writes over an operand that is not its variable");
  return checkOver(nodes[planned->made], variable, planned->value);
}

LogicalResult Checker::checkUpdates() {
  for (unsigned result = 0; result < function.getNumResults(); ++result)
    if (Signature(function).isInPlace(result) && failed(checkUpdateInPlace(result)))
      return failure();
  return success();
}

// Prepared nodes come first, cannot fail, read nothing of the call, and others read of them what is
// kept.
LogicalResult Checker::checkPrepared() {
  Signature signature(function);
  llvm::DenseSet<Value> updated;
  for (unsigned result = 0; result < function.getNumResults(); ++result)
    if (std::optional<int64_t> variable = signature.updatedVariable(result))
      updated.insert(function.getArgument(signature.firstVariable() + *variable));
  bool isOver = false;
  for (Operation *node : top->getNodes()) {
    const bool prepared = isPrepared(node);
    if (prepared && (isOver || mayEndCall(node)))
      return node->emitError(isOver ? "is prepared behind what is not"
                                    : "is prepared and can fail");
    isOver |= !prepared;
    for (Value operand : node->getOperands()) {
      Value root = rootOf(operand);
      auto argument = dyn_cast<BlockArgument>(root);
      if (prepared && argument &&
          (!signature.isVariable(argument.getArgNumber()) || updated.contains(root)))
        return node->emitError("is prepared of argument ")
               << argument.getArgNumber() << ", which changes with the call";
      PlannedValue *planned = argument ? nullptr : top->find(root);
      if (!prepared && planned && isPrepared(planned->value.getOwner()) &&
          !isInPreparedMemory(planned->value))
        return node->emitError("reads what a prepared kernel made and no memory keeps");
    }
    for (OpResult result : node->getResults())
      if (prepared ? !placeOf(result).isInMemory() : isInPreparedMemory(result))
        return node->emitError("result ")
               << result.getResultNumber()
               << (prepared ? " is prepared outside of memory" : " is not prepared and kept");
  }
  return success();
}

// A computed size is read when nothing can have overwritten it, and has its value before a node
// needs it.
LogicalResult Checker::checkSizes() {
  SmallVector<DefineSizeOp> definitions = definitionsIn(function);
  llvm::SmallSetVector<Block *, 4> blocks;
  for (DefineSizeOp define : definitions)
    blocks.insert(define->getBlock());
  for (Block *block : blocks)
    if (failed(checkSizesOf(*block)))
      return failure();
  return success();
}

LogicalResult Checker::checkSizesOf(Block &block) {
  Operation *last = nullptr;
  llvm::SmallDenseSet<int64_t> waiting;
  for (DefineSizeOp define : block.getOps<DefineSizeOp>())
    waiting.insert(define.getSymbol());
  for (Operation &op : block) {
    if (isNode(&op)) {
      last = &op;
      auto loop = dyn_cast<WhileOp>(op);
      std::optional<int64_t> early;
      forEachSymbol(&op, [&](int64_t symbol) {
        if (waiting.contains(symbol) &&
            !(loop && loop.getLength() && loop.getSteps().symbolId() == symbol))
          early = symbol;
      });
      if (early)
        return op.emitError("needs d") << *early << " before it has a value";
    } else if (auto define = dyn_cast<DefineSizeOp>(op)) {
      waiting.erase(define.getSymbol());
      Operation *maker = rootOf(define.getSize()).getDefiningOp();
      if ((maker && isNode(maker) ? maker : nullptr) != last)
        return define.emitError("reads a size that may have been overwritten");
    }
  }
  return success();
}

// Makes computed sizes what they can be, beside sizes of the call. False where there are none such.
bool Checker::bound(Assignment &symbols) {
  SmallVector<DefineSizeOp> definitions = definitionsIn(function);
  auto symbol = [&](int64_t id) -> std::optional<int64_t> { return symbols.lookup(id); };
  bool changed = true;
  // Bounds may have computed sizes, too.
  for (size_t round = 0; changed && round < definitions.size(); ++round) {
    changed = false;
    for (DefineSizeOp define : definitions) {
      if (!define.getBound())
        continue;
      std::optional<int64_t> most = define.getBound()->getDims()[0].evaluate(symbol);
      if (!most || *most < 0)
        return false;
      changed |= symbols[define.getSymbol()] > *most;
      symbols[define.getSymbol()] = std::min(symbols[define.getSymbol()], *most);
    }
  }
  return true;
}

LogicalResult Checker::checkArenaFor(Assignment symbols) {
  if (!bound(symbols) || top->isRefused(symbols))
    return success();
  auto symbol = [&](int64_t id) -> std::optional<int64_t> { return symbols.lookup(id); };
  SmallVector<std::optional<int64_t>> totals;
  for (MemoryAttr memory : memories) {
    std::optional<int64_t> total = memory.getBytes().evaluate(symbol);
    totals.push_back(memory.isTape() ? std::nullopt : total);
    if (total && *total >= 0)
      continue;
    InFlightDiagnostic diagnostic = function.emitError("the size of the arena cannot be computed");
    for (auto [id, value] : symbols)
      diagnostic << (id == symbols.begin()->first ? "; with " : ", ") << "d" << id << " = "
                 << value;
    return diagnostic;
  }
  BlockChecker::Intervals all;
  return top->checkArena(symbols, totals, all);
}

LogicalResult Checker::checkArena() {
  llvm::SetVector<int64_t> symbols;
  auto collect = [&](const DimExpr &expr) {
    for (int64_t id : expr.symbols())
      symbols.insert(id);
  };
  for (MemoryAttr memory : memories)
    collect(memory.getBytes());
  top->collectSizes(collect);
  for (DefineSizeOp define : definitionsIn(function))
    if (define.getBound())
      collect(define.getBound()->getDims()[0]);
  const int64_t sizes[] = {0, 1, 2, 7, 32, 1000};
  const size_t numSizes = std::size(sizes);
  // All symbols alike, then each one step further than the one before, then scattered.
  for (size_t stride : {0, 1, 5})
    for (size_t shift = 0; shift < numSizes; ++shift) {
      Assignment assignment;
      for (auto [index, id] : llvm::enumerate(symbols))
        assignment[id] = sizes[(shift + index * stride) % numSizes];
      if (failed(checkArenaFor(assignment)))
        return failure();
    }
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    Assignment assignment;
    uint64_t state = seed * 0x9E3779B97F4A7C15u;
    for (int64_t id : symbols) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      assignment[id] = (state >> 33) % 97;
    }
    if (failed(checkArenaFor(assignment)))
      return failure();
  }
  return success();
}

struct CheckMemoryPlanPass : keratin::passes::impl::CheckMemoryPlanBase<CheckMemoryPlanPass> {
  using CheckMemoryPlanBase::CheckMemoryPlanBase;
  void runOnOperation() override {
    if (failed(Checker(getOperation(), alignment).check()))
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace
