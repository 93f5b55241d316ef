#include "ir/interfaces/LineSort.h"

using namespace keratin::ir;
using namespace mlir;

// Shorter lines fit a few registers and their heap the first lines of the cache.
static constexpr int64_t kLeastLength = 64;
// A sort moves each element a number of times; a heap all that come into it, log2(k) times each.
static constexpr int64_t kLeastShare = 32;
// Elements whose records are a thread's: with 64 bits 256 KiB.
static constexpr int64_t kMostOfThread = 8192;

std::optional<LineSort> LineSort::of(TopKOp op) {
  DimExpr length = getShape(op.getX()).back(), k = getShape(op.getY()).back();
  bool isKnown = length.isConstant();
  if (isKnown && length.constantValue() < kLeastLength)
    return std::nullopt;
  bool isMost =
      isKnown && k.isConstant() && k.constantValue() >= length.constantValue() / kLeastShare;
  if (k != length && !isMost)
    return std::nullopt;
  Type type = getElementType(op.getX());
  // Code generation holds shorter floats as float32.
  unsigned bits = type.getIntOrFloatBitWidth();
  if (isa<FloatType>(type))
    bits = std::max(bits, 32u);
  bool isPacked = bits <= 32 && isKnown && length.constantValue() <= UINT32_MAX;
  std::optional<DimExpr> words = mul(length, DimExpr(isPacked ? 1 : 2));
  if (!words)
    return std::nullopt;
  bool isShort = isKnown && length.constantValue() <= kMostOfThread;
  return LineSort{bits == 1 ? 8 : bits, isPacked, *words, isShort};
}
