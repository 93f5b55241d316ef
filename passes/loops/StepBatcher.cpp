#include "passes/loops/StepBatcher.h"

#include "ir/interfaces/OpProperties.h"
#include "passes/loops/ScanEditor.h"
#include "passes/loops/StepMoves.h"

#include "ir/interfaces/ConvolutionShape.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {

bool canBatch(Operation *op, const DimExpr &steps, llvm::function_ref<bool(Value)> varies) {
  if (op->getNumResults() != 1 || op->getNumRegions() != 0 || !isMemoryEffectFree(op))
    return false;
  if (!llvm::any_of(op->getOperands(), varies))
    return true;
  if (!stackType(getTensorType(op->getResult(0)), steps))
    return false;
  if (auto gather = dyn_cast<GatherOp>(op))
    return !varies(gather.getX());
  return isBatchable(op);
}

//===-- Ops that treat each dimension by itself -----------------------------------------------===//

Value StepBatcher::repeated(SteppedValue value, GraphMath &g) const {
  if (value.varies)
    return value.value;
  RankedTensorType type = *stackType(getTensorType(value.value), steps);
  return g.broadcast(value.value, getShape(type),
                     llvm::to_vector(llvm::seq<int64_t>(1, type.getRank())));
}

// The op once more, on these operands.
SteppedValues StepBatcher::again(Operation *op, ValueRange operands, bool isVarying) {
  IRMapping mapping;
  mapping.map(op->getOperands(), operands);
  Operation *clone = builder.clone(*op, mapping);
  SteppedValues made;
  for (Value result : clone->getResults()) {
    if (isVarying)
      result.setType(*stackType(getTensorType(result), steps));
    made.push_back({result, isVarying});
  }
  return made;
}

static SteppedValues listOf(SteppedValue value) { return {value}; }
static SteppedValues listOf(SteppedValues values) { return values; }

SteppedValues StepBatcher::make(Operation *op) {
  GraphMath g(builder, op->getLoc());
  bool isVarying = llvm::any_of(op->getOperands(), [&](Value x) { return varies(x); }) ||
                   op->getNumRegions() != 0;
  SmallVector<Value> operands;
  if (!isVarying && !isa<DimOp>(op)) {
    for (Value operand : op->getOperands())
      operands.push_back(lookup(operand).value);
    return again(op, operands, /*isVarying=*/false);
  }
#define KERATIN_BATCHED(Op)                                                                        \
  if (auto own = dyn_cast<Op>(op))                                                                 \
    return listOf(makeOwn(own, g));
#include "ir/interfaces/OpBatching.inc"
  for (Value operand : op->getOperands())
    operands.push_back(forAllSteps(operand, g));
  SteppedValues made = again(op, operands, /*isVarying=*/true);
  prependDimension(made.front().value.getDefiningOp());
  return made;
}

void StepBatcher::batch(Operation *op) {
  for (auto [result, made] : llvm::zip(op->getResults(), make(op)))
    known[result] = made;
}

SteppedValue StepBatcher::makeOwn(DimOp op, GraphMath &) {
  auto [x, varies] = lookup(op.getX());
  return {builder.createOrFold<DimOp>(op.getLoc(), op.getType(), x, op.getAxis() + varies)};
}

//===-- Contractions --------------------------------------------------------------------------===//

static SmallVector<int64_t> shiftedIf(bool shift, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> result(dims);
  for (int64_t &dim : result)
    dim += shift;
  return result;
}

Value moveToFront(GraphMath &g, Value x, int64_t place) {
  SmallVector<int64_t> permutation{place};
  for (int64_t i = 0, rank = getTensorType(x).getRank(); i < rank; ++i)
    if (i != place)
      permutation.push_back(i);
  return place == 0 ? x : g.transpose(x, permutation);
}

Value moveFirst(GraphMath &g, Value x, int64_t place) {
  SmallVector<int64_t> permutation;
  for (int64_t i = 1, rank = getTensorType(x).getRank(); i < rank; ++i)
    permutation.push_back(i);
  permutation.insert(permutation.begin() + place, 0);
  return place == 0 ? x : g.transpose(x, permutation);
}

SteppedValue StepBatcher::makeOwn(DotGeneralOp op, GraphMath &g) {
  auto [a, aVaries] = lookup(op.getA());
  auto [b, bVaries] = lookup(op.getB());
  SmallVector<int64_t> aBatch = shiftedIf(aVaries, op.getABatch()),
                       bBatch = shiftedIf(bVaries, op.getBBatch()),
                       aContract = shiftedIf(aVaries, op.getAContract()),
                       bContract = shiftedIf(bVaries, op.getBContract());
  int64_t place = aBatch.size(); // of the steps in the result: free in a, or in b
  if (aVaries && bVaries) {
    aBatch.insert(aBatch.begin(), 0);
    bBatch.insert(bBatch.begin(), 0);
    place = 0;
  } else if (bVaries) {
    place = getTensorType(a).getRank() - aContract.size();
  }
  Value y = g.dotGeneral(a, b, aBatch, bBatch, aContract, bContract);
  return {moveToFront(g, y, place), /*varies=*/true};
}

// What is repeated, with the steps and the dimension at `place` of one element as one dimension.
static Value foldSteps(GraphMath &g, Value x, int64_t place) {
  Value moved = moveFirst(g, x, place);
  Shape folded = getShape(moved);
  folded[place] = *mul(folded[place], folded[place + 1]); // countable, as all elements are
  folded.erase(folded.begin() + place + 1);
  return g.reshape(moved, folded);
}

namespace {

// The convolution of all steps in which the steps are a part of the dimension with one letter, or
// are that dimension where there is none yet.
struct FoldedConvolution {
  GraphMath::ConvolutionWindows windows;
  Value x, filter;
};

} // namespace

static FoldedConvolution foldConvolution(ConvolutionOp op, GraphMath &g, char letter,
                                         const ConvolutionDims::Places &places, SteppedValue x,
                                         SteppedValue filter, bool inResult) {
  FoldedConvolution folded;
  GraphMath::ConvolutionWindows &windows = folded.windows;
  windows.dims = op.getDims().str();
  bool isNew = places.x < 0 && places.filter < 0;
  folded.x = x.varies && !isNew ? foldSteps(g, x.value, places.x) : x.value;
  folded.filter =
      filter.varies && !isNew ? foldSteps(g, filter.value, places.filter) : filter.value;
  if (isNew) {
    if (inResult)
      windows.dims.insert(windows.dims.find('>') + 1, 1, letter);
    if (filter.varies)
      windows.dims.insert(windows.dims.find(',') + 1, 1, letter);
    if (x.varies)
      windows.dims.insert(0, 1, letter);
  }
  windows.strides.assign(op.getStrides().begin(), op.getStrides().end());
  windows.low = op.getLow().getDims();
  windows.xDilation.assign(op.getXDilation().begin(), op.getXDilation().end());
  windows.dilation.assign(op.getDilation().begin(), op.getDilation().end());
  windows.reversed.assign(op.getReversed().begin(), op.getReversed().end());
  return folded;
}

SteppedValue StepBatcher::makeOwn(ConvolutionOp op, GraphMath &g) {
  SteppedValue x = lookup(op.getX()), filter = lookup(op.getFilter());
  ConvolutionDims dims = getConvolutionShape(op).dims;
  char letter = !filter.varies ? 'b' : !x.varies ? 'f' : 'g';
  ConvolutionDims::Places places = letter == 'b'   ? dims.batch
                                   : letter == 'f' ? dims.filters
                                                   : dims.groups;
  FoldedConvolution folded = foldConvolution(op, g, letter, places, x, filter, true);
  Shape each = getShape(op.getResult()), shape = each;
  if (places.y < 0) {
    shape.insert(shape.begin(), steps);
    return {g.convolution(folded.x, folded.filter, folded.windows, shape), /*varies=*/true};
  }
  shape[places.y] = *mul(steps, each[places.y]);
  Value y = g.convolution(folded.x, folded.filter, folded.windows, shape);
  each.insert(each.begin() + places.y, steps);
  return {moveToFront(g, g.reshape(y, each), places.y), /*varies=*/true};
}

Value StepBatcher::sumOfContractions(Operation *op) {
  GraphMath g(builder, op->getLoc());
  if (auto dot = dyn_cast<DotGeneralOp>(op)) {
    SmallVector<int64_t> aContract = shiftedIf(true, dot.getAContract()),
                         bContract = shiftedIf(true, dot.getBContract());
    aContract.insert(aContract.begin(), 0);
    bContract.insert(bContract.begin(), 0);
    return g.dotGeneral(lookup(dot.getA()).value, lookup(dot.getB()).value,
                        shiftedIf(true, dot.getABatch()), shiftedIf(true, dot.getBBatch()),
                        aContract, bContract);
  }
  auto convolution = cast<ConvolutionOp>(op);
  FoldedConvolution folded =
      foldConvolution(convolution, g, 'c', getConvolutionShape(convolution).dims.contracted,
                      lookup(convolution.getX()), lookup(convolution.getFilter()), false);
  return g.convolution(folded.x, folded.filter, folded.windows, getShape(convolution.getResult()));
}

} // namespace keratin::passes
