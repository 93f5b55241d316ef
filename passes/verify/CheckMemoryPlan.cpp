// Shares nothing with the planner but the names of attributes: what both had wrong would go unseen.
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

// A result of a kernel, as the plan describes it.
struct PlannedValue {
  OpResult value;
  int64_t code = 0;
  int64_t reuses = -1;
  int64_t made = 0;     // position of its kernel
  int64_t lastRead = 0; // position of the last kernel that reads it, itself or through views
};

using Assignment = llvm::DenseMap<int64_t, int64_t>;

class Checker {
public:
  explicit Checker(func::FuncOp function) : function(function) {}

  LogicalResult check() {
    return success(succeeded(readPlan()) && succeeded(checkFunctionResults()) &&
                   succeeded(checkReuses()) && succeeded(checkUpdates()) &&
                   succeeded(checkArena()));
  }

private:
  LogicalResult readPlan();
  LogicalResult checkFunctionResults();
  LogicalResult checkReuses();
  LogicalResult checkElementwise(KernelOp kernel, Value storage, OpResult written);
  LogicalResult checkUpdates();
  LogicalResult checkUpdateInPlace(unsigned functionResult);
  LogicalResult checkArena();
  LogicalResult checkArenaFor(const Assignment &symbols);

  static Value storageOf(Value value) {
    while (auto reshape = value.getDefiningOp<ReshapeOp>())
      value = reshape->getOperand(0);
    return value;
  }
  // Positions of all kernels that read a storage.
  SmallVector<int64_t> readersOf(Value storage) {
    SmallVector<int64_t> readers;
    for (size_t i = 0; i < kernels.size(); ++i)
      if (llvm::any_of(kernels[i]->getOperands(),
                       [&](Value operand) { return storageOf(operand) == storage; }))
        readers.push_back(i);
    return readers;
  }
  PlannedValue *find(Value value) {
    for (PlannedValue &planned : values)
      if (planned.value == value)
        return &planned;
    return nullptr;
  }
  bool isUpdate(unsigned functionResult) {
    auto kind = function.getResultAttrOfType<StringAttr>(functionResult, kKindAttr);
    return kind && kind.getValue() == "update";
  }

  func::FuncOp function;
  SmallVector<KernelOp> kernels;
  std::vector<PlannedValue> values;
  std::vector<DimExpr> offsets;
  DimExpr arenaBytes;
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
  arenaBytes = bytesAttr.getDims().front();
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (isUpdate(i))
      updates.push_back(i);
  if (updates.size() != size_t(inPlaceAttr.size()))
    return function.emitError("has ")
           << updates.size() << " updates, but the plan knows " << inPlaceAttr.size();
  for (int64_t flag : inPlaceAttr.asArrayRef())
    inPlace.push_back(flag != 0);

  for (auto kernel : function.getBody().front().getOps<KernelOp>()) {
    int64_t position = kernels.size();
    kernels.push_back(kernel);
    auto codes = kernel->getAttrOfType<DenseI64ArrayAttr>(kResultsAttr);
    auto reuses = kernel->getAttrOfType<DenseI64ArrayAttr>(kReusesAttr);
    if (!codes || !reuses || codes.size() != kernel->getNumResults() ||
        reuses.size() != kernel->getNumResults())
      return kernel.emitError("has no place for each result");
    for (OpResult result : kernel->getResults()) {
      unsigned index = result.getResultNumber();
      int64_t code = codes[index], reused = reuses[index];
      if (code >= int64_t(offsets.size()) || code < -int64_t(function.getNumResults()))
        return kernel.emitError("result ") << index << " has the unknown place " << code;
      if (reused < -1 || reused >= int64_t(kernel->getNumOperands()))
        return kernel.emitError("result ") << index << " reuses the unknown operand " << reused;
      values.push_back({result, code, reused, position, position});
    }
  }
  for (PlannedValue &planned : values)
    for (int64_t reader : readersOf(planned.value))
      planned.lastRead = std::max(planned.lastRead, reader);
  return success();
}

// Function result k is what was written to its buffer, and nothing else was written there.
LogicalResult Checker::checkFunctionResults() {
  SmallVector<unsigned> writers(function.getNumResults(), 0);
  for (PlannedValue &planned : values)
    if (planned.code < 0)
      ++writers[-1 - planned.code];
  Operation *exit = function.getBody().front().getTerminator();
  for (auto [index, value] : llvm::enumerate(exit->getOperands())) {
    PlannedValue *planned = find(storageOf(value));
    if (!planned)
      return function.emitError("function result ")
             << index << " aliases an argument or a constant";
    if (planned->code != -1 - int64_t(index) || writers[index] != 1)
      return function.emitError("function result ") << index << " is not what its buffer holds";
  }
  return success();
}

// Follows elements through the body: each value is at every index a function of the stored element
// at the same index ("same"), or independent of the storage.
LogicalResult Checker::checkElementwise(KernelOp kernel, Value storage, OpResult written) {
  auto sizesOf = [](Value value) { return getShape(value); };
  auto width = [](Value value) { return dtypeBytes(dtypeOf(getElementType(value))); };
  llvm::SmallDenseSet<Value> same;
  for (BlockArgument argument : kernel.getBody().front().getArguments()) {
    Value operand = kernel->getOperand(argument.getArgNumber());
    if (storageOf(operand) != storage)
      continue;
    if (sizesOf(argument) != sizesOf(written) || width(argument) != width(written))
      return kernel.emitError("writes result ")
             << written.getResultNumber() << " over an operand of another shape";
    same.insert(argument);
  }
  WalkResult walk = kernel.getBody().walk([&](Operation *op) {
    if (isa<ReductionOpInterface, DotGeneralOp, CumsumOp, CumprodOp, LinearRecurrenceOp, ArgMaxOp,
            ArgMinOp, ScatterAddOp, PrintOp>(op)) {
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

LogicalResult Checker::checkReuses() {
  for (PlannedValue &planned : values) {
    if (planned.reuses < 0)
      continue;
    KernelOp kernel = kernels[planned.made];
    Value storage = storageOf(kernel->getOperand(planned.reuses));
    if (failed(checkElementwise(kernel, storage, planned.value)))
      return failure();
    if (planned.code < 0)
      continue; // an update; checkUpdates knows what it may write over
    PlannedValue *operand = find(storage);
    if (!operand || operand->code != planned.code)
      return kernel.emitError("result ")
             << planned.value.getResultNumber() << " does not lie where the operand it reuses does";
    if (operand->lastRead != planned.made)
      return kernel.emitError("result ")
             << planned.value.getResultNumber() << " is written over a value that is read later";
  }
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
  PlannedValue *planned = find(storageOf(exit->getOperand(functionResult)));
  if (planned->value.getOwner()->hasAttr(kFallibleAttr) ||
      exit->getOperand(functionResult).getType() != variable.getType())
    return kernels[planned->made].emitError("must not update a variable in place");
  for (unsigned other : updates)
    if (other != functionResult &&
        function.getResultAttrOfType<IntegerAttr>(other, kVariableAttr) == number)
      return function.emitError("a variable updated in place has several updates");
  for (size_t later = planned->made; later < kernels.size(); ++later)
    if (kernels[later]->hasAttr(kFallibleAttr))
      return kernels[later].emitError("can fail after a variable was written in place");
  bool readsItself = false;
  for (int64_t reader : readersOf(variable)) {
    if (reader > planned->made)
      return kernels[reader].emitError("reads a variable after it was written in place");
    readsItself |= reader == planned->made;
  }
  if (readsItself != (planned->reuses >= 0))
    return kernels[planned->made].emitError(
        "must say which operand the update in place writes over");
  if (!readsItself)
    return success();
  if (storageOf(kernels[planned->made]->getOperand(planned->reuses)) != variable)
    return kernels[planned->made].emitError("writes over an operand that is not its variable");
  return checkElementwise(kernels[planned->made], variable, planned->value);
}

LogicalResult Checker::checkUpdates() {
  for (auto [index, functionResult] : llvm::enumerate(updates))
    if (inPlace[index] && failed(checkUpdateInPlace(functionResult)))
      return failure();
  for (PlannedValue &planned : values) {
    if (planned.code >= 0 || planned.reuses < 0)
      continue;
    auto update = llvm::find(updates, unsigned(-1 - planned.code));
    if (update == updates.end() || !inPlace[update - updates.begin()])
      return kernels[planned.made].emitError("reuses an operand for a buffer outside of the arena");
  }
  return success();
}

LogicalResult Checker::checkArenaFor(const Assignment &symbols) {
  auto symbol = [&](int64_t id) -> std::optional<int64_t> { return symbols.lookup(id); };
  struct Interval {
    PlannedValue *planned;
    int64_t begin, end;
  };
  std::vector<Interval> intervals;
  for (PlannedValue &planned : values) {
    int64_t bytes = dtypeBytes(dtypeOf(getElementType(planned.value)));
    for (const DimExpr &dim : getShape(planned.value)) {
      std::optional<int64_t> size = dim.evaluate(symbol);
      // A call with such sizes is refused before it needs memory.
      if (!size || *size < 0 || __builtin_mul_overflow(bytes, *size, &bytes))
        return success();
    }
    if (planned.code >= 0)
      intervals.push_back({&planned, 0, bytes});
  }
  auto at = [&](InFlightDiagnostic diagnostic) {
    for (auto [id, value] : symbols)
      diagnostic << (id == symbols.begin()->first ? "; with " : ", ") << "d" << id << " = "
                 << value;
    return diagnostic;
  };
  std::optional<int64_t> total = arenaBytes.evaluate(symbol);
  if (!total || *total < 0)
    return at(function.emitError("the size of the arena cannot be computed"));
  for (Interval &interval : intervals) {
    KernelOp kernel = kernels[interval.planned->made];
    std::optional<int64_t> offset = offsets[interval.planned->code].evaluate(symbol);
    if (!offset || *offset < 0 || *offset % KERATIN_ALIGNMENT != 0)
      return at(kernel.emitError("a result has no offset that is a multiple of 64"));
    if (*offset > *total || interval.end > *total - *offset)
      return at(kernel.emitError("a result leaves the arena"));
    interval.begin = *offset;
    interval.end += *offset;
  }
  for (const Interval &a : intervals)
    for (const Interval &b : intervals) {
      if (a.planned->made > b.planned->made || a.planned == b.planned)
        continue;
      // a is made before b, or by the same kernel.
      bool bothLive = b.planned->made <= a.planned->lastRead;
      bool share = a.begin < b.end && b.begin < a.end;
      if (!bothLive || !share)
        continue;
      KernelOp kernel = kernels[b.planned->made];
      bool declared = b.planned->reuses >= 0 && a.begin == b.begin &&
                      storageOf(kernel->getOperand(b.planned->reuses)) == a.planned->value;
      if (declared)
        continue;
      InFlightDiagnostic diagnostic = kernel.emitError("overwrites a value that is still needed");
      diagnostic.attachNote(a.planned->value.getLoc()) << "made here";
      return at(std::move(diagnostic));
    }
  return success();
}

LogicalResult Checker::checkArena() {
  llvm::SetVector<int64_t> symbols;
  auto collect = [&](const DimExpr &expr) {
    for (int64_t id : expr.symbols())
      symbols.insert(id);
  };
  collect(arenaBytes);
  llvm::for_each(offsets, collect);
  for (PlannedValue &planned : values)
    llvm::for_each(getShape(planned.value), collect);
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
