#include "passes/simplify/Matchers.h"
#include "ir/interfaces/OpProperties.h"

#include <cmath>

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {

Attribute getSplat(Value value) {
  // A bounded walk: canonical IR has one broadcast, or one and a reshape.
  for (int steps = 0; steps < 4; ++steps) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return {};
    if (auto constant = dyn_cast<ConstantOp>(op)) {
      auto elements = dyn_cast<SplatElementsAttr>(constant.getValue());
      return elements ? elements.getSplatValue<Attribute>() : Attribute();
    }
    if (!isa<BroadcastOp, ReshapeOp, TransposeOp>(op))
      return {};
    value = op->getOperand(0);
  }
  return {};
}

std::optional<double> getSplatNumber(Value value) {
  Attribute splat = getSplat(value);
  if (auto floating = dyn_cast_or_null<FloatAttr>(splat)) {
    APFloat number = floating.getValue();
    bool lossy;
    number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lossy);
    return number.convertToDouble();
  }
  auto integer = dyn_cast_or_null<IntegerAttr>(splat);
  if (!integer)
    return std::nullopt;
  APInt bits = integer.getValue();
  auto type = cast<IntegerType>(integer.getType());
  bool isUnsigned = type.isUnsigned() || type.getWidth() == 1;
  if ((isUnsigned ? bits.getActiveBits() : bits.getSignificantBits()) > 53)
    return std::nullopt;
  return isUnsigned ? double(bits.getZExtValue()) : double(bits.getSExtValue());
}

bool isSplat(Value value, double number) {
  std::optional<double> splat = getSplatNumber(value);
  return splat && *splat == number &&
         (!isFloat(value) || std::signbit(*splat) == std::signbit(number));
}

bool isFloat(Value value) { return isa<FloatType>(getElementType(value)); }
bool isBool(Value value) { return getElementType(value).isInteger(1); }

bool isNonNegative(Value value) {
  for (int steps = 0; steps < 8; ++steps) {
    if (std::optional<double> number = getSplatNumber(value))
      return !std::signbit(*number);
    Operation *op = value.getDefiningOp();
    if (!op)
      return false;
    if (isNeverNegative(op))
      return true;
    if (auto mul = dyn_cast<MulOp>(op))
      return mul.getA() == mul.getB();
    // max(x, c) with c > 0; with c = 0 it may be -0.
    if (auto maximum = dyn_cast<MaximumOp>(op)) {
      std::optional<double> bound = getSplatNumber(maximum.getB());
      return bound && *bound > 0;
    }
    // A sum of such values and such a constant, moves and sums of such values.
    if (auto add = dyn_cast<AddOp>(op)) {
      std::optional<double> addend = getSplatNumber(add.getB());
      if (!addend || std::signbit(*addend))
        return false;
    } else if (!isa<ReduceSumOp, ReduceMaxOp, SqrtOp, BroadcastOp, ReshapeOp, TransposeOp, SliceOp>(
                   op)) {
      return false;
    }
    value = op->getOperand(0);
  }
  return false;
}

SmallVector<int64_t> complement(ArrayRef<int64_t> axes, int64_t rank) {
  SmallVector<int64_t> kept;
  for (int64_t i = 0; i < rank; ++i)
    if (!llvm::is_contained(axes, i))
      kept.push_back(i);
  return kept;
}

bool keepsFreeOrder(ArrayRef<int64_t> permutation, ArrayRef<int64_t> batch,
                    ArrayRef<int64_t> contract) {
  SmallVector<int64_t> used(batch), order;
  used.append(contract.begin(), contract.end());
  for (int64_t dim : complement(used, permutation.size()))
    order.push_back(permutation[dim]);
  return llvm::is_sorted(order);
}

} // namespace keratin::passes
