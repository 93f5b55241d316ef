// K functions: discrete Fourier transforms.
#include "keratin/fourier.h"

#include "frontend/backend/AlongAxis.h"
#include "frontend/backend/Complex.h"
#include "frontend/backend/Configuration.h"
#include "frontend/backend/Repetition.h"
#include "frontend/graph/SmallSizes.h"
#include "frontend/values/DTypeRules.h"
#include "ir/reference/FourierTransform.h"

#include <cmath>

using namespace keratin;
using namespace keratin::frontend;

namespace {

// An axis, and how many elements are transformed along it: of what is inverse and real, how many
// there are then.
struct Line {
  int64_t axis;
  DimExpr length;
};

// What one of the functions does.
struct Kind {
  bool inverse = false, real = false;
};

// A function whose kind and arguments are known.
class Transform {
public:
  Transform(Call &call, Kind kind, const std::string &norm);

  Tensor along(const Operand &x, const Size &n, int64_t axis);
  Tensor along(const Operand &x, const Shape &s, const Axes &axes);

private:
  ComplexParts numbers(const Operand &operand);
  DimExpr length(const std::optional<DimExpr> &given, const DimExpr &size, const std::string &name,
                 int64_t axis);
  Tensor run(ComplexParts x, const std::vector<Line> &lines);
  ComplexParts transformed(ComplexParts x, const Line &line, bool isReal);
  Value resized(Value x, int64_t axis, const DimExpr &length);
  Value first(Value x, int64_t axis, const DimExpr &start, const DimExpr &length);
  ComplexParts whole(const ComplexParts &half, const Line &line);
  Value scaled(Value x, const std::vector<Line> &lines);

  Call &call;
  ir::GraphMath &g;
  const Kind kind;
  // The power of the number of elements that a result is divided by: 0, 1 / 2 or 1.
  double power;
};

} // namespace

Transform::Transform(Call &call, Kind kind, const std::string &norm)
    : call(call), g(call.g), kind(kind) {
  if (norm == "ortho")
    power = 0.5;
  else if (norm == "backward" || norm == "forward")
    power = kind.inverse == (norm == "backward");
  else
    call.valueError("unknown norm '" + norm + "'; needed backward, ortho or forward");
}

// Of the dtypes that there are complex numbers of.
ComplexParts Transform::numbers(const Operand &operand) {
  Value x = call.value(operand);
  const DType dtype = call.dtypeOf(x);
  if (isComplex(dtype)) {
    if (kind.real && !kind.inverse)
      call.typeError(std::string("x is ") + dtypeName(dtype) + "; needed real numbers");
    return partsOf(call, x);
  }
  const DType floats = isFloating(dtype) ? dtype : Configuration::floatx();
  return partsOf(call, call.cast(x, partOf(complexOf(floats))));
}

DimExpr Transform::length(const std::optional<DimExpr> &given, const DimExpr &size,
                          const std::string &name, int64_t axis) {
  DimExpr points = given ? *given : size;
  if (!given && kind.real && kind.inverse)
    points = call.check(ir::mul(two, call.check(ir::sub(size, one))));
  const std::string what =
      given ? name : "the length of the result along axis " + std::to_string(axis);
  if (points.isConstant()) {
    if (points.constantValue() < 1)
      call.valueError(what + " is " + points.str() + "; needed 1 or more");
    if (std::optional<std::string> needed = ir::neededOfFourierLength(points.constantValue()))
      call.valueError(what + " is " + points.str() + "; needed " + *needed);
  }
  call.requireAtLeast(points, one, what + " must be 1 or more");
  return points;
}

Value Transform::first(Value x, int64_t axis, const DimExpr &start, const DimExpr &length) {
  ir::Shape sizes = ir::getShape(x), starts(sizes.size(), DimExpr(0));
  sizes[size_t(axis)] = length;
  starts[size_t(axis)] = start;
  return g.slice(x, starts, sizes, std::vector<int64_t>(sizes.size(), 1));
}

// The first so many elements, and zeros behind them if there are not as many.
Value Transform::resized(Value x, int64_t axis, const DimExpr &length) {
  ir::Shape shape = ir::getShape(x);
  const DimExpr size = shape[size_t(axis)];
  if (size == length)
    return x;
  if (!size.isConstant() || !length.isConstant() || size.constantValue() < length.constantValue()) {
    // As many zeros as there must be, if it is known how many.
    const bool isKnown = size.isConstant() && length.isConstant();
    shape[size_t(axis)] = isKnown ? length : call.check(ir::add(size, length));
    call.checkBytes(ir::getTensorType(shape, ir::getElementType(x)));
    x = g.pad(x, ir::Shape(shape.size(), DimExpr(0)), std::vector<int64_t>(shape.size(), 0), shape);
  }
  return first(x, axis, DimExpr(0), length);
}

// Of n / 2 + 1 elements all n, the others being conjugates of those.
ComplexParts Transform::whole(const ComplexParts &half, const Line &line) {
  const DimExpr halfLength = call.check(ir::floordiv(line.length, two)),
                rest = call.check(ir::sub(call.check(ir::sub(line.length, halfLength)), one));
  auto mirrored = [&](Value x) { return g.reverse(first(x, line.axis, one, rest), {line.axis}); };
  return {g.concatenate({half.re, mirrored(half.re)}, line.axis),
          g.concatenate({half.im, g.neg(mirrored(half.im))}, line.axis)};
}

ComplexParts Transform::transformed(ComplexParts x, const Line &line, bool isReal) {
  const DimExpr half = call.check(ir::add(call.check(ir::floordiv(line.length, two)), one));
  const bool isWhole = !isReal || !kind.inverse;
  x = {resized(x.re, line.axis, isWhole ? line.length : half),
       resized(x.im, line.axis, isWhole ? line.length : half)};
  const int64_t rank = call.rank(x.re);
  const std::vector<int64_t> order = swapWithLast(line.axis, rank);
  x = {g.transpose(x.re, order), g.transpose(x.im, order)};
  // Along the last axis, where it is seen that the others are conjugates.
  if (!isWhole)
    x = whole(x, {rank - 1, line.length});
  auto op = call.builder.create<ir::FftOp>(g.location(), x.re, x.im, kind.inverse);
  // The half is cut out at once, where it is seen that the other one need not be made.
  auto result = [&](Value y) {
    if (isReal && !kind.inverse)
      y = first(y, rank - 1, DimExpr(0), half);
    return g.transpose(y, order);
  };
  return {result(op.getYRe()), result(op.getYIm())};
}

Value Transform::scaled(Value x, const std::vector<Line> &lines) {
  if (power == 0)
    return x;
  DimExpr count = one;
  for (const Line &line : lines)
    count = call.check(ir::mul(count, line.length));
  if (count.isConstant())
    return g.scale(x, std::pow(double(count.constantValue()), -power));
  Value divisor = call.scalar(count, call.dtypeOf(x));
  return g.div(x, g.broadcastScalar(power == 1 ? divisor : g.sqrt(divisor), ir::getShape(x)));
}

// Real numbers are transformed first, and made last, along the last of the axes.
Tensor Transform::run(ComplexParts x, const std::vector<Line> &lines) {
  const bool endsReal = kind.real && kind.inverse;
  for (size_t i = 0; i < lines.size(); ++i) {
    const size_t place = endsReal ? i : lines.size() - 1 - i;
    x = transformed(x, lines[place], kind.real && place == lines.size() - 1);
  }
  if (endsReal)
    return call.tensor(scaled(x.re, lines));
  return call.tensor(complexOf(call, {scaled(x.re, lines), scaled(x.im, lines)}));
}

Tensor Transform::along(const Operand &operand, const Size &n, int64_t axis) {
  const ComplexParts x = numbers(operand);
  const int64_t place = call.axis(axis, call.rank(x.re));
  const std::optional<DimExpr> given =
      n.isNone() ? std::nullopt : std::optional<DimExpr>(call.size(n, "n"));
  return run(x, {{place, length(given, ir::getShape(x.re)[size_t(place)], "n", place)}});
}

Tensor Transform::along(const Operand &operand, const Shape &s, const Axes &axes) {
  const ComplexParts x = numbers(operand);
  const int64_t rank = call.rank(x.re);
  std::vector<std::optional<DimExpr>> sizes;
  if (!s.isNone())
    sizes = call.entries(s, "s");
  std::vector<int64_t> places;
  if (!axes.isNone()) {
    for (int64_t axis : axes.axes())
      places.push_back(call.axis(axis, rank));
  } else {
    const int64_t count = s.isNone() ? rank : int64_t(sizes.size());
    if (count > rank)
      call.valueError("s has " + std::to_string(count) + " entries; x has rank " +
                      std::to_string(rank));
    for (int64_t axis = rank - count; axis < rank; ++axis)
      places.push_back(axis);
  }
  if (!s.isNone() && sizes.size() != places.size())
    call.valueError("s has " + std::to_string(sizes.size()) + " entries, axes has " +
                    std::to_string(places.size()) + "; needed as many");
  if (places.empty())
    call.valueError("found no axes; needed one or more");
  sizes.resize(places.size());
  std::vector<Line> lines;
  for (size_t i = 0; i < places.size(); ++i) {
    for (const Line &line : lines)
      if (line.axis == places[i])
        call.valueError("axis " + std::to_string(places[i]) + " is among the axes twice");
    const DimExpr size = ir::getShape(x.re)[size_t(places[i])];
    // Of the real results of an inverse the last axis alone has another length.
    const bool isLast = i + 1 == places.size();
    const std::optional<DimExpr> given =
        sizes[i] || isLast ? sizes[i] : std::optional<DimExpr>(size);
    lines.push_back({places[i], length(given, size,
                                       sizes[i] ? "entry " + std::to_string(i) + " of s"
                                                : "the size of axis " + std::to_string(places[i]),
                                       places[i])});
  }
  return run(x, lines);
}

//===-- Frequencies ---------------------------------------------------------------------------===//

// numerators / (n d).
static Tensor frequencies(Call &call, Value numerators, const DimExpr &n, double d) {
  if (d == 0 || !std::isfinite(d))
    call.valueError("d is " + std::to_string(d) + "; needed a number other than 0");
  ir::GraphMath &g = call.g;
  const DType dtype = Configuration::floatx();
  Value turns =
      g.mul(call.scalar(n, DType::Float64), g.scalar(d, call.elementType(DType::Float64)));
  Value exact = g.div(call.cast(numerators, DType::Float64),
                      g.broadcastScalar(turns, ir::getShape(numerators)));
  return call.tensor(call.cast(exact, dtype));
}

static DimExpr pointsOf(Call &call, const Size &n) {
  const DimExpr count = call.size(n, "n");
  if (count.isConstant() && count.constantValue() < 1)
    call.valueError("n is " + count.str() + "; needed 1 or more");
  call.requireAtLeast(count, one, "n must be 1 or more");
  return count;
}

static Value numbersTo(Call &call, const DimExpr &count) {
  return call.g.iota(ir::getTensorType({count}, call.elementType(DType::Int64)), 0);
}

// Elements of each axis go half of its length, rounded down, forward or back.
static Tensor shifted(Call &call, const Operand &operand, const Axes &axes, bool back) {
  Value x = call.value(operand);
  for (int64_t axis : call.axes(axes, call.rank(x))) {
    const DimExpr size = ir::getShape(x)[size_t(axis)];
    const DimExpr half = call.check(ir::floordiv(size, two));
    x = rolled(call, x, axis, back ? call.check(ir::sub(size, half)) : half);
  }
  return call.tensor(x);
}

namespace keratin::backend {

#define KERATIN_FOURIER(name, inverse, real)                                                       \
  Tensor name(const Operand &x, const Size &n, Axis axis, const std::string &norm,                 \
              SourceLocation location) {                                                           \
    Call call(#name, location);                                                                    \
    return Transform(call, {inverse, real}, norm).along(x, n, axis);                               \
  }
#define KERATIN_FOURIER_OF_AXES(name, inverse, real)                                               \
  Tensor name(const Operand &x, const Shape &s, const Axes &axes, const std::string &norm,         \
              SourceLocation location) {                                                           \
    Call call(#name, location);                                                                    \
    return Transform(call, {inverse, real}, norm).along(x, s, axes);                               \
  }

KERATIN_FOURIER(fft, false, false)
KERATIN_FOURIER(ifft, true, false)
KERATIN_FOURIER(rfft, false, true)
KERATIN_FOURIER(irfft, true, true)
KERATIN_FOURIER_OF_AXES(fft2, false, false)
KERATIN_FOURIER_OF_AXES(ifft2, true, false)
KERATIN_FOURIER_OF_AXES(rfft2, false, true)
KERATIN_FOURIER_OF_AXES(irfft2, true, true)
KERATIN_FOURIER_OF_AXES(fftn, false, false)
KERATIN_FOURIER_OF_AXES(ifftn, true, false)
KERATIN_FOURIER_OF_AXES(rfftn, false, true)
KERATIN_FOURIER_OF_AXES(irfftn, true, true)

#undef KERATIN_FOURIER
#undef KERATIN_FOURIER_OF_AXES

Tensor fftfreq(const Size &n, double d, SourceLocation location) {
  Call call("fftfreq", location);
  ir::GraphMath &g = call.g;
  const DimExpr count = pointsOf(call, n);
  Value place = numbersTo(call, count);
  auto everywhere = [&](const DimExpr &size) {
    return g.broadcastScalar(call.scalar(size, DType::Int64), {count});
  };
  Value isNegative = g.greaterEqual(place, everywhere(call.check(ir::ceildiv(count, two))));
  return frequencies(call, g.select(isNegative, g.sub(place, everywhere(count)), place), count, d);
}

Tensor rfftfreq(const Size &n, double d, SourceLocation location) {
  Call call("rfftfreq", location);
  const DimExpr count = pointsOf(call, n);
  const DimExpr half = call.check(ir::add(call.check(ir::floordiv(count, two)), one));
  return frequencies(call, numbersTo(call, half), count, d);
}

Tensor fftshift(const Operand &x, const Axes &axes, SourceLocation location) {
  Call call("fftshift", location);
  return shifted(call, x, axes, /*back=*/false);
}

Tensor ifftshift(const Operand &x, const Axes &axes, SourceLocation location) {
  Call call("ifftshift", location);
  return shifted(call, x, axes, /*back=*/true);
}

} // namespace keratin::backend
