#include "ir/dialect/ValuePart.h"

#include <algorithm>
#include <limits>

using namespace keratin;

std::optional<int64_t> ir::partOf(int64_t value, ValuePart part) {
  if (part == ValuePart::Positive)
    return std::max<int64_t>(value, 0);
  if (part == ValuePart::Negative && value != std::numeric_limits<int64_t>::min())
    return std::max<int64_t>(-value, 0);
  return part == ValuePart::Whole && value >= 0 ? std::optional(value) : std::nullopt;
}
