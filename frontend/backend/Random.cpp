// K functions: random numbers.
#include "keratin/random.h"

#include "frontend/backend/Configuration.h"
#include "frontend/backend/Random.h"
#include "frontend/backend/Variables.h"
#include "frontend/graph/Trace.h"
#include "frontend/values/Elements.h"
#include "keratin/variables.h"

#include "llvm/ADT/ArrayRef.h"

#include <cmath>
#include <limits>
#include <random>

using namespace keratin;
using namespace keratin::frontend;

// A bijection of 64 bits that spreads neighbouring seeds far apart (Steele, Lea, Flood: Fast
// splittable pseudorandom number generators; OOPSLA 2014).
static uint64_t mix(uint64_t z) {
  z += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// Where unseeded nodes get their seeds. Under the graph's mutex.
static std::mt19937_64 &seeds() {
  static auto *generator = new std::mt19937_64(std::random_device()());
  return *generator;
}

RandomStream::RandomStream(Call &call, std::optional<int64_t> seed) : call(call) {
  VariableInfo info;
  info.countsDraws = true;
  info.trainable = false;
  Array start(int64_t(mix(seed ? uint64_t(*seed) : seeds()())));
  counter = makeVariable(call, start, "draws", std::move(info));
}

// The number of the evaluation; in loops plus, for each, a large odd multiple of its step's number,
// so that no step of an evaluation meets one of another.
Value RandomStream::draw() {
  Value draw = valueOf(counter);
  uint64_t level = 0;
  for (const Trace *trace : call.graph.traces())
    if (Value step = trace->stepNumber()) {
      Value factor = call.g.integerScalar(int64_t(mix(++level) | 1), ir::getElementType(step));
      draw = call.g.add(draw, call.g.mul(step, factor));
    }
  return draw;
}

Value RandomStream::bits(const ir::Shape &shape) {
  auto type = ir::getTensorType(shape, call.elementType(DType::UInt32));
  return call.builder.create<ir::RandomBitsOp>(call.g.location(), type, draw(), words++);
}

Value RandomStream::uniform(const ir::Shape &shape, DType dtype) {
  ir::GraphMath &g = call.g;
  // As many high bits as the dtype has digits.
  int digits = dtype == DType::BFloat16  ? 8
               : dtype == DType::Float16 ? 11
               : dtype == DType::Float32 ? 24
                                         : 53;
  Value number;
  if (digits <= 24) {
    Value word = bits(shape);
    number = call.cast(g.shiftRight(word, call.like(word, 32 - digits)), dtype);
  } else {
    // 27 bits above 26.
    Value high = bits(shape), low = bits(shape);
    high = call.cast(g.shiftRight(high, call.like(high, 5)), dtype);
    low = call.cast(g.shiftRight(low, call.like(low, 6)), dtype);
    number = g.add(g.scale(high, 0x1p26), low);
  }
  return g.scale(number, std::ldexp(1.0, -digits));
}

Value frontend::inner(Call &call, RandomStream &stream, const ir::Shape &shape, DType dtype) {
  Value u = stream.uniform(shape, dtype);
  // Of f64 as many bits as leave room for one more.
  const int digits = dtype == DType::Float64 ? 53 : 24;
  if (digits == 53)
    return call.g.maximum(u, call.like(u, std::ldexp(1.0, -54)));
  return call.g.add(u, call.like(u, std::ldexp(1.0, -25)));
}

Value frontend::parameter(Call &call, const Operand &operand, DType dtype, const ir::Shape &shape,
                          const char *name) {
  Value value = call.value(operand, dtype);
  if (call.broadcastShape(ir::getShape(value), shape) != shape)
    call.valueError(std::string(name) + " has shape " + describe(value) +
                    "; needed one that broadcasts to " + describe(shape));
  return call.broadcastTo(value, shape);
}

static bool isNumber(const Operand &operand, double value) {
  return operand.isNumber() && operand.number() == value;
}

void frontend::requireNumbers(Call &call, const Operand &operand, const char *name,
                              llvm::function_ref<bool(double)> holds, const char *needed) {
  if (!operand.isNumber() && operand.kind() != Operand::Kind::Array)
    return;
  for (int64_t i = 0; i < operand.array().size(); ++i)
    if (!holds(operand.array().item(i)))
      call.valueError(std::string(name) + " is " + elementText(operand.array(), i) + "; needed " +
                      needed);
}

static bool isFiniteIn(DType dtype, double number) {
  return std::isfinite(Array(number).astype(dtype).item());
}

static void requireFinite(Call &call, const Operand &operand, const char *name, DType dtype) {
  requireNumbers(
      call, operand, name, [&](double number) { return isFiniteIn(dtype, number); },
      "a number that the dtype holds");
}

// mean + stddev * x, without the trivial parts.
static Value scaled(Call &call, Value x, const Operand &mean, const Operand &stddev) {
  DType dtype = call.dtypeOf(x);
  requireFinite(call, mean, "mean", dtype);
  requireFinite(call, stddev, "stddev", dtype);
  requireNumbers(call, stddev, "stddev", [](double number) { return number >= 0; }, "0 or more");
  if (!isNumber(stddev, 1))
    x = call.g.mul(x, parameter(call, stddev, dtype, ir::getShape(x), "stddev"));
  if (!isNumber(mean, 0))
    x = call.g.add(x, parameter(call, mean, dtype, ir::getShape(x), "mean"));
  return x;
}

DType frontend::floatDtype(Call &call, DTypeArgument dtype) {
  DType type = dtype.valueOr(Configuration::floatx());
  if (!isFloating(type))
    call.typeError(std::string("dtype is ") + dtypeName(type) + "; needed a floating one");
  return type;
}

void frontend::requireRealDtype(Call &call, DType dtype) {
  if (dtype == DType::Bool || isComplex(dtype))
    call.typeError(std::string("dtype is ") + dtypeName(dtype) + "; needed a real number");
}

DType frontend::workDtype(DType dtype) { return dtypeSize(dtype) == 2 ? DType::Float32 : dtype; }

Value frontend::standardNormal(Call &call, RandomStream &stream, const ir::Shape &shape,
                               DType dtype) {
  ir::GraphMath &g = call.g;
  Value u = stream.uniform(shape, dtype), v = stream.uniform(shape, dtype);
  Value radius = g.sqrt(g.scale(g.log(g.sub(g.oneLike(u), u)), -2.0));
  return g.mul(radius, g.cos(g.scale(v, 2.0 * M_PI)));
}

// The inverse error function for |y| <= erf(sqrt 2) as a polynomial in w = -log(1 - y^2), its
// central branch (Giles: Approximating the erfinv function; GPU Computing Gems, 2012).
static Value inverseErf(Call &call, Value y) {
  static const double single[] = {2.81022636e-08,  3.43273939e-07, -3.5233877e-06,
                                  -4.39150654e-06, 0.00021858087,  -0.00125372503,
                                  -0.00417768164,  0.246640727,    1.50140941};
  static const double full[] = {
      -3.6444120640178196996e-21, -1.685059138182016589e-19,  1.2858480715256400167e-18,
      1.115787767802518096e-17,   -1.333171662854620906e-16,  2.0972767875968561637e-17,
      6.6376381343583238325e-15,  -4.0545662729752068639e-14, -8.1519341976054721522e-14,
      2.6335093153082322977e-12,  -1.2975133253453532498e-11, -5.4154120542946279317e-11,
      1.051212273321532285e-09,   -4.1126339803469836976e-09, -2.9070369957882005086e-08,
      4.2347877827932403518e-07,  -1.3654692000834678645e-06, -1.3882523362786468719e-05,
      0.0001867342080340571352,   -0.00074070253416626697512, -0.0060336708714301490533,
      0.24015818242558961693,     1.6536545626831027356};
  ir::GraphMath &g = call.g;
  bool isDouble = call.dtypeOf(y) == DType::Float64;
  llvm::ArrayRef<double> coefficients =
      isDouble ? llvm::ArrayRef<double>(full) : llvm::ArrayRef<double>(single);
  Value w = g.neg(g.log(g.mul(g.sub(g.oneLike(y), y), g.add(g.oneLike(y), y))));
  w = g.sub(w, call.like(w, isDouble ? 3.125 : 2.5));
  Value p = call.like(w, coefficients.front());
  for (double coefficient : coefficients.drop_front())
    p = g.add(g.mul(p, w), call.like(w, coefficient));
  return g.mul(p, y);
}

// By the inverse of the distribution function: nothing is drawn twice, so every element is
// independent of all others.
static Value standardTruncatedNormal(Call &call, RandomStream &stream, const ir::Shape &shape,
                                     DType dtype) {
  ir::GraphMath &g = call.g;
  Value u = stream.uniform(shape, dtype);
  // In (-1, 1), symmetrical: the middle of each step of u.
  double halfStep = std::ldexp(1.0, dtype == DType::Float64 ? -54 : -25);
  Value y = g.sub(g.scale(g.add(u, call.like(u, halfStep)), 2.0), g.oneLike(u));
  Value x = g.scale(inverseErf(call, g.scale(y, std::erf(M_SQRT2))), M_SQRT2);
  // Rounding must not carry it over the border.
  return g.maximum(g.minimum(x, call.like(x, 2.0)), call.like(x, -2.0));
}

// Of two numbers: whether [minval, maxval) holds any number of the dtype, and no other.
static void checkRange(Call &call, const Operand &minval, const Operand &maxval, DType dtype) {
  if (!minval.isNumber() || !maxval.isNumber())
    return;
  const Array &low = minval.array(), &high = maxval.array();
  if (compareElements(low, 0, high) >= 0)
    call.valueError("maxval must be above minval; found " + elementText(low, 0) + " and " +
                    elementText(high, 0));
  bool fits = !firstMisfit(low, dtype);
  if (isInteger(dtype)) {
    // maxval itself is not drawn.
    Array last = dtypeSize(dtype) == 8 ? high : Array(high.item<int64_t>() - 1);
    fits = fits && !firstMisfit(last, dtype);
  }
  if (!fits)
    call.valueError("the range from " + elementText(low, 0) + " to " + elementText(high, 0) +
                    " does not fit " + dtypeName(dtype));
}

// minval + bits % (maxval - minval) in 64 bits; the bias is below 2^-32 for ranges of 32 bits.
static Value uniformIntegers(Call &call, RandomStream &stream, const ir::Shape &shape, DType dtype,
                             const Operand &minval, const Operand &maxval) {
  ir::GraphMath &g = call.g;
  DType work = dtype == DType::UInt64 ? DType::UInt64 : DType::Int64;
  // The least integer that is not below a float.
  auto whole = [&](const Operand &operand) {
    if (operand.isNumber() && operand.kind() == Operand::Kind::Float)
      return Operand(call.converted(std::ceil(operand.number()), work), call.location);
    if (operand.isNumber())
      call.checkFit(operand.array(), work);
    return operand;
  };
  Operand from = whole(minval), to = whole(maxval);
  checkRange(call, from, to, dtype);
  Value low = parameter(call, from, work, shape, "minval");
  Value top = parameter(call, to, work, shape, "maxval");
  if (work == DType::Int64 && !(minval.isNumber() && maxval.isNumber())) {
    const int64_t least = leastOf(dtype).item<int64_t>(), most = greatestOf(dtype).item<int64_t>();
    if (dtypeSize(dtype) < 8) {
      low = call.inRange(low, least, most + 1, "minval does not fit the dtype");
      top = call.inRange(top, least, most + 2, "maxval does not fit the dtype");
    }
    Value span = call.inRange(g.sub(top, low), 1, std::numeric_limits<int64_t>::max(),
                              "maxval must be above minval");
    top = g.add(low, span);
  }
  low = call.cast(low, DType::UInt64);
  top = call.cast(top, DType::UInt64);
  Value word = call.cast(stream.bits(shape), DType::UInt64);
  word =
      g.or_(g.shiftLeft(word, call.like(word, 32)), call.cast(stream.bits(shape), DType::UInt64));
  return call.cast(g.add(low, g.mod(word, g.sub(top, low))), dtype);
}

static Value uniformFloats(Call &call, RandomStream &stream, const ir::Shape &shape, DType dtype,
                           const Operand &minval, const Operand &maxval) {
  ir::GraphMath &g = call.g;
  requireFinite(call, minval, "minval", dtype);
  requireFinite(call, maxval, "maxval", dtype);
  checkRange(call, minval, maxval, dtype);
  Value u = stream.uniform(shape, dtype);
  if (isNumber(minval, 0) && isNumber(maxval, 1))
    return u;
  Value low = parameter(call, minval, dtype, shape, "minval");
  Value high = parameter(call, maxval, dtype, shape, "maxval");
  bool isWide = minval.isNumber() && maxval.isNumber() &&
                !isFiniteIn(dtype, maxval.number() - minval.number());
  Value x = isWide ? g.add(g.mul(low, g.sub(g.oneLike(u), u)), g.mul(high, u))
                   : g.add(g.mul(u, g.sub(high, low)), low);
  // Rounding may reach maxval, which is not in the range.
  return g.select(g.greaterEqual(x, high), low, x);
}

static Value uniformValue(Call &call, const ir::Shape &shape, const Operand &minval,
                          const Operand &maxval, DType dtype, std::optional<int64_t> seed) {
  RandomStream stream(call, seed);
  requireRealDtype(call, dtype);
  return isFloating(dtype) ? uniformFloats(call, stream, shape, dtype, minval, maxval)
                           : uniformIntegers(call, stream, shape, dtype, minval, maxval);
}

static Value normalValue(Call &call, const ir::Shape &shape, const Operand &mean,
                         const Operand &stddev, DType dtype, std::optional<int64_t> seed) {
  RandomStream stream(call, seed);
  Value x = standardNormal(call, stream, shape, workDtype(dtype));
  return call.cast(scaled(call, x, mean, stddev), dtype);
}

// For the call of a tensor, and of a variable that begins with it.
static Tensor uniform(Call &call, const Shape &shape, const Operand &minval, const Operand &maxval,
                      DTypeArgument dtype, std::optional<int64_t> seed) {
  return call.tensor(uniformValue(call, call.shape(shape), minval, maxval,
                                  dtype.valueOr(Configuration::floatx()), seed));
}

static Tensor normal(Call &call, const Shape &shape, const Operand &mean, const Operand &stddev,
                     DTypeArgument dtype, std::optional<int64_t> seed) {
  DType type = floatDtype(call, dtype);
  return call.tensor(normalValue(call, call.shape(shape), mean, stddev, type, seed));
}

// What is drawn for a variable is drawn at once; two words of eight bytes an element are the most
// that it takes.
static void requireWords(Call &call, const Shape &shape) {
  call.check(mul(call.check(ir::elementCount(call.shape(shape))), DimExpr(16)));
}

namespace keratin::backend {

void set_random_seed(uint64_t seed) {
  frontend::Graph::Lock lock(frontend::Graph::get());
  seeds().seed(seed);
}

Tensor random_normal(const Shape &shape, const Operand &mean, const Operand &stddev,
                     DTypeArgument dtype, std::optional<int64_t> seed, SourceLocation location) {
  Call call("random_normal", location);
  return normal(call, shape, mean, stddev, dtype, seed);
}

Tensor random_uniform(const Shape &shape, const Operand &minval, const Operand &maxval,
                      DTypeArgument dtype, std::optional<int64_t> seed, SourceLocation location) {
  Call call("random_uniform", location);
  return uniform(call, shape, minval, maxval, dtype, seed);
}

Tensor random_binomial(const Shape &shape, const Operand &p, DTypeArgument dtype,
                       std::optional<int64_t> seed, SourceLocation location) {
  Call call("random_binomial", location);
  const DType type = dtype.valueOr(Configuration::floatx());
  if (type != DType::Bool)
    requireRealDtype(call, type);
  ir::Shape sizes = call.shape(shape);
  requireNumbers(call, p, "p", [](double number) { return number >= 0 && number <= 1; }, "0 to 1");
  RandomStream stream(call, seed);
  Value u = stream.uniform(sizes, DType::Float32);
  Value hit = call.g.less(u, parameter(call, p, DType::Float32, sizes, "p"));
  return call.tensor(call.cast(hit, type));
}

Tensor truncated_normal(const Shape &shape, const Operand &mean, const Operand &stddev,
                        DTypeArgument dtype, std::optional<int64_t> seed, SourceLocation location) {
  Call call("truncated_normal", location);
  DType type = floatDtype(call, dtype);
  RandomStream stream(call, seed);
  Value x = standardTruncatedNormal(call, stream, call.shape(shape), workDtype(type));
  return call.tensor(call.cast(scaled(call, x, mean, stddev), type));
}

Tensor random_uniform_variable(const Shape &shape, double low, double high, DTypeArgument dtype,
                               const std::string &name, std::optional<int64_t> seed,
                               SourceLocation location) {
  Tensor initial = [&] {
    Call call("random_uniform_variable", location);
    requireWords(call, shape);
    return uniform(call, shape, low, high, dtype, seed);
  }();
  return variable(initial, dtype, name, nullptr, location);
}

Tensor random_normal_variable(const Shape &shape, double mean, double scale, DTypeArgument dtype,
                              const std::string &name, std::optional<int64_t> seed,
                              SourceLocation location) {
  Tensor initial = [&] {
    Call call("random_normal_variable", location);
    requireWords(call, shape);
    return normal(call, shape, mean, scale, dtype, seed);
  }();
  return variable(initial, dtype, name, nullptr, location);
}

} // namespace keratin::backend
