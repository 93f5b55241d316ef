#include "codegen/gpu/contractions/ContractionMatrices.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace keratin::codegen;
using namespace mlir;

HalvesEngine::Values HalvesEngine::multiplyMatrices(ArrayRef<Value> a, ArrayRef<Value> b,
                                                    ValueRange sums) {
  bool isBrain = elementType.isBF16();
  Values operands;
  for (ArrayRef<Value> words : {a, b})
    for (Value word : words)
      operands.push_back(isBrain
                             ? word
                             : emit.builder.create<LLVM::BitcastOp>(
                                   emit.loc, VectorType::get(2, emit.builder.getF16Type()), word));
  operands.append(sums.begin(), sums.end());
  return fourOf(isBrain ? "llvm.nvvm.mma.m16n8k16.row.col.bf16"
                        : "llvm.nvvm.mma.m16n8k16.row.col.f32.f32",
                sumType, operands);
}
