// Symbols for the value of an argument: a fed number, or a variable, that is part of a size.
//
// Symbols are never negative. One stands for the value itself, which must not be negative then, or
// two for max(x, 0) and max(-x, 0) of a value x of any sign, which is their difference.
#ifndef KERATIN_IR_DIALECT_VALUEPART_H
#define KERATIN_IR_DIALECT_VALUEPART_H

#include <array>
#include <cstdint>
#include <optional>

namespace keratin::ir {

enum class ValuePart { Whole, Positive, Negative };
inline constexpr std::array<ValuePart, 3> kValueParts = {ValuePart::Whole, ValuePart::Positive,
                                                         ValuePart::Negative};

// The part of a value; nullopt if that is negative or does not fit.
std::optional<int64_t> partOf(int64_t value, ValuePart part);

struct ArgumentSymbol {
  ValuePart part;
  int64_t id;
};

} // namespace keratin::ir

#endif // KERATIN_IR_DIALECT_VALUEPART_H
