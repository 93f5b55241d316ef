#include "codegen/gpu/reductions/RankedElements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <limits>

using namespace keratin::codegen;
using namespace mlir;

static constexpr unsigned half = 32, whole = 64;

unsigned RankedElements::wordsOf(const TopKNest &nest) {
  bool isNarrow = nest.lines.length.isConstant() &&
                  nest.lines.length.constantValue() <= std::numeric_limits<int32_t>::max() &&
                  nest.lines.type.getElementTypeBitWidth() <= half;
  return isNarrow ? 1 : 2;
}

Value RankedElements::i(int64_t value, unsigned width) {
  return b.create<arith::ConstantIntOp>(loc, value, width);
}

// As an unsigned integer of 32 or 64 bits.
Value RankedElements::ordered(Value element) {
  unsigned width = element.getType().getIntOrFloatBitWidth() <= half ? half : whole;
  Type integer = b.getIntegerType(width);
  Value sign =
      i(width == half ? std::numeric_limits<int32_t>::min() : std::numeric_limits<int64_t>::min(),
        width);
  if (!isa<FloatType>(type)) {
    bool isUnsigned = type.isUnsignedInteger() || type.isInteger(1);
    if (element.getType() != integer)
      element = isUnsigned ? b.create<arith::ExtUIOp>(loc, integer, element).getResult()
                           : b.create<arith::ExtSIOp>(loc, integer, element).getResult();
    return isUnsigned ? element : b.create<arith::XOrIOp>(loc, element, sign).getResult();
  }
  // -0 is equal to 0, which the sum is of either.
  Value sum = b.create<arith::AddFOp>(loc, element, e.zero(element.getType()));
  Value bits = b.create<arith::BitcastOp>(loc, integer, sum);
  // Of numbers below 0 the larger bits are those of the smaller.
  Value isNegative = b.create<arith::ShRSIOp>(loc, bits, i(width - 1, width));
  bits = b.create<arith::XOrIOp>(loc, bits, b.create<arith::OrIOp>(loc, isNegative, sign));
  Value isNan = b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::UNO, element, element);
  return b.create<arith::SelectOp>(loc, isNan, i(-1, width), bits);
}

RankedElements::Entry RankedElements::of(Value element, Value place) {
  Type word = b.getI64Type();
  Value order = ordered(element);
  if (words == 2) {
    if (order.getType() != word)
      order = b.create<arith::ExtUIOp>(loc, word, order);
    return {order, b.create<arith::XOrIOp>(loc, place, i(-1, whole))};
  }
  Value narrow = b.create<arith::TruncIOp>(loc, b.getI32Type(), place);
  Value complement = b.create<arith::ExtUIOp>(
      loc, word, b.create<arith::XOrIOp>(loc, narrow, i(-1, half)).getResult());
  Value upper =
      b.create<arith::ShLIOp>(loc, b.create<arith::ExtUIOp>(loc, word, order), i(half, whole));
  return {b.create<arith::OrIOp>(loc, upper, complement)};
}

// Complements of places are more than 0.
RankedElements::Entry RankedElements::nothing() { return Entry(words, i(0, whole)); }

Value RankedElements::placeOf(const Entry &entry) {
  Value complement = b.create<arith::XOrIOp>(loc, entry.back(), i(-1, whole));
  if (words == 2)
    return complement;
  return b.create<arith::AndIOp>(loc, complement, i(std::numeric_limits<uint32_t>::max(), whole));
}

Value RankedElements::precedes(const Entry &x, const Entry &y) {
  auto compare = [&](arith::CmpIPredicate predicate, unsigned word) -> Value {
    return b.create<arith::CmpIOp>(loc, predicate, x[word], y[word]);
  };
  Value upper = compare(arith::CmpIPredicate::ugt, 0);
  if (words == 1)
    return upper;
  return b.create<arith::SelectOp>(loc, compare(arith::CmpIPredicate::eq, 0),
                                   compare(arith::CmpIPredicate::ugt, 1), upper);
}

RankedElements::Entry RankedElements::select(Value condition, const Entry &x, const Entry &y) {
  Entry chosen;
  for (unsigned word = 0; word < words; ++word)
    chosen.push_back(b.create<arith::SelectOp>(loc, condition, x[word], y[word]));
  return chosen;
}
