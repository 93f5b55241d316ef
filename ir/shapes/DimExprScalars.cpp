// Division of 64-bit numbers as expressions have it.
#include "ir/shapes/DimExprDetail.h"

namespace keratin::ir::detail {

static constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();

std::optional<int64_t> floorDivide(int64_t a, int64_t b) {
  if (b == 0 || (a == kLeast && b == -1))
    return std::nullopt;
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

std::optional<int64_t> ceilDivide(int64_t a, int64_t b) {
  if (b == 0 || (a == kLeast && b == -1))
    return std::nullopt;
  return a / b + (a % b != 0 && (a < 0) == (b < 0));
}

std::optional<int64_t> floorRemainder(int64_t a, int64_t b) {
  if (b == 0)
    return std::nullopt;
  if (b == -1) // the least number would trap
    return 0;
  int64_t remainder = a % b;
  return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

} // namespace keratin::ir::detail
