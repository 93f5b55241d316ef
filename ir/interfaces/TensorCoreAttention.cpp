#include "ir/interfaces/TensorCoreAttention.h"

using namespace keratin::ir;
using namespace mlir;

bool keratin::ir::areOfTensorCores(ArrayRef<DotGeneralOp> products, AttentionKinds kinds) {
  Type type = getElementType(DotGeneralOp(products.front()).getB());
  const bool isHalf = type.isF16() || type.isBF16();
  if (!(has(kinds, AttentionKinds::Halves) && isHalf) &&
      !(has(kinds, AttentionKinds::Tf32) && type.isF32()))
    return false;
  return llvm::all_of(products, [&](DotGeneralOp product) {
    return getElementType(product.getA()) == type && getElementType(product.getB()) == type &&
           getElementType(product.getY()) == type;
  });
}

bool keratin::ir::areWidthsOfTensorCores(ArrayRef<DimExpr> widths, Type type, int64_t widest) {
  constexpr int64_t groupBits = 128;
  const int64_t group = groupBits / int64_t(type.getIntOrFloatBitWidth());
  return llvm::all_of(widths, [&](const DimExpr &width) {
    return width.constantValue() <= widest && width.constantValue() % group == 0;
  });
}

bool keratin::ir::areWalksShort(const DimExpr &batch, const DimExpr &rows, const DimExpr &others) {
  // Lines of a block, and of those that it walks over at a time.
  constexpr int64_t lines = 64, mostWalks = 4;
  auto count = [](const DimExpr &size, int64_t ofBlock) -> std::optional<int64_t> {
    std::optional<DimExpr> blocks = ceildiv(size, DimExpr(ofBlock));
    return blocks && blocks->isConstant() ? std::optional(blocks->constantValue()) : std::nullopt;
  };
  std::optional<int64_t> entries = count(batch, 1), blocks = count(rows, lines),
                         walk = count(others, lines);
  return !entries || !blocks || !walk || *walk / mostWalks <= *entries * *blocks;
}
