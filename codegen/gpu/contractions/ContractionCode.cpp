#include "codegen/gpu/contractions/ContractionCode.h"

#include "codegen/elements/SpecSizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;

static bool divides(int64_t divisor, std::optional<int64_t> size) {
  return size && *size % divisor == 0;
}

ContractionCode::ContractionCode(DeviceKernelBuilder &k, const ContractionNest &nest,
                                 ArrayRef<Value> others)
    : emit(k.b, k.loc, k.target),
      spec(nest.describe(k.b, k.loc, [&](const DimExpr &size) { return k.sizeOf(size); })),
      sumType(sumTypeOf(spec.accumulatorType)), m(numberOf(emit, spec.m)),
      n(numberOf(emit, spec.n)), depth(numberOf(emit, spec.k)), k(k), alignment(k),
      epilogue(k, k.target, nest, others), isAligned(alignment.holds()) {
  // Of attention's second product only B is in memory.
  auto memoryOf = [&](Value operand) {
    auto argument = dyn_cast<BlockArgument>(operand);
    return argument ? k.inputs[argument.getArgNumber()] : Value();
  };
  memoryOfA = memoryOf(nest.a());
  memoryOfB = memoryOf(nest.b());
}

StridedSource ContractionCode::operand(bool isA, const Part &part, int64_t group) {
  const ContractionOperand &operand = isA ? spec.a : spec.b;
  const ContractionSize &size = isA ? spec.m : spec.n;
  StridedSource::Direction lines, depths;
  lines.size = isA ? m : n;
  lines.constantSize = size.constant;
  lines.isWhole = divides(part.lines, size.constant);
  lines.first = part.firstLine;
  depths.size = depth;
  depths.constantSize = spec.k.constant;
  depths.isWhole = divides(part.depths, spec.k.constant);
  StridedSource::Direction &rows = isA ? lines : depths, &columns = isA ? depths : lines;
  rows.stride = emit.fromIndex(operand.rowStride);
  rows.constantStride = operand.constantRowStride;
  columns.stride = emit.fromIndex(operand.colStride);
  columns.constantStride = operand.constantColStride;
  Value batchStride = emit.fromIndex(operand.batchStride), aligned = isAligned;
  // A matrix of the batch begins on a group if all do.
  if (spec.batch.constant != 1)
    aligned = emit.logicalAnd(
        aligned, emit.equal(emit.rem(batchStride, emit.constant(group)), emit.constant(0)));
  Value matrix = emit.address(isA ? memoryOfA : memoryOfB, operand.elementType,
                              emit.mul(part.batch, batchStride));
  return StridedSource(emit, matrix, operand.elementType, lines, depths, group, aligned);
}

Value ContractionCode::mayGroupColumns(int64_t group) {
  if (spec.n.constant)
    return divides(group, spec.n.constant) ? isAligned : Value();
  return emit.logicalAnd(isAligned,
                         emit.equal(emit.rem(n, emit.constant(group)), emit.constant(0)));
}

void ContractionCode::store(Value batch, Value row, Value column, Value sums) {
  Type type = spec.accumulatorType;
  if (auto vector = dyn_cast<VectorType>(sums.getType())) {
    type = vector.clone(type);
    // What LLVM needs to know to access a group at once.
    alignment.assume();
    if (!spec.n.constant) {
      Value left = emit.rem(n, emit.constant(vector.getNumElements()));
      k.b.create<LLVM::AssumeOp>(k.loc, emit.equal(left, emit.constant(0)));
    }
  }
  if (type != sums.getType())
    sums = k.b.create<arith::TruncIOp>(k.loc, type, sums);
  epilogue.emit(k.b, k.loc, emit.toIndex(batch), emit.toIndex(row), emit.toIndex(column), sums,
                Value());
}
