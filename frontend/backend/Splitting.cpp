// K::split.
#include "frontend/graph/Call.h"
#include "keratin/shapes.h"

using namespace keratin;
using namespace keratin::frontend;

// As many ops as a graph may have.
static constexpr int64_t mostParts = 1'000'000;

// The sizes of equal parts.
static std::vector<DimExpr> equalParts(Call &call, const DimExpr &whole, int64_t count) {
  if (count < 1 || count > mostParts)
    call.valueError("the number of parts is " + std::to_string(count) + "; needed 1 to " +
                    std::to_string(mostParts));
  const std::string what =
      "the axis cannot be split into " + std::to_string(count) + " equal parts";
  if (whole.isConstant() && whole.constantValue() % count != 0)
    call.valueError(what + "; found size " + whole.str());
  DimExpr part = call.check(ir::floordiv(whole, DimExpr(count)));
  call.requireEqual(call.check(ir::mul(part, DimExpr(count))), whole, what);
  return std::vector<DimExpr>(size_t(count), part);
}

// The sizes as they are given; at most one is what the others leave.
static std::vector<DimExpr> givenParts(Call &call, const DimExpr &whole,
                                       const std::vector<Size> &sizes) {
  std::vector<DimExpr> parts;
  std::optional<size_t> open;
  DimExpr total(0);
  for (size_t i = 0; i < sizes.size(); ++i) {
    const std::string what = "size " + std::to_string(i) + " of the parts";
    if (sizes[i].isNone() || (sizes[i].isNumber() && sizes[i].number() == -1)) {
      if (open)
        call.valueError("more than one of the parts' sizes is -1");
      open = i;
      parts.push_back(DimExpr(0));
      continue;
    }
    parts.push_back(call.size(sizes[i], what, whole));
    call.requireAtLeast(parts.back(), DimExpr(0), what + " must not be negative");
    total = call.check(ir::add(total, parts.back()));
  }
  if (open) {
    parts[*open] = call.check(ir::sub(whole, total));
    if (whole.isConstant() && total.isConstant() && total.constantValue() > whole.constantValue())
      call.valueError("the parts have " + total.str() + " elements beside the -1; the axis has " +
                      whole.str());
    call.requireAtLeast(whole, total, "the parts have more elements than the axis");
  } else {
    call.requireEqual(total, whole, "the sizes of the parts must add up to the axis's");
  }
  return parts;
}

namespace keratin::backend {

std::vector<Tensor> split(const Operand &operand, const Parts &num_or_size_splits, Axis axis,
                          SourceLocation location) {
  Call call("split", location);
  Value x = call.value(operand);
  ir::Shape shape = ir::getShape(x);
  size_t place = size_t(call.axis(axis, int64_t(shape.size())));
  const DimExpr whole = shape[place];
  std::vector<DimExpr> parts = num_or_size_splits.isCount()
                                   ? equalParts(call, whole, num_or_size_splits.count())
                                   : givenParts(call, whole, num_or_size_splits.sizes());
  x = call.required(x);
  std::vector<Tensor> result;
  ir::Shape starts(shape.size(), DimExpr(0));
  for (const DimExpr &part : parts) {
    shape[place] = part;
    result.push_back(
        call.tensor(call.g.slice(x, starts, shape, std::vector<int64_t>(shape.size(), 1))));
    starts[place] = call.check(ir::add(starts[place], part));
  }
  return result;
}

} // namespace keratin::backend
