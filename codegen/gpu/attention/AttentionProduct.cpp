#include "codegen/gpu/attention/AttentionProduct.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace keratin::codegen;
using namespace mlir;

using Values = LoopEmitter::Values;

AttentionFactors keratin::codegen::factorsOfHalves(LoopEmitter &emit, Type type, ValueRange sums) {
  constexpr size_t ofMatrices = 8;
  OpBuilder &b = emit.builder;
  StringAttr name =
      b.getStringAttr(type.isBF16() ? "llvm.nvvm.ff2bf16x2.rn" : "llvm.nvvm.ff2f16x2.rn");
  AttentionFactors all;
  for (size_t i = 0; i < sums.size(); i += 2) {
    if (i % ofMatrices == 0)
      all.emplace_back();
    Value pair = b.create<LLVM::CallIntrinsicOp>(emit.loc, VectorType::get(2, type), name,
                                                 ValueRange{sums[i + 1], sums[i]})
                     .getResult(0);
    all.back().push_back(b.create<LLVM::BitcastOp>(emit.loc, b.getI32Type(), pair));
  }
  return all;
}

AttentionWarpgroupProduct::AttentionWarpgroupProduct(LoopEmitter &emit, const ContractionTile &tile,
                                                     Value shared, Value thread, Type type, bool)
    : WarpgroupsEngine(emit, tile, emit.builder.getF32Type(), shared, thread), type(type) {}

void AttentionWarpgroupProduct::await(int64_t left) {
  WarpgroupsEngine::await(left);
  fenceMemory();
}

Values AttentionWarpgroupProduct::products(const Operand &a, Value placeOfA, const Operand &b,
                                           Value stage) {
  constexpr int64_t threads = 128, lines = 64;
  Value own = emit.mul(emit.div(thread, emit.constant(threads)), bytesOfLines(a, lines));
  AttentionFactors descriptors;
  for (int64_t depth = 0; depth < tile.depth; depth += Halves::matrixDepth)
    descriptors.push_back({descriptor(a, emit.add(placeOfA, own), 0, depth)});
  return addProducts({}, descriptors, a.isAlongLines, b, stage);
}

MovingLines::Values MovingLines::line(LoopEmitter &emit, Value number) {
  return {emit.mul(number, lines.stride), number};
}

MovingLines::Element MovingLines::element(LoopEmitter &emit, ValueRange line, ValueRange depth) {
  Value start = emit.address(base, elementType, emit.mul(first, lines.stride));
  Value pointer = emit.address(start, elementType, line[0]);
  pointer = emit.address(pointer, elementType, depth[0]);
  Value exists = depth.size() > 1 ? depth[1] : Value();
  if (!lines.isWhole) {
    Value isLine = emit.less(emit.add(first, line[1]), lines.size);
    exists = exists ? emit.logicalAnd(exists, isLine) : isLine;
  }
  return {pointer, exists};
}
