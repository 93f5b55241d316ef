// Elementwise functions of elementwise functions on zeros, infinities, NaN, denormals and extremes:
// where a compiler that rewrites floats goes wrong. With KERATIN_TEST_BITS, bit by bit on several
// machines.
#include "tests/execution/SweepHarness.h"
#include "tests/support/RandomTensor.h"
#include "tests/support/TestEnvironment.h"

#include <catch2/catch.hpp>

using namespace keratin;
using namespace keratin::ir;
using namespace keratin::tests;
using namespace mlir;

namespace {
struct Function {
  const char *name;
  Value (*build)(GraphMath &, Value);
};
} // namespace

static Value number(GraphMath &g, double value, Value like) { return g.constantLike(value, like); }

// 1 or 0 of the element type.
static Value asNumber(GraphMath &g, Value condition, Value like) {
  return g.cast(condition, getElementType(like));
}

static Value clip(GraphMath &g, Value x, double low, double high) {
  return g.minimum(g.maximum(x, number(g, low, x)), number(g, high, x));
}

// Functions of one operand as programs have them, with their common constants.
static const Function functions[] = {
    {"neg", [](GraphMath &g, Value x) { return g.neg(x); }},
    {"abs", [](GraphMath &g, Value x) { return g.abs(x); }},
    {"sign", [](GraphMath &g, Value x) { return g.sign(x); }},
    {"round", [](GraphMath &g, Value x) { return g.round(x); }},
    {"floor", [](GraphMath &g, Value x) { return g.floor(x); }},
    {"ceil", [](GraphMath &g, Value x) { return g.ceil(x); }},
    {"exp", [](GraphMath &g, Value x) { return g.exp(x); }},
    {"expm1", [](GraphMath &g, Value x) { return g.expm1(x); }},
    {"log", [](GraphMath &g, Value x) { return g.log(x); }},
    {"log1p", [](GraphMath &g, Value x) { return g.log1p(x); }},
    {"sqrt", [](GraphMath &g, Value x) { return g.sqrt(x); }},
    {"rsqrt", [](GraphMath &g, Value x) { return g.rsqrt(x); }},
    {"square", [](GraphMath &g, Value x) { return g.mul(x, x); }},
    {"sin", [](GraphMath &g, Value x) { return g.sin(x); }},
    {"cos", [](GraphMath &g, Value x) { return g.cos(x); }},
    {"tan", [](GraphMath &g, Value x) { return g.tan(x); }},
    {"atan", [](GraphMath &g, Value x) { return g.atan(x); }},
    {"tanh", [](GraphMath &g, Value x) { return g.tanh(x); }},
    {"logistic", [](GraphMath &g, Value x) { return g.logistic(x); }},
    {"softplus", [](GraphMath &g, Value x) { return g.softplus(x); }},
    {"erf", [](GraphMath &g, Value x) { return g.erf(x); }},
    {"erfc", [](GraphMath &g, Value x) { return g.erfc(x); }},
    {"erfinv", [](GraphMath &g, Value x) { return g.erfinv(x); }},
    {"lgamma", [](GraphMath &g, Value x) { return g.lgamma(x); }},
    {"digamma", [](GraphMath &g, Value x) { return g.digamma(x); }},
    {"zeta of 2.5", [](GraphMath &g, Value x) { return g.zeta(number(g, 2.5, x), x); }},
    {"igamma of 2.5", [](GraphMath &g, Value x) { return g.igamma(number(g, 2.5, x), x); }},
    {"igammac of 25", [](GraphMath &g, Value x) { return g.igammac(number(g, 25, x), x); }},
    {"igammac by a", [](GraphMath &g, Value x) { return g.igammac(x, number(g, 2, x)); }},
    {"betainc of 2 and 3",
     [](GraphMath &g, Value x) { return g.betainc(number(g, 2, x), number(g, 3, x), x); }},
    {"bessel_i0e", [](GraphMath &g, Value x) { return g.besselI0e(x); }},
    {"bessel_i1e", [](GraphMath &g, Value x) { return g.besselI1e(x); }},
    {"x + 0", [](GraphMath &g, Value x) { return g.add(x, number(g, 0, x)); }},
    {"x + 1", [](GraphMath &g, Value x) { return g.add(x, number(g, 1, x)); }},
    {"1 - x", [](GraphMath &g, Value x) { return g.sub(number(g, 1, x), x); }},
    {"0 - x", [](GraphMath &g, Value x) { return g.sub(number(g, 0, x), x); }},
    {"x - 0.5", [](GraphMath &g, Value x) { return g.sub(x, number(g, 0.5, x)); }},
    {"x * 0", [](GraphMath &g, Value x) { return g.mul(x, number(g, 0, x)); }},
    {"x * 2", [](GraphMath &g, Value x) { return g.mul(x, number(g, 2, x)); }},
    {"x * -1", [](GraphMath &g, Value x) { return g.mul(x, number(g, -1, x)); }},
    {"x * 0.1", [](GraphMath &g, Value x) { return g.mul(x, number(g, 0.1, x)); }},
    {"1 / x", [](GraphMath &g, Value x) { return g.div(number(g, 1, x), x); }},
    {"x / 3", [](GraphMath &g, Value x) { return g.div(x, number(g, 3, x)); }},
    {"x // 2", [](GraphMath &g, Value x) { return g.floorDiv(x, number(g, 2, x)); }},
    {"x % 1", [](GraphMath &g, Value x) { return g.mod(x, number(g, 1, x)); }},
    {"x^3", [](GraphMath &g, Value x) { return g.pow(x, number(g, 3, x)); }},
    {"x^0.5", [](GraphMath &g, Value x) { return g.pow(x, number(g, 0.5, x)); }},
    {"2^x", [](GraphMath &g, Value x) { return g.pow(number(g, 2, x), x); }},
    {"max(x, 0)", [](GraphMath &g, Value x) { return g.maximum(x, number(g, 0, x)); }},
    {"max(0, x)", [](GraphMath &g, Value x) { return g.maximum(number(g, 0, x), x); }},
    {"min(x, 0)", [](GraphMath &g, Value x) { return g.minimum(x, number(g, 0, x)); }},
    {"min(x, 1)", [](GraphMath &g, Value x) { return g.minimum(x, number(g, 1, x)); }},
    {"clip(x, -1, 1)", [](GraphMath &g, Value x) { return clip(g, x, -1, 1); }},
    {"clip(x, 1e-7, 1)", [](GraphMath &g, Value x) { return clip(g, x, 1e-7, 1); }},
    {"hard_sigmoid",
     [](GraphMath &g,
        Value x) { return clip(g, g.add(g.mul(x, number(g, 0.2, x)), number(g, 0.5, x)), 0, 1); }},
    {"leaky relu",
     [](GraphMath &g,
        Value
            x) { return g.select(g.greater(x, number(g, 0, x)), x, g.mul(x, number(g, 0.3, x))); }},
    {"elu", [](GraphMath &g,
               Value x) { return g.select(g.greaterEqual(x, number(g, 0, x)), x, g.expm1(x)); }},
    {"softsign", [](GraphMath &g, Value x) { return g.div(x, g.add(number(g, 1, x), g.abs(x))); }},
    {"x > 0", [](GraphMath &g, Value x) { return asNumber(g, g.greater(x, number(g, 0, x)), x); }},
    {"x != x", [](GraphMath &g, Value x) { return asNumber(g, g.notEqual(x, x), x); }},
    {"is_finite", [](GraphMath &g, Value x) { return asNumber(g, g.isFinite(x), x); }},
    {"x == 0", [](GraphMath &g, Value x) { return asNumber(g, g.equal(x, number(g, 0, x)), x); }},
    {"where x < 1",
     [](GraphMath &g,
        Value x) { return g.select(g.less(x, number(g, 1, x)), number(g, 0, x), x); }},
    {"x * x - x * x", [](GraphMath &g, Value x) { return g.sub(g.mul(x, x), g.mul(x, x)); }},
    {"x * x + x", [](GraphMath &g, Value x) { return g.add(g.mul(x, x), x); }},
};

TEST_CASE("elementwise functions of elementwise functions", "[.pairs]") {
  Sweep sweep;
  sweep.isRewritten = true;
  std::vector<SweepCase> cases;
  for (const Function &outer : functions)
    for (const Function &inner : functions)
      cases.push_back({std::string(outer.name) + " of " + inner.name,
                       {{{211}, KERATIN_DTYPE_FLOAT32, Elements::Special}},
                       [&](GraphMath &g, ValueRange xs) -> std::vector<Value> {
                         return {outer.build(g, inner.build(g, xs[0]))};
                       }});
  sweep.check(cases, 9);
  CHECK(sweep.refused == std::vector<std::string>());
}

//===-- Trees ---------------------------------------------------------------------------------===//

namespace {
// A random tree over some leaves and the numbers that programs compare with, add and multiply by.
// What was made before may be used again.
class Tree {
public:
  Tree(GraphMath &g, ValueRange leaves, uint64_t seed)
      : g(g), made(leaves.begin(), leaves.end()), state(seed),
        isFloat(isa<FloatType>(getElementType(leaves[0]))) {}

  Value node(int depth) {
    if (depth == 0 || chance(10))
      return leaf();
    Value x = node(depth - 1);
    made.push_back(below(100) < 45 ? unary(x) : of(x, chance(50) ? node(depth - 1) : leaf()));
    return made.back();
  }

private:
  uint64_t below(uint64_t n) { return nextRandom(state) % n; }
  bool chance(uint64_t percent) { return below(100) < percent; }
  Value constant() {
    static const double numbers[] = {0, 0, 1, 1, -1, 2, 0.5, 3, 0.1, 1e-7};
    double number = numbers[below(std::size(numbers))];
    return g.constantLike(isFloat ? number : std::trunc(number), made[0]);
  }
  Value leaf() { return chance(30) ? constant() : made[below(made.size())]; }
  Value unary(Value x) {
    if (isFloat)
      return functions[below(std::size(functions))].build(g, x);
    switch (below(3)) {
    case 0:
      return g.neg(x);
    case 1:
      return g.abs(x);
    default:
      return g.sign(x);
    }
  }
  Value condition(Value x, Value y) {
    Value first = g.compare(Comparison(below(6)), x, y);
    if (chance(70))
      return first;
    Value second = g.compare(Comparison(below(6)), leaf(), leaf());
    return chance(50) ? g.and_(first, second) : g.or_(first, second);
  }
  Value of(Value x, Value y) {
    switch (below(isFloat ? 14 : 12)) {
    case 0:
    case 1:
      return g.add(x, y);
    case 2:
    case 3:
      return g.sub(x, y);
    case 4:
    case 5:
    case 6:
      return g.mul(x, y);
    case 7:
      return g.maximum(x, y);
    case 8:
      return g.minimum(x, y);
    case 9:
      return g.select(condition(x, y), leaf(), chance(50) ? x : leaf());
    case 10:
      return g.floorDiv(x, y);
    case 11:
      return g.mod(x, y);
    case 12:
      return g.div(x, y);
    default:
      return g.pow(x, y);
    }
  }

  GraphMath &g;
  SmallVector<Value> made;
  uint64_t state;
  const bool isFloat;
};
} // namespace

static SweepCase treeCase(uint64_t seed) {
  static const keratin_dtype_t dtypes[] = {KERATIN_DTYPE_FLOAT32, KERATIN_DTYPE_FLOAT32,
                                           KERATIN_DTYPE_FLOAT32, KERATIN_DTYPE_FLOAT64,
                                           KERATIN_DTYPE_INT32,   KERATIN_DTYPE_UINT8};
  uint64_t state = seed;
  keratin_dtype_t dtype = dtypes[nextRandom(state) % std::size(dtypes)];
  int depth = 2 + int(nextRandom(state) % 3);
  std::vector<SweepInput> inputs(3, {{DimExpr(203)}, dtype, Elements::Special});
  return {"tree " + std::to_string(seed), inputs,
          [=](GraphMath &g, ValueRange xs) -> std::vector<Value> {
            return {Tree(g, xs, state).node(depth)};
          }};
}

// KERATIN_TEST_TREES of them, from KERATIN_TEST_SEED on; others each day.
TEST_CASE("trees of elementwise functions", "[.trees]") {
  const int64_t count = fromEnvironment("KERATIN_TEST_TREES", 300), first = dailySeed();
  std::vector<SweepCase> cases;
  for (int64_t seed = first; seed < first + count; ++seed)
    cases.push_back(treeCase(uint64_t(seed)));
  Sweep sweep;
  sweep.isRewritten = true;
  sweep.check(cases, 6);
  CHECK(sweep.refused == std::vector<std::string>());
}
