#include "ir/builder/ChosenZeros.h"

#include "ir/dialect/Keratin.h"

#include <map>

using namespace keratin::ir;
using namespace mlir;

ChosenZeros ChosenZeros::through(Operation *op) const {
  ChosenZeros result = *this;
  auto differentiable = dyn_cast<DifferentiableOpInterface>(op);
  if (isa<SliceOp>(op))
    result.bySlice = true;
  else
    result.byChoice |=
        op->getNumRegions() != 0 || (differentiable && differentiable.choosesElements());
  return result;
}

// The only axis along which the slice is a part of its operand; nullopt if there is no such axis.
static std::optional<size_t> slicedAxis(SliceOp slice, const Shape &whole) {
  Shape starts = slice.getStarts().getDims(), sizes = getShape(slice.getY());
  std::optional<size_t> axis;
  for (size_t i = 0; i < whole.size(); ++i) {
    if (slice.getStrides()[i] != 1)
      return std::nullopt;
    if (starts[i] == DimExpr(0) && sizes[i] == whole[i])
      continue;
    if (axis)
      return std::nullopt;
    axis = i;
  }
  return axis;
}

ChosenZeros ChosenZeros::settle(Value value, llvm::function_ref<bool(Value)> isReached) const {
  if (!bySlice)
    return *this;
  ChosenZeros result = *this;
  result.bySlice = false;
  // For each axis that is cut, where the part that begins at a place ends.
  Shape whole = getShape(value);
  std::map<size_t, std::map<DimExpr, DimExpr>> ends;
  for (Operation *user : value.getUsers()) {
    auto slice = dyn_cast<SliceOp>(user);
    if (!slice || !isReached(slice.getY()))
      continue;
    std::optional<size_t> axis = slicedAxis(slice, whole);
    if (!axis)
      continue;
    DimExpr start = slice.getStarts().getDims()[*axis];
    if (std::optional<DimExpr> end = add(start, getShape(slice.getY())[*axis]))
      ends[*axis].try_emplace(start, *end);
  }
  for (const auto &[axis, parts] : ends) {
    DimExpr end(0);
    for (size_t passed = 0; passed < parts.size() && end != whole[axis]; ++passed) {
      auto next = parts.find(end);
      if (next == parts.end())
        break;
      end = next->second;
    }
    if (end == whole[axis])
      return result;
  }
  result.byChoice = true;
  return result;
}
