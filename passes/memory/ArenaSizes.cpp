#include "passes/memory/ArenaSizes.h"

using namespace keratin::ir;

namespace keratin::passes {

std::optional<DimExpr> roundUp(const DimExpr &bytes, int64_t alignment) {
  std::optional<DimExpr> units = ceildiv(bytes, alignment);
  return units ? mul(*units, alignment) : std::nullopt;
}

std::optional<int64_t> roundUp(int64_t bytes, int64_t alignment) {
  int64_t padded;
  if (__builtin_add_overflow(bytes, alignment - 1, &padded))
    return std::nullopt;
  return padded / alignment * alignment;
}

std::optional<Samples> sample(const DimExpr &expr) {
  Samples samples;
  for (size_t i = 0; i < samples.size(); ++i) {
    std::optional<int64_t> value =
        expr.evaluate([&](int64_t) { return std::optional<int64_t>(kSampleSizes[i]); });
    if (!value)
      return std::nullopt;
    samples[i] = *value;
  }
  return samples;
}

bool isNeverAbove(const DimExpr &low, const DimExpr &high) {
  std::optional<DimExpr> gap = sub(high, low);
  return gap && gap->lowerBound().value_or(-1) >= 0;
}

} // namespace keratin::passes
