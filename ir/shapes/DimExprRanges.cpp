// What is known of the values of expressions for symbols >= 0.
#include "ir/shapes/DimExprDetail.h"

#include <algorithm>

namespace keratin::ir::detail {

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

// A bound that does not fit is loosened, never tightened.
static int64_t lowBound(__int128 value) {
  return value < kMin ? kMin : value > kMax - 1 ? kMax - 1 : static_cast<int64_t>(value);
}
static int64_t highBound(__int128 value) {
  return value > kMax ? kMax : value < kMin + 1 ? kMin + 1 : static_cast<int64_t>(value);
}

DimRange exactly(int64_t value) { return {lowBound(value), highBound(value)}; }

DimRange rangeOf(const DimExpr &expr) {
  const DimPolynomial *polynomial = DimExprAccess::polynomial(expr);
  return polynomial ? polynomial->range : exactly(expr.constantValue());
}

DimRange addRanges(DimRange a, DimRange b) {
  DimRange sum;
  if (a.low != DimRange::kNoLow && b.low != DimRange::kNoLow)
    sum.low = lowBound(static_cast<__int128>(a.low) + b.low);
  if (a.high != DimRange::kNoHigh && b.high != DimRange::kNoHigh)
    sum.high = highBound(static_cast<__int128>(a.high) + b.high);
  return sum;
}

static __int128 multiplyBounds(int64_t a, int64_t b) {
  constexpr __int128 infinity = static_cast<__int128>(1) << 100;
  if (a == 0 || b == 0)
    return 0;
  auto unbounded = [](int64_t x) { return x == DimRange::kNoLow || x == DimRange::kNoHigh; };
  if (unbounded(a) || unbounded(b))
    return (a < 0) == (b < 0) ? infinity : -infinity;
  return static_cast<__int128>(a) * b;
}

DimRange multiplyRanges(DimRange a, DimRange b) {
  auto [low, high] = std::minmax({multiplyBounds(a.low, b.low), multiplyBounds(a.low, b.high),
                                  multiplyBounds(a.high, b.low), multiplyBounds(a.high, b.high)});
  return {lowBound(low), highBound(high)};
}

// Of a division by a divisor that is not negative; a divisor of 0 gives no value, so 1 is the
// least.
static DimRange divideRanges(DimRange a, DimRange b, bool up) {
  if (b.low < 0)
    return {};
  int64_t least = std::max<int64_t>(b.low, 1);
  // Divides a bound by the most: what an unbounded divisor leaves is the rounding.
  auto byMost = [&](int64_t x) -> int64_t {
    if (b.high != DimRange::kNoHigh && b.high >= least)
      return *(up ? ceilDivide(x, b.high) : floorDivide(x, b.high));
    return up ? (x > 0 ? 1 : 0) : (x < 0 ? -1 : 0);
  };
  auto byLeast = [&](int64_t x) { return *(up ? ceilDivide(x, least) : floorDivide(x, least)); };
  DimRange result;
  if (a.low != DimRange::kNoLow)
    result.low = lowBound(a.low >= 0 ? byMost(a.low) : byLeast(a.low));
  if (a.high != DimRange::kNoHigh)
    result.high = highBound(a.high >= 0 ? byLeast(a.high) : byMost(a.high));
  return result;
}

DimRange rangeOfFunction(DimAtomKind kind, const std::vector<DimExpr> &arguments) {
  DimRange a = rangeOf(arguments[0]);
  DimRange b = rangeOf(arguments[1]);
  switch (kind) {
  case DimAtomKind::Symbol:
    break;
  case DimAtomKind::FloorDiv:
  case DimAtomKind::CeilDiv:
    return divideRanges(a, b, kind == DimAtomKind::CeilDiv);
  case DimAtomKind::Mod: {
    if (b.low < 0)
      return {};
    int64_t high = b.high == DimRange::kNoHigh ? b.high : std::max<int64_t>(b.high - 1, 0);
    return {0, a.low >= 0 ? std::min(a.high, high) : high};
  }
  case DimAtomKind::Max:
  case DimAtomKind::Min:
  case DimAtomKind::Broadcast:
    for (const DimExpr &argument : arguments) {
      DimRange other = rangeOf(argument);
      a.low = kind == DimAtomKind::Max ? std::max(a.low, other.low) : std::min(a.low, other.low);
      a.high =
          kind == DimAtomKind::Min ? std::min(a.high, other.high) : std::max(a.high, other.high);
    }
    return a;
  }
  return {};
}

bool knownAtLeast(const std::optional<DimExpr> &expr, int64_t bound) {
  return expr && expr->lowerBound().value_or(kMin) >= bound;
}

} // namespace keratin::ir::detail
