// K::pad.
#include "frontend/graph/Call.h"

#include "frontend/graph/SmallSizes.h"
#include "keratin/shapes.h"

#include <cmath>

using namespace keratin;
using namespace keratin::frontend;

namespace {

enum class Mode { Constant, Edge, Reflect, Symmetric };

class Padder {
public:
  Padder(Call &call, Value x) : call(call), g(call.g), x(x), rank(size_t(call.rank(x))) {}

  Value run(const backend::PadWidths &widths, const std::string &mode, const Operand &value);

private:
  Mode modeOf(const std::string &name) const;
  DimExpr widthOf(const Size &size, size_t axis);
  Value zeros();
  Value along(size_t axis, Mode mode);
  Value filling(size_t axis, const DimExpr &width);
  Value edge(size_t axis, bool isEnd, const DimExpr &width);
  Value mirrored(size_t axis, bool isEnd, const DimExpr &width, const DimExpr &skipped);
  void require(size_t axis, const DimExpr &needed);
  DimExpr sum(const DimExpr &a, const DimExpr &b) { return call.check(ir::add(a, b)); }
  DimExpr difference(const DimExpr &a, const DimExpr &b) { return call.check(ir::sub(a, b)); }
  // The size of the axis of x with its pads.
  DimExpr padded(size_t axis) { return sum(sum(ir::getShape(x)[axis], before[axis]), after[axis]); }
  Value slice(size_t axis, const DimExpr &start, const DimExpr &size);

  Call &call;
  ir::GraphMath &g;
  Value x, constant;
  const size_t rank;
  ir::Shape before, after; // of each axis
};

Mode Padder::modeOf(const std::string &name) const {
  if (name == "constant")
    return Mode::Constant;
  if (name == "edge")
    return Mode::Edge;
  if (name == "reflect")
    return Mode::Reflect;
  if (name == "symmetric")
    return Mode::Symmetric;
  call.valueError("unknown mode '" + name + "'; needed constant, edge, reflect or symmetric");
}

DimExpr Padder::widthOf(const Size &size, size_t axis) {
  std::string what = "pad_width of axis " + std::to_string(axis);
  DimExpr width = call.size(size, what);
  call.requireAtLeast(width, zero, what + " must not be negative");
  return width;
}

// All axes at once.
Value Padder::zeros() {
  ir::Shape result = ir::getShape(x);
  for (size_t i = 0; i < rank; ++i)
    result[i] = padded(i);
  return g.pad(x, before, std::vector<int64_t>(rank, 0), result);
}

Value Padder::slice(size_t axis, const DimExpr &start, const DimExpr &size) {
  ir::Shape starts(rank, zero), sizes = ir::getShape(x);
  starts[axis] = start;
  sizes[axis] = size;
  return g.slice(x, starts, sizes, std::vector<int64_t>(rank, 1));
}

// So many elements are there to take from.
void Padder::require(size_t axis, const DimExpr &needed) {
  const DimExpr size = ir::getShape(x)[axis];
  std::string what = "axis " + std::to_string(axis) + " has too few elements for its pad_width";
  if (size.isConstant() && needed.isConstant() && size.constantValue() < needed.constantValue())
    call.valueError(what + "; found " + size.str() + ", needed " + needed.str());
  call.requireAtLeast(size, needed, what);
  x = call.required(x);
}

Value Padder::filling(size_t axis, const DimExpr &width) {
  ir::Shape shape = ir::getShape(x);
  shape[axis] = width;
  return g.broadcastScalar(constant, shape);
}

// The outermost element, so many times.
Value Padder::edge(size_t axis, bool isEnd, const DimExpr &width) {
  require(axis, one);
  const DimExpr size = ir::getShape(x)[axis];
  ir::Shape shape = ir::getShape(x);
  shape[axis] = width;
  return call.broadcastTo(slice(axis, isEnd ? difference(size, one) : zero, one), shape);
}

// The outer elements behind those that are skipped, in opposite order.
Value Padder::mirrored(size_t axis, bool isEnd, const DimExpr &width, const DimExpr &skipped) {
  DimExpr taken = sum(width, skipped);
  require(axis, taken);
  const DimExpr size = ir::getShape(x)[axis];
  Value part = slice(axis, isEnd ? difference(size, taken) : skipped, width);
  return g.reverse(part, {int64_t(axis)});
}

Value Padder::along(size_t axis, Mode mode) {
  (void)padded(axis); // so much can be joined
  std::vector<Value> parts{x};
  auto add = [&](bool isEnd, const DimExpr &width) {
    if (width == zero)
      return;
    Value part = mode == Mode::Constant  ? filling(axis, width)
                 : mode == Mode::Edge    ? edge(axis, isEnd, width)
                 : mode == Mode::Reflect ? mirrored(axis, isEnd, width, one)
                                         : mirrored(axis, isEnd, width, zero);
    parts.insert(isEnd ? parts.end() : parts.begin(), part);
  };
  add(false, before[axis]);
  add(true, after[axis]);
  return g.concatenate(parts, int64_t(axis));
}

Value Padder::run(const backend::PadWidths &widths, const std::string &name, const Operand &value) {
  Mode mode = modeOf(name);
  if (widths.size() != rank)
    call.valueError("pad_width has " + std::to_string(widths.size()) +
                    " entries; needed a pair for each of " + std::to_string(rank) + " axes");
  for (size_t i = 0; i < rank; ++i) {
    if (widths[i].size() != 2)
      call.valueError("pad_width of axis " + std::to_string(i) + " has " +
                      std::to_string(widths[i].size()) + " numbers; needed 2");
    before.push_back(widths[i][0].isNone() ? zero : widthOf(widths[i][0], i));
    after.push_back(widths[i][1].isNone() ? zero : widthOf(widths[i][1], i));
  }
  if (mode == Mode::Constant) {
    if (value.isNumber() && value.number() == 0 && !std::signbit(value.number()))
      return zeros();
    constant = call.value(value, call.dtypeOf(x));
    if (call.rank(constant) != 0)
      call.valueError("constant_values has shape " + describe(constant) + "; needed a scalar");
  }
  for (size_t i = 0; i < rank; ++i)
    x = along(i, mode);
  return x;
}

} // namespace

namespace keratin::backend {

Tensor pad(const Operand &operand, const PadWidths &pad_width, const std::string &mode,
           const Operand &constant_values, SourceLocation location) {
  Call call("pad", location);
  Value x = call.value(operand);
  return call.tensor(Padder(call, x).run(pad_width, mode, constant_values));
}

} // namespace keratin::backend
