#include "codegen/gpu/contractions/ContractionNumbers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace keratin::codegen;
using namespace mlir;

ContractionTile::Units keratin::codegen::unitsFor(Type elementType,
                                                  Float32Products float32Products) {
  if (elementType.isF16() || elementType.isBF16())
    return ContractionTile::Units::Halves;
  if (elementType.isF32() && float32Products == Float32Products::Tf32)
    return ContractionTile::Units::TensorFloats;
  return elementType.isF64() ? ContractionTile::Units::Doubles : ContractionTile::Units::Threads;
}

Type keratin::codegen::sumTypeOf(Type elementType) {
  MLIRContext *context = elementType.getContext();
  unsigned bits = elementType.getIntOrFloatBitWidth();
  if (isa<FloatType>(elementType))
    return bits < 32 ? Type(Float32Type::get(context)) : elementType;
  return IntegerType::get(context, bits <= 32 ? 32 : 64);
}

Type keratin::codegen::storageOf(Type elementType) {
  const unsigned bits = elementType.getIntOrFloatBitWidth();
  return bits < 32 ? Type(IntegerType::get(elementType.getContext(), bits)) : elementType;
}

Value keratin::codegen::widenToSum(LoopEmitter &emit, Value stored, Type elementType,
                                   Type sumType) {
  return elementType == sumType ? stored : emit.widen(stored, elementType, sumType);
}

Value keratin::codegen::addProduct(LoopEmitter &emit, Value a, Value b, Value sum) {
  if (isa<FloatType>(sum.getType()))
    return emit.builder.create<LLVM::FMAOp>(emit.loc, sum.getType(), a, b, sum);
  return emit.add(emit.mul(a, b), sum);
}

Value keratin::codegen::addSums(LoopEmitter &emit, Value x, Value y) {
  if (isa<FloatType>(getElementTypeOrSelf(x)))
    return emit.builder.create<arith::AddFOp>(emit.loc, x, y);
  return emit.add(x, y);
}
