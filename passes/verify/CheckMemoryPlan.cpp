// Shares nothing with the planner but the names of attributes: what both had wrong would go unseen.
#include "ir/interfaces/ComputedSizes.h"
#include "passes/Passes.h"
#include "passes/memory/MemoryPlan.h"

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
  int64_t code = 0;
  int64_t reuses = -1;
  int64_t made = 0;     // position of its node
  int64_t lastRead = 0; // position of the last node that reads it, itself or through views
};

using Assignment = llvm::DenseMap<int64_t, int64_t>;

bool isKernelOrHolder(Operation *op) { return isa<KernelOp, LoopOpInterface, IfOp>(op); }

Value storageOf(Value value) {
  while (isa_and_nonnull<ReshapeOp, SliceOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

// Through a kernel inside, or because a size that it computes is wrong.
bool canFail(Operation *node) {
  for (Operation *op = node->getNextNode(); op && !isKernelOrHolder(op); op = op->getNextNode())
    if (isa<DefineSizeOp>(op))
      return true;
  return node
      ->walk([](Operation *op) {
        bool fails = isa<DefineSizeOp>(op) || (isa<KernelOp>(op) && op->hasAttr(kFallibleAttr));
        return fails ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

// Of the function and of what is inside its nodes.
SmallVector<DefineSizeOp> definitionsIn(func::FuncOp function) {
  SmallVector<DefineSizeOp> definitions;
  function.walk([&](DefineSizeOp define) { definitions.push_back(define); });
  return definitions;
}

int64_t homeOfState(LoopOpInterface loop, unsigned state) {
  auto homes = loop->getAttrOfType<DenseI64ArrayAttr>(kStatesAttr);
  return homes && state < homes.size() ? homes[state] : kNowhere;
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
    if (storageOf(operand) != storage)
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
    // A contraction is not among them: it hands each element on once, when it is finished.
    if (isa<ReductionOpInterface, CumsumOp, CumprodOp, LinearRecurrenceOp, ArgMaxOp, ArgMinOp,
            ScatterAddOp, SparseDotOp, PrintOp>(op)) {
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
  for (Value other : kernel->getResults())
    if (sizesOf(other) != sizesOf(written))
      return kernel.emitError("writes over an operand in one of several loops");
  return success();
}

// A loop may write a state over its first value, if steps change it in place and read that value in
// no other way.
LogicalResult checkLoopOver(LoopOpInterface loop, Value storage, OpResult written) {
  unsigned state = written.getResultNumber();
  if (state >= loop.getNumStates() || homeOfState(loop, state) != kInPlace)
    return loop->emitError("writes result ")
           << state << " over an operand, but its steps do not change it in place";
  for (auto [index, operand] : llvm::enumerate(loop->getOperands()))
    if ((index == state) != (storageOf(operand) == storage))
      return loop->emitError("writes result ")
             << state << " over a value that is not, or not only, its first one";
  return success();
}

LogicalResult checkOver(Operation *node, Value storage, OpResult written) {
  if (auto kernel = dyn_cast<KernelOp>(node))
    return checkElementwise(kernel, storage, written);
  if (auto loop = dyn_cast<LoopOpInterface>(node))
    return checkLoopOver(loop, storage, written);
  return node->emitError("is a branch and writes over an operand");
}

// The plan of one block and of what is inside its nodes.
class BlockChecker {
public:
  // For each offset the memory it is a place in.
  BlockChecker(Block &block, ArrayRef<DimExpr> offsets, ArrayRef<int64_t> memories)
      : block(block), offsets(offsets), memories(memories),
        loop(dyn_cast<LoopOpInterface>(block.getParentOp())) {}

  LogicalResult read();
  LogicalResult check();

  // What the block needs of the arena for these symbols, from when to when.
  struct Interval {
    int64_t memory;
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
    return find(storageOf(block.getTerminator()->getOperand(index)));
  }
  std::vector<PlannedValue> &getValues() { return values; }
  // Positions of all nodes that read a storage.
  SmallVector<int64_t> readersOf(Value storage) {
    SmallVector<int64_t> readers;
    for (size_t i = 0; i < nodes.size(); ++i)
      if (llvm::any_of(nodes[i]->getOperands(),
                       [&](Value operand) { return storageOf(operand) == storage; }))
        readers.push_back(i);
    return readers;
  }

private:
  LogicalResult readNode(Operation *node, int64_t position);
  LogicalResult readLoop();
  LogicalResult checkReturned();
  LogicalResult checkNowhere();
  LogicalResult checkReuses();
  LogicalResult checkStates();
  LogicalResult addInterval(Intervals &all, Value value, int64_t offset, Interval interval,
                            const Assignment &symbols, Totals totals);
  LogicalResult compare(const Interval &a, const Interval &b, const Assignment &symbols);
  InFlightDiagnostic at(InFlightDiagnostic diagnostic, const Assignment &symbols) {
    for (auto [id, value] : symbols)
      diagnostic << (id == symbols.begin()->first ? "; with " : ", ") << "d" << id << " = "
                 << value;
    return diagnostic;
  }

  Block &block;
  ArrayRef<DimExpr> offsets;
  ArrayRef<int64_t> memories;
  LoopOpInterface loop; // whose body the block is
  SmallVector<Operation *> nodes;
  std::vector<PlannedValue> values;
  // Of the loop: what lies at which offset from step to step.
  SmallVector<std::pair<Value, int64_t>> lasting;
  std::vector<std::vector<BlockChecker>> inside; // of each node
};

LogicalResult BlockChecker::read() {
  for (Operation &op : block)
    if (isKernelOrHolder(&op) && failed(readNode(&op, nodes.size())))
      return failure();
  for (PlannedValue &planned : values)
    for (int64_t reader : readersOf(planned.value))
      planned.lastRead = std::max(planned.lastRead, reader);
  return loop ? readLoop() : success();
}

LogicalResult BlockChecker::readNode(Operation *node, int64_t position) {
  nodes.push_back(node);
  auto codes = node->getAttrOfType<DenseI64ArrayAttr>(kResultsAttr);
  auto reuses = node->getAttrOfType<DenseI64ArrayAttr>(kReusesAttr);
  if (!codes || !reuses || codes.size() != node->getNumResults() ||
      reuses.size() != node->getNumResults())
    return node->emitError("has no place for each result");
  int64_t returned = block.getTerminator()->getNumOperands();
  for (OpResult result : node->getResults()) {
    unsigned index = result.getResultNumber();
    int64_t code = codes[index], reused = reuses[index];
    if (code != kNowhere && (code >= int64_t(offsets.size()) || code < -returned))
      return node->emitError("result ") << index << " has the unknown place " << code;
    if (reused < -1 || reused >= int64_t(node->getNumOperands()))
      return node->emitError("result ") << index << " reuses the unknown operand " << reused;
    values.push_back({result, code, reused, position, position});
  }
  std::vector<BlockChecker> &checkers = inside.emplace_back();
  if (!isa<KernelOp>(node))
    for (Region &region : node->getRegions()) {
      checkers.emplace_back(region.front(), offsets, memories);
      if (failed(checkers.back().read()))
        return failure();
    }
  return success();
}

LogicalResult BlockChecker::readLoop() {
  auto homes = loop->getAttrOfType<DenseI64ArrayAttr>(kStatesAttr);
  auto step = loop->getAttrOfType<IntegerAttr>(kStepAttr);
  if (!homes || homes.size() != loop.getNumStates() || !step)
    return loop->emitError("has no place for its states");
  if (step.getInt() < -1 || step.getInt() >= int64_t(offsets.size()))
    return loop->emitError("has its step number at the unknown place ") << step.getInt();
  if (step.getInt() >= 0)
    lasting.push_back({loop.getStepNumber(), step.getInt()});
  else if (!readersOf(loop.getStepNumber()).empty() ||
           llvm::any_of(loop.getBody().front().getOps<DefineSizeOp>(), [&](DefineSizeOp define) {
             return storageOf(define.getSize()) == loop.getStepNumber();
           }))
    return loop->emitError("has no place for its step number, which is read");
  int64_t stacks = loop.getStacks().size();
  for (auto [state, home] : llvm::enumerate(homes.asArrayRef())) {
    if (home >= int64_t(offsets.size()) || home <= kInStack - stacks)
      return loop->emitError("state ") << state << " has the unknown place " << home;
    if (home >= 0)
      lasting.push_back({loop.getStateArguments()[state], home});
  }
  return success();
}

LogicalResult BlockChecker::check() {
  for (std::vector<BlockChecker> &checkers : inside)
    for (BlockChecker &checker : checkers)
      if (failed(checker.check()))
        return failure();
  if (failed(checkReturned()) || failed(checkNowhere()) || failed(checkReuses()))
    return failure();
  return loop ? checkStates() : success();
}

// What is returned as operand k is what was written to its place, and nothing else was written
// there.
LogicalResult BlockChecker::checkReturned() {
  Operation *exit = block.getTerminator(), *parent = block.getParentOp();
  const char *kind = isa<func::FuncOp>(parent) ? "function result " : "yielded value ";
  SmallVector<unsigned> writers(exit->getNumOperands(), 0);
  for (PlannedValue &planned : values)
    if (planned.code < 0 && planned.code != kNowhere)
      ++writers[-1 - planned.code];
  for (unsigned index = 0; index < exit->getNumOperands(); ++index) {
    PlannedValue *planned = findReturned(index);
    if (!planned)
      return parent->emitError(kind) << index << " aliases an argument or a constant";
    int64_t place = index;
    unsigned expected = 1;
    if (loop && index < loop.getNumStates())
      if (int64_t home = homeOfState(loop, index); home <= kInStack) {
        place = int64_t(loop.getNumStates()) + kInStack - home;
        if (findReturned(place) != planned)
          return parent->emitError("state ") << index << " is not what is written to its stack";
        expected = 0;
      }
    if (planned->code != -1 - place || writers[index] != expected)
      return parent->emitError(kind) << index << " is not what its buffer holds";
  }
  return success();
}

LogicalResult BlockChecker::checkNowhere() {
  for (PlannedValue &planned : values) {
    if (planned.code != kNowhere)
      continue;
    auto holder = dyn_cast<LoopOpInterface>(planned.value.getOwner());
    unsigned index = planned.value.getResultNumber();
    if (!holder || index >= holder.getNumStates() || homeOfState(holder, index) > kInStack ||
        !readersOf(planned.value).empty())
      return planned.value.getOwner()->emitError("result ") << index << " needs a place";
  }
  return success();
}

LogicalResult BlockChecker::checkReuses() {
  for (PlannedValue &planned : values) {
    if (planned.reuses < 0)
      continue;
    Operation *node = nodes[planned.made];
    unsigned index = planned.value.getResultNumber();
    Value storage = storageOf(node->getOperand(planned.reuses));
    if (failed(checkOver(node, storage, planned.value)))
      return failure();
    if (planned.code < 0) {
      if (isa<func::FuncOp>(block.getParentOp()))
        continue; // an update; checkUpdates knows what it may write over
      return node->emitError("reuses an operand for a buffer outside of the arena");
    }
    PlannedValue *operand = find(storage);
    if (!operand || operand->code != planned.code)
      return node->emitError("result ")
             << index << " does not lie where the operand it reuses does";
    if (operand->lastRead != planned.made)
      return node->emitError("result ") << index << " is written over a value that is read later";
  }
  return success();
}

// A state that steps change in place is read by nobody after its next value was written.
LogicalResult BlockChecker::checkStates() {
  for (unsigned state = 0; state < loop.getNumStates(); ++state) {
    if (homeOfState(loop, state) != kInPlace)
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

LogicalResult BlockChecker::addInterval(Intervals &all, Value value, int64_t place,
                                        Interval interval, const Assignment &symbols,
                                        Totals totals) {
  auto symbol = [&](int64_t id) -> std::optional<int64_t> { return symbols.lookup(id); };
  auto error = [&](const Twine &text) { return at(emitError(interval.location, text), symbols); };
  int64_t bytes = *bytesWith(value, symbols);
  std::optional<int64_t> offset = offsets[place].evaluate(symbol);
  if (!offset || *offset < 0 || *offset % KERATIN_ALIGNMENT != 0)
    return error("a result has no offset that is a multiple of 64");
  interval.memory = memories[place];
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
  bool declared = a.planned && b.planned && b.planned->reuses >= 0 && a.begin == b.begin &&
                  storageOf(nodes[b.made]->getOperand(b.planned->reuses)) == a.planned->value;
  if (declared)
    return success();
  InFlightDiagnostic diagnostic = emitError(b.location, "overwrites a value that is still needed");
  diagnostic.attachNote(a.location) << "made here";
  return at(std::move(diagnostic), symbols);
}

LogicalResult BlockChecker::checkArena(const Assignment &symbols, Totals totals, Intervals &all) {
  for (PlannedValue &planned : values)
    if (planned.code >= 0 && failed(addInterval(all, planned.value, planned.code,
                                                {0, 0, 0, planned.made, planned.lastRead, &planned,
                                                 false, planned.value.getLoc()},
                                                symbols, totals)))
      return failure();
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
  for (PlannedValue &planned : values)
    llvm::for_each(getShape(planned.value), collect);
  for (auto [value, place] : lasting)
    llvm::for_each(getShape(value), collect);
  for (std::vector<BlockChecker> &checkers : inside)
    for (BlockChecker &checker : checkers)
      checker.collectSizes(collect);
}

class Checker {
public:
  explicit Checker(func::FuncOp function) : function(function) {}

  LogicalResult check() {
    if (failed(readPlan()))
      return failure();
    top.emplace(function.getBody().front(), offsets, offsetMemories);
    return success(succeeded(top->read()) && succeeded(checkSizes()) && succeeded(top->check()) &&
                   succeeded(checkUpdates()) && succeeded(checkArena()));
  }

private:
  LogicalResult readPlan();
  LogicalResult checkUpdates();
  LogicalResult checkUpdateInPlace(unsigned functionResult);
  LogicalResult checkArena();
  LogicalResult checkSizes();
  LogicalResult checkSizesOf(Block &block);
  bool bound(Assignment &symbols);
  LogicalResult checkArenaFor(Assignment symbols);

  bool isUpdate(unsigned functionResult) {
    auto kind = function.getResultAttrOfType<StringAttr>(functionResult, kKindAttr);
    return kind && kind.getValue() == "update";
  }

  func::FuncOp function;
  std::optional<BlockChecker> top;
  LogicalResult readMemories();

  std::vector<DimExpr> offsets;
  // Bytes of the arena and of the other memories, and which of these are tapes.
  std::vector<DimExpr> memoryBytes;
  SmallVector<bool> isTape;
  SmallVector<int64_t> offsetMemories;
  SmallVector<unsigned> updates; // function results
  SmallVector<bool> inPlace;     // of each update
};

LogicalResult Checker::readPlan() {
  auto offsetsAttr = function->getAttrOfType<DimsAttr>(kOffsetsAttr);
  auto bytesAttr = function->getAttrOfType<DimsAttr>(kArenaBytesAttr);
  auto inPlaceAttr = function->getAttrOfType<DenseI64ArrayAttr>(kInPlaceAttr);
  if (!offsetsAttr || !bytesAttr || !inPlaceAttr || bytesAttr.getDims().size() != 1)
    return function.emitError("has no memory plan");
  offsets = offsetsAttr.getDims();
  memoryBytes = bytesAttr.getDims();
  isTape.push_back(false);
  if (failed(readMemories()))
    return failure();
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (isUpdate(i))
      updates.push_back(i);
  if (updates.size() != size_t(inPlaceAttr.size()))
    return function.emitError("has ")
           << updates.size() << " updates, but the plan knows " << inPlaceAttr.size();
  for (int64_t flag : inPlaceAttr.asArrayRef())
    inPlace.push_back(flag != 0);
  return success();
}

LogicalResult Checker::readMemories() {
  offsetMemories.assign(offsets.size(), 0);
  auto bytes = function->getAttrOfType<DimsAttr>(kMemoriesAttr);
  auto sizes = function->getAttrOfType<DenseI64ArrayAttr>(kMemorySizesAttr);
  auto memories = function->getAttrOfType<DenseI64ArrayAttr>(kOffsetMemoriesAttr);
  if (!bytes && !sizes && !memories)
    return success();
  int64_t definitions = definitionsIn(function).size();
  bool fits = bytes && sizes && memories && bytes.getDims().size() == size_t(sizes.size()) &&
              size_t(memories.size()) == offsets.size();
  for (int64_t i = 0; fits && i < sizes.size(); ++i) {
    fits = sizes[i] < definitions && -1 - sizes[i] < definitions;
    isTape.push_back(sizes[i] < 0);
  }
  for (size_t i = 0; fits && i < offsets.size(); ++i)
    fits = memories[i] >= 0 && memories[i] <= sizes.size();
  if (!fits)
    return function.emitError("has a plan of memories that do not fit each other");
  llvm::append_range(memoryBytes, bytes.getDims());
  offsetMemories.assign(memories.asArrayRef().begin(), memories.asArrayRef().end());
  return success();
}

LogicalResult Checker::checkUpdateInPlace(unsigned functionResult) {
  auto number = function.getResultAttrOfType<IntegerAttr>(functionResult, kVariableAttr);
  BlockArgument variable;
  int64_t seen = 0;
  for (BlockArgument argument : function.getArguments()) {
    auto kind = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), kKindAttr);
    if (kind && kind.getValue() == "variable" && seen++ == number.getInt())
      variable = argument;
  }
  Operation *exit = function.getBody().front().getTerminator();
  PlannedValue *planned = top->findReturned(functionResult);
  ArrayRef<Operation *> nodes = top->getNodes();
  if (canFail(planned->value.getOwner()) ||
      exit->getOperand(functionResult).getType() != variable.getType())
    return nodes[planned->made]->emitError("must not update a variable in place");
  for (unsigned other : updates)
    if (other != functionResult &&
        function.getResultAttrOfType<IntegerAttr>(other, kVariableAttr) == number)
      return function.emitError("a variable updated in place has several updates");
  for (size_t later = planned->made; later < nodes.size(); ++later)
    if (canFail(nodes[later]))
      return nodes[later]->emitError("can fail after a variable was written in place");
  bool readsItself = false;
  for (int64_t reader : top->readersOf(variable)) {
    if (reader > planned->made)
      return nodes[reader]->emitError("reads a variable after it was written in place");
    readsItself |= reader == planned->made;
  }
  if (readsItself != (planned->reuses >= 0))
    return nodes[planned->made]->emitError(
        "must say which operand the update in place writes over");
  if (!readsItself)
    return success();
  if (storageOf(nodes[planned->made]->getOperand(planned->reuses)) != variable)
    return nodes[planned->made]->emitError("writes over an operand that is not its variable");
  return checkOver(nodes[planned->made], variable, planned->value);
}

LogicalResult Checker::checkUpdates() {
  for (auto [index, functionResult] : llvm::enumerate(updates))
    if (inPlace[index] && failed(checkUpdateInPlace(functionResult)))
      return failure();
  for (PlannedValue &planned : top->getValues()) {
    if (planned.code >= 0 || planned.reuses < 0)
      continue;
    auto update = llvm::find(updates, unsigned(-1 - planned.code));
    if (update == updates.end() || !inPlace[update - updates.begin()])
      return top->getNodes()[planned.made]->emitError(
          "reuses an operand for a buffer outside of the arena");
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
    if (isKernelOrHolder(&op)) {
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
      Operation *maker = storageOf(define.getSize()).getDefiningOp();
      if ((maker && isKernelOrHolder(maker) ? maker : nullptr) != last)
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
  for (auto [bytes, tape] : llvm::zip(memoryBytes, isTape)) {
    std::optional<int64_t> total = bytes.evaluate(symbol);
    totals.push_back(tape ? std::nullopt : total);
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
  llvm::for_each(memoryBytes, collect);
  llvm::for_each(offsets, collect);
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
  void runOnOperation() override {
    if (failed(Checker(getOperation()).check()))
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace
