// K functions: random classes, orders and choices.
#include "frontend/backend/Configuration.h"
#include "frontend/backend/Random.h"
#include "frontend/backend/Sorting.h"
#include "keratin/random.h"

#include <cmath>
#include <limits>

using namespace keratin;
using namespace keratin::frontend;

// 64 random bits an element: equals are next to impossible.
static Value keys(Call &call, RandomStream &stream, const ir::Shape &shape) {
  ir::GraphMath &g = call.g;
  Value high = call.cast(stream.bits(shape), DType::UInt64);
  Value low = call.cast(stream.bits(shape), DType::UInt64);
  Value word = g.or_(g.shiftLeft(high, call.like(high, 32)), low);
  return call.cast(word, DType::Int64);
}

// Logarithms of weights, each with a number of Gumbel's distribution added: the largest is one with
// a probability that its weight is a part of all, and the k largest are drawn one after the other
// without being put back (Efraimidis, Spirakis: Weighted random sampling with a reservoir; IPL
// 2006).
static Value perturbed(Call &call, RandomStream &stream, Value logits) {
  ir::GraphMath &g = call.g;
  Value u = inner(call, stream, ir::getShape(logits), call.dtypeOf(logits));
  return g.sub(logits, g.log(g.neg(g.log(u))));
}

// One class for each place behind the logits' axes but the last: of (..., classes) (..., count).
static Value classesOf(Call &call, RandomStream &stream, Value logits, const DimExpr &count) {
  ir::GraphMath &g = call.g;
  const ir::Shape shape = ir::getShape(logits);
  call.requireAtLeast(shape.back(), DimExpr(1), "logits have no classes");
  ir::Shape whole = shape;
  whole.insert(whole.end() - 1, count);
  std::vector<int64_t> places;
  for (int64_t i = 0; i < int64_t(shape.size()); ++i)
    places.push_back(i + (i + 1 == int64_t(shape.size())));
  Value repeated = g.broadcast(logits, whole, places);
  return call.builder.create<ir::ArgMaxOp>(g.location(), perturbed(call, stream, repeated),
                                           int64_t(shape.size()));
}

// Floats as they are computed with.
static Value floats(Call &call, const Operand &operand) {
  Value value = call.floating(operand);
  return call.cast(value, workDtype(call.dtypeOf(value)));
}

namespace {
// What is ordered or chosen from: the rows of a tensor, or 0, 1, ... below a number.
struct Population {
  Value rows; // null for numbers
  DimExpr size;
};
} // namespace

static Population population(Call &call, const Operand &x) {
  Value value = call.value(x);
  if (call.rank(value) > 0)
    return {value, ir::getShape(value).front()};
  if (!isInteger(call.dtypeOf(value)))
    call.valueError(std::string("x is a scalar of dtype ") + dtypeName(call.dtypeOf(value)) +
                    "; needed a tensor with rows, or an integer");
  DimExpr size = call.size(value, "x");
  call.requireAtLeast(size, DimExpr(0), "x must not be negative");
  return {Value(), size};
}

static Value rowsAt(Call &call, const Population &from, Value places) {
  return from.rows ? call.g.gather(from.rows, places) : places;
}

// With replacement.
static Value independentPlaces(Call &call, RandomStream &stream, const Population &from,
                               const ir::Shape &shape, Value logWeights) {
  ir::GraphMath &g = call.g;
  const DimExpr count = call.check(ir::elementCount(shape));
  call.requireAtLeast(from.size, DimExpr(1), "there is nothing to choose from");
  if (logWeights)
    return g.reshape(classesOf(call, stream, logWeights, count), shape);
  Value word = keys(call, stream, shape);
  Value size = g.broadcastScalar(call.scalar(from.size, DType::Int64), shape);
  return g.mod(word, size);
}

static Value differentPlaces(Call &call, RandomStream &stream, const Population &from,
                             const ir::Shape &shape, Value logWeights) {
  const DimExpr count = call.check(ir::elementCount(shape));
  call.requireAtLeast(from.size, count,
                      "without replacement there must be as many to choose from as are chosen" +
                          (count.isConstant() ? ", " + count.str() : std::string()));
  Value order = logWeights ? perturbed(call, stream, logWeights) : keys(call, stream, {from.size});
  return call.g.reshape(largest(call, call.required(order), count), shape);
}

// What is chosen needs a weight, where the weights are known: one at all, or each its own.
static void requireWeights(Call &call, const Operand &p, bool replace, const ir::Shape &shape) {
  requireNumbers(
      call, p, "p", [](double number) { return number >= 0 && std::isfinite(number); },
      "finite numbers, 0 or more");
  const DimExpr count = call.check(ir::elementCount(shape));
  if (p.kind() != Operand::Kind::Array || !count.isConstant() || count.constantValue() == 0)
    return;
  int64_t found = 0;
  for (int64_t i = 0; i < p.array().size(); ++i)
    found += p.array().item(i) > 0;
  const int64_t needed = replace ? 1 : count.constantValue();
  if (found < needed)
    call.valueError("p has " + std::to_string(found) + " weights above 0; needed " +
                    std::to_string(needed) + " or more");
}

namespace keratin::backend {

Tensor random_categorical(const Operand &logits, const Size &count, std::optional<int64_t> seed,
                          SourceLocation location) {
  Call call("random_categorical", location);
  Value values = floats(call, logits);
  if (call.rank(values) == 0)
    call.valueError("logits is a scalar; needed at least one axis");
  const DimExpr size = call.size(count, "count");
  call.requireAtLeast(size, DimExpr(0), "count must not be negative");
  RandomStream stream(call, seed);
  return call.tensor(classesOf(call, stream, values, size));
}

Tensor random_permutation(const Operand &x, std::optional<int64_t> seed, SourceLocation location) {
  Call call("random_permutation", location);
  const Population from = population(call, x);
  RandomStream stream(call, seed);
  Value order = keys(call, stream, {from.size});
  return call.tensor(rowsAt(call, from, largest(call, order, from.size)));
}

Tensor random_choice(const Operand &x, const Shape &shape, bool replace, const Operand &p,
                     std::optional<int64_t> seed, SourceLocation location) {
  Call call("random_choice", location);
  const Population from = population(call, x);
  const ir::Shape sizes = call.shape(shape);
  Value logWeights;
  if (!p.isNone()) {
    Value weights = floats(call, p);
    if (call.rank(weights) != 1)
      call.valueError("p has shape " + describe(weights) + "; needed a vector");
    weights = call.withSize(weights, 0, from.size, "p and what is chosen from");
    requireWeights(call, p, replace, sizes);
    logWeights = call.g.log(weights);
  }
  RandomStream stream(call, seed);
  Value places = replace ? independentPlaces(call, stream, from, sizes, logWeights)
                         : differentPlaces(call, stream, from, sizes, logWeights);
  return call.tensor(rowsAt(call, from, places));
}

} // namespace keratin::backend
