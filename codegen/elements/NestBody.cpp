#include "codegen/elements/NestBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::getTensorType;
using keratin::ir::ReductionOpInterface;

SmallVector<LaneIndex> NestBody::squeezedIndex(bool rowOnly) {
  SmallVector<LaneIndex> result;
  for (auto [group, index] : llvm::zip(nest.space.groups, current)) {
    if (rowOnly && group.reduced)
      continue;
    // The position inside a group stands at its last dimension; rows before it are counted by the
    // carry alone.
    for (unsigned dim = group.first; dim < group.last; ++dim)
      result.push_back(emitter.scalarIndex(emitter.i64(0)));
    result.push_back(index);
  }
  return result;
}

SmallVector<LaneIndex> NestBody::indexFor(Value value, bool isRow) {
  return emitter.unsqueeze(getTensorType(value), squeezedIndex(isRow));
}

void NestBody::setOuterIndex(Value number) {
  for (size_t i = nest.outerKept.size(); i-- > 0;) {
    unsigned group = nest.outerKept[i];
    if (i == 0) {
      index(group) = emitter.scalarIndex(number);
      break;
    }
    Value extent = emitter.extent(nest.space.groups[group].extent);
    index(group) = emitter.scalarIndex(k.b.create<arith::RemUIOp>(k.loc, number, extent));
    number = k.b.create<arith::DivUIOp>(k.loc, number, extent);
  }
}

Value NestBody::operand(ReductionOpInterface op, bool isVector) {
  Value operand = op->getOperand(0);
  Value element = emitter.emit(operand, indexFor(operand, false));
  if (isVector)
    element = emitter.splat(element);
  // The largest of some elements hides the others.
  if (cast<ir::DifferentiableOpInterface>(op.getOperation()).choosesElements())
    emitter.watch(operand, element);
  return element;
}

// The product of floats that alone a sum wants: it is added as it is, not rounded before.
static ir::MulOp productOf(ReductionOpInterface op) {
  auto product = op->getOperand(0).getDefiningOp<ir::MulOp>();
  bool isSummed = isa<ir::ReduceSumOp>(op) && product && product->hasOneUse() &&
                  isa<FloatType>(getElementTypeOrSelf(product.getY()));
  return isSummed ? product : ir::MulOp();
}

Value NestBody::combined(ReductionOpInterface op, Value accumulator) {
  if (ir::MulOp product = productOf(op)) {
    SmallVector<LaneIndex> index = indexFor(product.getY(), false);
    Value a = emitter.emit(product.getA(), index), b = emitter.emit(product.getB(), index);
    emitter.setElementType(ir::getElementType(product.getY()));
    return emitter.multiplyAdd(a, b, accumulator);
  }
  return op.buildCombine(emitter, accumulator, operand(op, isa<VectorType>(accumulator.getType())));
}

void NestBody::accumulate(ReductionOpInterface op, Value &accumulator) {
  Value next = combined(op, accumulator);
  if (emitter.mask() && nest.space.isInnermostReduced())
    next = k.b.create<arith::SelectOp>(k.loc, emitter.mask(), next, accumulator);
  accumulator = next;
}

void NestBody::emit(unsigned stage, MutableArrayRef<Value> accumulators) {
  for (auto [op, accumulator] : llvm::zip(nest.reductions(stage), accumulators))
    accumulate(op, accumulator);
  storeElements(stage);
}

void NestBody::storeElements(unsigned stage) {
  // All loads before the first store: an output may lie where an operand does that another output
  // needs (`over` of #keratin.place).
  SmallVector<LoopNest::Output> outputs = nest.fullOutputs(stage);
  SmallVector<Value> elements;
  for (const LoopNest::Output &output : outputs)
    elements.push_back(emitter.emit(output.value, indexFor(output.value, false)));
  for (auto [output, element] : llvm::zip(outputs, elements))
    emitter.watch(output.value, element);
  for (auto [output, element] : llvm::zip(outputs, elements))
    store(output, element, indexFor(output.value, false));
}

void NestBody::storeInPlaceOf(unsigned output, Value value) {
  const SmallVector<LaneIndex> index = indexFor(value, false);
  emitter.store(emitter.emit(value, index), k.outputs[output], getTensorType(value), index);
}

Value NestBody::elementInPlaceOf(unsigned output) {
  const Value result = k.body().getTerminator()->getOperand(output);
  return emitter.load(k.outputs[output], getTensorType(result), indexFor(result, false));
}

void NestBody::prefetch(bool isOutput, unsigned number, Value distance) {
  const Value tensor =
      isOutput ? k.body().getTerminator()->getOperand(number) : Value(k.body().getArgument(number));
  emitter.prefetch(isOutput ? k.outputs[number] : k.inputs[number], getTensorType(tensor),
                   indexFor(tensor, false), distance, /*willStore=*/isOutput);
}

void NestBody::prefetchInputs() {
  for (auto [i, input] : llvm::enumerate(k.body().getArguments()))
    if (ir::squeezed(ir::getShape(input)) == nest.space.shape)
      prefetch(/*isOutput=*/false, unsigned(i), emitter.i64(0));
}

void NestBody::storeRows(unsigned stage) {
  for (const LoopNest::Output &output : nest.rowOutputs(stage)) {
    SmallVector<LaneIndex> index = indexFor(output.value, true);
    Value registers = emitter.emit(output.value, index);
    emitter.watch(output.value, registers);
    store(output, registers, index);
  }
}

void NestBody::storeColumns(const LoopNest::Column &column, Value registers, Value position) {
  const Value result = column.op->getResult(0);
  SmallVector<LaneIndex> index(ir::squeezed(ir::getShape(result)).size(),
                               emitter.scalarIndex(emitter.i64(0)));
  index.back() = emitter.laneIndex(position);
  emitter.watch(result, registers);
  store({column.output, result}, registers, emitter.unsqueeze(getTensorType(result), index));
}

void NestBody::store(const LoopNest::Output &output, Value element, ArrayRef<LaneIndex> index) {
  emitter.store(element, k.outputs[output.number], getTensorType(output.value), index);
}
