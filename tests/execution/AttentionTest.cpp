// Attention of sizes around the edges of tiles and of blocks of keys, as compiled code against the
// reference interpreter.
#include "tests/execution/SweepHarness.h"

#include "ir/builder/GraphMath.h"
#include "ir/builder/ReverseMode.h"

#include <catch2/catch.hpp>

#include <limits>

using namespace keratin;
using namespace keratin::ir;
using namespace keratin::tests;
using namespace mlir;

using Values = std::vector<Value>;

namespace {

struct Sizes {
  DimExpr batch, queries, keys, depth, width;
};

// What is made of scores, and of what comes out, with others of the operands.
using Step = std::function<Value(GraphMath &, Value x, ValueRange others)>;

struct Form {
  bool areQueriesTurned = false, areKeysTurned = false, areValuesTurned = false;
  keratin_dtype_t dtype = KERATIN_DTYPE_FLOAT32;
  Elements elements = Elements::Small;
  bool isWidened = false; // softmax of narrow floats is float32's, as K::softmax makes it
  std::vector<SweepInput> others = {};
  Step mask = nullptr, behind = nullptr;
};

DimExpr d(int64_t symbol) { return DimExpr::symbol(symbol); }

Value softmax(GraphMath &math, Value x) {
  Shape shape = getShape(x);
  int64_t last = int64_t(shape.size()) - 1;
  Value max = math.reduceMax(x, {last});
  max = math.builder().create<StopGradientOp>(math.location(), max);
  Value shifted = math.sub(x, math.broadcastAlong(max, shape, {last}));
  Value e = math.exp(shifted);
  return math.div(e, math.broadcastAlong(math.reduceSum(e, {last}), shape, {last}));
}

SweepCase attention(const Sizes &sizes, const Form &form = {}) {
  auto shapeOf = [&](DimExpr rows, DimExpr columns, bool isTurned) {
    return isTurned ? Shape{sizes.batch, columns, rows} : Shape{sizes.batch, rows, columns};
  };
  Shape q = shapeOf(sizes.queries, sizes.depth, form.areQueriesTurned);
  Shape k = shapeOf(sizes.keys, sizes.depth, form.areKeysTurned);
  Shape v = shapeOf(sizes.keys, sizes.width, form.areValuesTurned);
  std::vector<SweepInput> inputs;
  for (const Shape &shape : {q, k, v})
    inputs.push_back({shape, form.dtype, form.elements});
  inputs.insert(inputs.end(), form.others.begin(), form.others.end());
  std::string label = std::string(dtypeName(form.dtype)) + " " + toString(q) + " " + toString(k) +
                      " " + toString(v);
  return {label, inputs, [=](GraphMath &math, ValueRange xs) -> Values {
            auto others = xs.drop_front(3);
            Value scores = math.dotGeneral(xs[0], xs[1], {0}, {0}, {form.areQueriesTurned ? 1 : 2},
                                           {form.areKeysTurned ? 1 : 2});
            Type type = getElementType(scores);
            scores = math.scale(scores, 0.5);
            if (form.isWidened)
              scores = math.cast(scores, Float32Type::get(type.getContext()));
            if (form.mask)
              scores = form.mask(math, scores, others);
            Value weights = softmax(math, scores);
            if (form.isWidened)
              weights = math.cast(weights, type);
            weights = math.reshape(weights, {sizes.batch, sizes.queries, sizes.keys});
            Value y =
                math.dotGeneral(weights, xs[2], {0}, {0}, {2}, {form.areValuesTurned ? 2 : 1});
            return {form.behind ? form.behind(math, y, others) : y};
          }};
}

const std::vector<Symbols> oneCall = {{{0, 1}, {1, 1}, {2, 1}}};

// Cases whose sizes are known are called once.
void check(Sweep &sweep, const std::vector<SweepCase> &cases, const std::vector<Symbols> &calls,
           size_t casesInFunction) {
  auto isKnown = [](const SweepCase &sweepCase) {
    return llvm::all_of(sweepCase.inputs, [](const SweepInput &input) {
      return llvm::all_of(input.shape, [](const DimExpr &size) { return size.isConstant(); });
    });
  };
  for (bool areKnown : {false, true}) {
    std::vector<SweepCase> those;
    llvm::copy_if(cases, std::back_inserter(those),
                  [&](const SweepCase &each) { return isKnown(each) == areKnown; });
    sweep.calls = areKnown ? oneCall : calls;
    sweep.check(those, casesInFunction);
  }
  CHECK(sweep.refused.empty());
}

void check(const std::vector<SweepCase> &cases, const std::vector<Symbols> &calls = oneCall,
           bool hasTf32Products = false) {
  Sweep sweep;
  sweep.hasTf32Products = hasTf32Products;
  check(sweep, cases, calls, 8);
}

const std::vector<Symbols> unknownCalls = {
    {{0, 2}, {1, 57}, {2, 300}}, {{0, 1}, {1, 1}, {2, 1}},   {{0, 3}, {1, 256}, {2, 256}},
    {{0, 1}, {1, 300}, {2, 33}}, {{0, 2}, {1, 0}, {2, 4}},   {{0, 0}, {1, 5}, {2, 7}},
    {{0, 2}, {1, 3}, {2, 0}},    {{0, 40}, {1, 70}, {2, 20}}};

// With the gradients of the result by queries, keys and values, or some of them.
SweepCase withGradients(const Sizes &sizes, const Form &form = {},
                        std::vector<unsigned> by = {0, 1, 2}) {
  SweepCase forward = attention(sizes, form);
  SweepInput weights{{sizes.batch, sizes.queries, sizes.width}, form.dtype, Elements::Small};
  auto build = forward.build;
  forward.inputs.push_back(weights);
  forward.label += ", gradients";
  forward.build = [=](GraphMath &math, ValueRange xs) -> Values {
    Values results = build(math, xs.drop_back());
    Value loss = math.reduceSum(math.mul(results[0], xs.back()), {0, 1, 2});
    Values wanted;
    for (unsigned input : by)
      wanted.push_back(xs[input]);
    ReverseMode walk(math.builder(), math.location(), loss, wanted);
    REQUIRE(succeeded(walk.prepare()));
    walk.seed(loss, {math.oneLike(loss), {}});
    REQUIRE(succeeded(walk.run()));
    for (Value x : wanted)
      results.push_back(walk.cotangentOf(x).value);
    return results;
  };
  return forward;
}

// Passes write sums of softmax's gradient in another way.
void checkRewritten(const std::vector<SweepCase> &cases,
                    const std::vector<Symbols> &calls = oneCall, bool hasTf32Products = false) {
  Sweep sweep;
  sweep.isRewritten = true;
  sweep.hasTf32Products = hasTf32Products;
  check(sweep, cases, calls, 4);
}

const std::vector<Symbols> gradientCalls = {
    {{0, 2}, {1, 57}, {2, 300}}, {{0, 1}, {1, 1}, {2, 1}}, {{0, 9}, {1, 130}, {2, 33}},
    {{0, 8}, {1, 20}, {2, 270}}, {{0, 2}, {1, 0}, {2, 4}}, {{0, 0}, {1, 5}, {2, 7}},
    {{0, 2}, {1, 3}, {2, 0}}};

// Rows of choices that no key remains of come up, too.
Value chosen(GraphMath &math, Value scores, Value mask, ArrayRef<int64_t> dims) {
  return math.select(math.broadcast(mask, getShape(scores), dims), scores,
                     math.constantLike(-std::numeric_limits<double>::infinity(), scores));
}

// What comes later is as much lower as decoders of Keras make it.
Value causal(GraphMath &math, Value scores, ValueRange) {
  Shape shape = getShape(scores);
  Shape square(shape.end() - 2, shape.end());
  MLIRContext *context = scores.getContext();
  auto place = [&](int64_t axis) {
    Value line = math.iota(getTensorType({square[axis]}, IntegerType::get(context, 64)), 0);
    return math.broadcast(line, square, {axis});
  };
  Value allowed = math.cast(math.greaterEqual(place(0), place(1)), getElementType(scores));
  Value penalty = math.scale(math.sub(allowed, math.oneLike(allowed)), 1e9);
  int64_t rank = int64_t(shape.size());
  return math.add(scores, math.broadcast(penalty, shape, {rank - 2, rank - 1}));
}

} // namespace

TEST_CASE("attention whose sizes are known", "[attention]") {
  std::vector<SweepCase> cases;
  for (const Sizes &sizes :
       {Sizes{2, 56, 256, 64, 64}, Sizes{1, 57, 257, 64, 64}, Sizes{3, 17, 31, 16, 20},
        Sizes{1, 300, 20, 8, 48}, Sizes{2, 9, 1, 5, 1}, Sizes{1, 100, 700, 1, 33},
        Sizes{1, 60, 80, 300, 130}, Sizes{1, 20, 600, 512, 512}, Sizes{20, 281, 64, 32, 16},
        Sizes{2, 30, 0, 8, 8}, Sizes{2, 5, 50, 8, 8}})
    cases.push_back(attention(sizes));
  check(cases);
}

TEST_CASE("attention whose sizes are not known", "[attention]") {
  std::vector<SweepCase> cases;
  for (const Sizes &sizes : {Sizes{d(0), d(1), d(2), 64, 64}, Sizes{d(0), d(1), d(1), 20, 36},
                             Sizes{d(0), 60, d(2), 16, 8}, Sizes{3, d(1), 200, 32, 32}})
    cases.push_back(attention(sizes));
  check(cases, unknownCalls);
}

TEST_CASE("attention to operands in any order of dimensions", "[attention]") {
  std::vector<SweepCase> cases;
  for (int order = 1; order < 8; ++order)
    cases.push_back(attention({2, d(1), d(2), 24, 40}, {.areQueriesTurned = bool(order & 1),
                                                        .areKeysTurned = bool(order & 2),
                                                        .areValuesTurned = bool(order & 4)}));
  check(cases, unknownCalls);
}

TEST_CASE("attention of all dtypes", "[attention]") {
  std::vector<SweepCase> cases;
  for (keratin_dtype_t dtype :
       {KERATIN_DTYPE_FLOAT16, KERATIN_DTYPE_BFLOAT16, KERATIN_DTYPE_FLOAT64})
    for (const Sizes &sizes : {Sizes{2, 70, 300, 64, 64}, Sizes{d(0), d(1), d(2), 20, 36}})
      for (bool isWidened : {false, dtype != KERATIN_DTYPE_FLOAT64})
        cases.push_back(attention(sizes, {.dtype = dtype, .isWidened = isWidened}));
  check(cases, unknownCalls);
}

// Devices hold scores of these in registers: blocks of 64 or 128 queries, 64 keys at a time.
TEST_CASE("attention in halves", "[attention]") {
  std::vector<SweepCase> cases;
  for (const Sizes &sizes :
       {Sizes{2, 64, 64, 64, 64}, Sizes{1, 65, 129, 64, 64}, Sizes{2, 130, 63, 32, 64},
        Sizes{1, 20, 200, 128, 128}, Sizes{3, 9, 1, 64, 32}, Sizes{1, 40, 70, 40, 72},
        Sizes{300, 16, 65, 32, 32}, Sizes{2, 30, 0, 32, 32}, Sizes{d(0), d(1), d(2), 64, 64},
        Sizes{d(0), d(1), d(1), 32, 128}, Sizes{d(0), 140, d(2), 64, 32}})
    for (keratin_dtype_t dtype : {KERATIN_DTYPE_FLOAT16, KERATIN_DTYPE_BFLOAT16})
      for (bool isWidened : {true, false})
        cases.push_back(attention(sizes, {.dtype = dtype, .isWidened = isWidened}));
  check(cases, unknownCalls);
}

TEST_CASE("attention in halves to operands in any order of dimensions", "[attention]") {
  std::vector<SweepCase> cases;
  for (int order = 1; order < 8; ++order)
    cases.push_back(attention({2, d(1), d(2), 32, 64}, {.areQueriesTurned = bool(order & 1),
                                                        .areKeysTurned = bool(order & 2),
                                                        .areValuesTurned = bool(order & 4),
                                                        .dtype = KERATIN_DTYPE_FLOAT16,
                                                        .isWidened = true}));
  check(cases, unknownCalls);
}

TEST_CASE("attention in halves with masks, and what follows", "[attention]") {
  const Sizes sizes = {*mul(d(0), DimExpr(3)), d(1), d(2), 32, 32};
  const Shape heads = {d(0), 3, d(1), d(2)};
  SweepInput ofBoth{{d(1), d(2)}, KERATIN_DTYPE_FLOAT32, Elements::Small};
  SweepInput choices{{d(0), d(2)}, KERATIN_DTYPE_BOOL};
  SweepInput ofRows{{sizes.batch, sizes.queries, sizes.width}, KERATIN_DTYPE_FLOAT16};
  auto inHeads = [=](const Step &step) -> Step {
    return [=](GraphMath &math, Value scores, ValueRange others) {
      return step(math, math.reshape(scores, heads), others);
    };
  };
  std::vector<SweepCase> cases;
  for (keratin_dtype_t dtype : {KERATIN_DTYPE_FLOAT16, KERATIN_DTYPE_BFLOAT16}) {
    Form form = {.dtype = dtype, .isWidened = true};
    form.mask = causal;
    cases.push_back(attention(sizes, form));
    form.mask = inHeads(causal);
    cases.push_back(attention(sizes, form));
    form.others = {ofBoth};
    form.mask = inHeads([](GraphMath &math, Value scores, ValueRange others) {
      return math.add(scores, math.broadcast(others[0], getShape(scores), {2, 3}));
    });
    cases.push_back(attention(sizes, form));
    form.others = {choices};
    form.mask = inHeads([](GraphMath &math, Value scores, ValueRange others) {
      return chosen(math, scores, others[0], {0, 3});
    });
    cases.push_back(attention(sizes, form));
    form.mask = nullptr;
    ofRows.dtype = dtype;
    form.others = {ofRows};
    form.behind = [](GraphMath &math, Value y, ValueRange others) {
      return math.add(math.tanh(y), others[0]);
    };
    cases.push_back(attention(sizes, form));
  }
  check(cases, unknownCalls);
}

TEST_CASE("attention in halves to what is not finite", "[attention]") {
  std::vector<SweepCase> cases;
  for (const Sizes &sizes : {Sizes{3, 40, 30, 8, 8}, Sizes{d(0), d(1), d(2), 32, 64}})
    for (keratin_dtype_t dtype : {KERATIN_DTYPE_FLOAT16, KERATIN_DTYPE_BFLOAT16})
      cases.push_back(
          attention(sizes, {.dtype = dtype, .elements = Elements::Special, .isWidened = true}));
  check(cases, unknownCalls);
}

// The largest logits and the sums of exponentials, which gradients read.
SweepCase withNumbersOfRows(const Sizes &sizes, const Form &form) {
  SweepCase found = attention(sizes, form);
  found.label += ", numbers of rows";
  found.build = [=](GraphMath &math, ValueRange xs) -> Values {
    Value scores = math.scale(math.dotGeneral(xs[0], xs[1], {0}, {0}, {2}, {2}), 0.5);
    Type type = getElementType(scores);
    if (form.isWidened)
      scores = math.cast(scores, Float32Type::get(type.getContext()));
    Shape shape = getShape(scores);
    Value max = math.reduceMax(scores, {2});
    Value e = math.exp(math.sub(scores, math.broadcastAlong(max, shape, {2})));
    Value sum = math.reduceSum(e, {2});
    Value weights = math.cast(math.div(e, math.broadcastAlong(sum, shape, {2})), type);
    return {math.dotGeneral(weights, xs[2], {0}, {0}, {2}, {1}), max, sum};
  };
  return found;
}

TEST_CASE("attention with numbers of rows", "[attention]") {
  std::vector<SweepCase> cases;
  for (const Sizes &sizes : {Sizes{2, 65, 129, 64, 32}, Sizes{300, 16, 65, 32, 32},
                             Sizes{2, 30, 0, 32, 32}, Sizes{d(0), d(1), d(2), 64, 64}})
    for (keratin_dtype_t dtype :
         {KERATIN_DTYPE_FLOAT16, KERATIN_DTYPE_BFLOAT16, KERATIN_DTYPE_FLOAT32})
      for (bool isWidened : {false, dtype != KERATIN_DTYPE_FLOAT32})
        for (Elements elements : {Elements::Small, Elements::Special})
          cases.push_back(withNumbersOfRows(
              sizes, {.dtype = dtype, .elements = elements, .isWidened = isWidened}));
  check(cases, unknownCalls, /*hasTf32Products=*/true);
}

TEST_CASE("attention in tf32", "[attention]") {
  std::vector<SweepCase> cases;
  for (const Sizes &sizes :
       {Sizes{2, 64, 64, 64, 64}, Sizes{1, 65, 129, 64, 32}, Sizes{1, 20, 100, 128, 128},
        Sizes{1, 40, 70, 36, 76}, Sizes{300, 16, 65, 32, 32}, Sizes{d(0), d(1), d(2), 32, 64}})
    for (const Step &mask : {Step(), Step(causal)})
      cases.push_back(attention(sizes, {.mask = mask}));
  for (int order = 1; order < 8; ++order)
    cases.push_back(attention({2, d(1), d(2), 32, 64}, {.areQueriesTurned = bool(order & 1),
                                                        .areKeysTurned = bool(order & 2),
                                                        .areValuesTurned = bool(order & 4)}));
  check(cases, unknownCalls, /*hasTf32Products=*/true);
}

TEST_CASE("attention with masks", "[attention]") {
  const DimExpr batch = d(0), queries = d(1), keys = d(2);
  const Sizes sizes = {*mul(batch, DimExpr(3)), queries, keys, 16, 16};
  const Shape heads = {batch, 3, queries, keys};
  auto inHeads = [=](const Step &step) -> Step {
    return [=](GraphMath &math, Value scores, ValueRange others) {
      return step(math, math.reshape(scores, heads), others);
    };
  };
  auto sum = [](ArrayRef<int64_t> dims) {
    SmallVector<int64_t> kept(dims);
    return [=](GraphMath &math, Value scores, ValueRange others) {
      return math.add(scores, math.broadcast(others[0], getShape(scores), kept));
    };
  };
  std::vector<SweepCase> cases;
  SweepInput ofKeys{{batch, keys}, KERATIN_DTYPE_FLOAT32};
  SweepInput ofBoth{{queries, keys}, KERATIN_DTYPE_FLOAT32};
  SweepInput ofHeads{{batch, 3, queries, keys}, KERATIN_DTYPE_FLOAT32};
  SweepInput choices{{batch, keys}, KERATIN_DTYPE_BOOL};
  cases.push_back(attention(sizes, {.others = {ofKeys}, .mask = inHeads(sum({0, 3}))}));
  cases.push_back(attention(sizes, {.others = {ofBoth}, .mask = inHeads(sum({2, 3}))}));
  cases.push_back(attention(sizes, {.others = {ofHeads}, .mask = inHeads(sum({0, 1, 2, 3}))}));
  cases.push_back(
      attention(sizes, {.others = {choices},
                        .mask = inHeads([](GraphMath &math, Value scores, ValueRange others) {
                          return chosen(math, scores, others[0], {0, 3});
                        })}));
  cases.push_back(attention(sizes, {.mask = causal}));
  cases.push_back(attention(sizes, {.mask = inHeads(causal)}));
  check(cases, unknownCalls);
}

TEST_CASE("what follows from attention", "[attention]") {
  std::vector<SweepCase> cases;
  for (const Sizes &sizes : {Sizes{2, 60, 40, 16, 20}, Sizes{d(0), d(1), d(2), 8, 48}})
    cases.push_back(attention(
        sizes, {.others = {{{sizes.batch, sizes.queries, sizes.width}, KERATIN_DTYPE_FLOAT32},
                           {{sizes.width}, KERATIN_DTYPE_FLOAT32, Elements::Small}},
                .behind = [](GraphMath &math, Value y, ValueRange others) {
                  Value bias = math.broadcast(others[1], getShape(y), {2});
                  return math.add(math.tanh(math.add(y, bias)), others[0]);
                }}));
  check(cases, unknownCalls);
}

TEST_CASE("attention to what is not finite", "[attention]") {
  std::vector<SweepCase> cases;
  for (const Sizes &sizes : {Sizes{3, 40, 30, 4, 8}, Sizes{d(0), d(1), d(2), 2, 8}})
    cases.push_back(attention(sizes, {.elements = Elements::Special}));
  check(cases, unknownCalls);
}

// Around the edges of blocks of queries and keys, and of entries that threads share.
TEST_CASE("gradients of attention whose sizes are known", "[attention]") {
  std::vector<SweepCase> cases;
  for (const Sizes &sizes :
       {Sizes{2, 70, 256, 8, 8}, Sizes{8, 65, 257, 8, 40}, Sizes{3, 17, 31, 16, 20},
        Sizes{9, 150, 130, 8, 36}, Sizes{2, 9, 5, 5, 1}, Sizes{1, 230, 300, 1, 3},
        Sizes{1, 130, 130, 250, 130}, Sizes{8, 120, 270, 8, 8}, Sizes{2, 113, 150, 64, 64},
        Sizes{2, 30, 0, 8, 8}})
    cases.push_back(withGradients(sizes));
  checkRewritten(cases);
}

TEST_CASE("gradients of attention whose sizes are not known", "[attention]") {
  std::vector<SweepCase> cases;
  for (const Sizes &sizes : {Sizes{d(0), d(1), d(2), 8, 40}, Sizes{d(0), d(1), d(1), 20, 36},
                             Sizes{d(0), 60, d(2), 16, 8}, Sizes{3, d(1), 200, 8, 8}})
    for (keratin_dtype_t dtype : {KERATIN_DTYPE_FLOAT32, KERATIN_DTYPE_FLOAT64})
      cases.push_back(withGradients(sizes, {.dtype = dtype}));
  checkRewritten(cases, gradientCalls);
}

TEST_CASE("some of the gradients of attention", "[attention]") {
  std::vector<SweepCase> cases;
  const Sizes sizes{d(0), d(1), d(2), 24, 40};
  for (const std::vector<unsigned> &by :
       std::vector<std::vector<unsigned>>{{0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}})
    cases.push_back(withGradients(sizes, {}, by));
  checkRewritten(cases, gradientCalls);
}

TEST_CASE("gradients of attention to operands in any order of dimensions", "[attention]") {
  std::vector<SweepCase> cases;
  for (int order = 0; order < 4; ++order)
    cases.push_back(withGradients({2, d(1), d(2), 24, 40}, {.areKeysTurned = bool(order & 1),
                                                            .areValuesTurned = bool(order & 2)}));
  checkRewritten(cases, gradientCalls);
}

// On devices blocks have 64 queries or 64 keys, and walk over 64 or 32 of the others at a time.
TEST_CASE("gradients of attention in halves", "[attention]") {
  std::vector<SweepCase> cases;
  for (const Sizes &sizes :
       {Sizes{2, 64, 64, 64, 64}, Sizes{1, 65, 129, 64, 64}, Sizes{2, 130, 63, 32, 64},
        Sizes{1, 20, 200, 128, 128}, Sizes{3, 9, 2, 64, 32}, Sizes{1, 140, 70, 40, 72},
        Sizes{2, 30, 0, 32, 32}, Sizes{d(0), d(1), d(2), 64, 64}, Sizes{d(0), d(1), d(1), 32, 128},
        Sizes{d(0), 140, d(2), 64, 32}})
    for (keratin_dtype_t dtype : {KERATIN_DTYPE_FLOAT16, KERATIN_DTYPE_BFLOAT16})
      cases.push_back(withGradients(sizes, {.dtype = dtype, .isWidened = true}));
  checkRewritten(cases, gradientCalls);
}

TEST_CASE("some of the gradients of attention in halves", "[attention]") {
  std::vector<SweepCase> cases;
  const Sizes sizes{d(0), d(1), d(2), 24, 40};
  const Form form = {.dtype = KERATIN_DTYPE_FLOAT16, .isWidened = true};
  for (const std::vector<unsigned> &by :
       std::vector<std::vector<unsigned>>{{0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}})
    cases.push_back(withGradients(sizes, form, by));
  checkRewritten(cases, gradientCalls);
}

TEST_CASE("gradients of attention in halves to operands in any order", "[attention]") {
  std::vector<SweepCase> cases;
  for (int order = 0; order < 8; ++order)
    cases.push_back(withGradients({2, d(1), d(2), 24, 40}, {.areQueriesTurned = bool(order & 4),
                                                            .areKeysTurned = bool(order & 1),
                                                            .areValuesTurned = bool(order & 2),
                                                            .dtype = KERATIN_DTYPE_FLOAT16,
                                                            .isWidened = true}));
  checkRewritten(cases, gradientCalls);
}

TEST_CASE("gradients of attention in halves with masks", "[attention]") {
  const Sizes sizes = {*mul(d(0), DimExpr(3)), d(1), d(2), 16, 16};
  const Shape heads = {d(0), 3, d(1), d(2)};
  SweepInput ofKeys{{d(0), d(2)}, KERATIN_DTYPE_FLOAT32, Elements::Small};
  SweepInput choices{{d(0), d(2)}, KERATIN_DTYPE_BOOL};
  std::vector<SweepCase> cases;
  for (keratin_dtype_t dtype : {KERATIN_DTYPE_FLOAT16, KERATIN_DTYPE_BFLOAT16}) {
    Form form = {.dtype = dtype, .isWidened = true};
    form.mask = causal;
    cases.push_back(withGradients(sizes, form));
    form.mask = [](GraphMath &math, Value scores, ValueRange) {
      return math.scale(math.tanh(scores), 3);
    };
    cases.push_back(withGradients(sizes, form));
    form.others = {ofKeys};
    form.mask = [=](GraphMath &math, Value scores, ValueRange others) {
      scores = math.reshape(scores, heads);
      return math.add(scores, math.broadcast(others[0], heads, {0, 3}));
    };
    cases.push_back(withGradients(sizes, form));
    form.others = {choices};
    form.mask = [=](GraphMath &math, Value scores, ValueRange others) {
      return chosen(math, math.reshape(scores, heads), others[0], {0, 3});
    };
    cases.push_back(withGradients(sizes, form));
  }
  checkRewritten(cases, gradientCalls);
}

TEST_CASE("gradients of attention in halves to what is not finite", "[attention]") {
  std::vector<SweepCase> cases;
  for (const Sizes &sizes : {Sizes{3, 40, 30, 8, 8}, Sizes{d(0), d(1), d(2), 32, 64}})
    for (keratin_dtype_t dtype : {KERATIN_DTYPE_FLOAT16, KERATIN_DTYPE_BFLOAT16})
      cases.push_back(
          withGradients(sizes, {.dtype = dtype, .elements = Elements::Special, .isWidened = true}));
  checkRewritten(cases, gradientCalls);
}

TEST_CASE("gradients of attention in tf32", "[attention]") {
  std::vector<SweepCase> cases;
  for (const Sizes &sizes : {Sizes{2, 64, 64, 64, 64}, Sizes{1, 65, 129, 64, 32},
                             Sizes{1, 140, 70, 36, 60}, Sizes{d(0), d(1), d(2), 32, 64}})
    for (const Step &mask : {Step(), Step(causal)})
      cases.push_back(withGradients(sizes, {.mask = mask}));
  for (int order = 1; order < 8; ++order)
    cases.push_back(withGradients({2, d(1), d(2), 32, 64}, {.areQueriesTurned = bool(order & 4),
                                                            .areKeysTurned = bool(order & 1),
                                                            .areValuesTurned = bool(order & 2)}));
  checkRewritten(cases, gradientCalls, /*hasTf32Products=*/true);
}

TEST_CASE("gradients of attention with masks", "[attention]") {
  const DimExpr batch = d(0), queries = d(1), keys = d(2);
  const Sizes sizes = {*mul(batch, DimExpr(3)), queries, keys, 16, 16};
  const Shape heads = {batch, 3, queries, keys};
  SweepInput ofKeys{{batch, keys}, KERATIN_DTYPE_FLOAT32, Elements::Small};
  SweepInput choices{{batch, keys}, KERATIN_DTYPE_BOOL};
  std::vector<SweepCase> cases;
  cases.push_back(withGradients(
      sizes, {.others = {ofKeys}, .mask = [=](GraphMath &math, Value scores, ValueRange others) {
                scores = math.reshape(scores, heads);
                Value mask = math.broadcast(others[0], heads, {0, 3});
                return math.add(scores, mask);
              }}));
  cases.push_back(withGradients(
      sizes, {.others = {choices}, .mask = [=](GraphMath &math, Value scores, ValueRange others) {
                scores = math.reshape(scores, heads);
                return chosen(math, scores, others[0], {0, 3});
              }}));
  cases.push_back(withGradients(sizes, {.mask = causal}));
  cases.push_back(withGradients(sizes, {.mask = [](GraphMath &math, Value scores, ValueRange) {
                                  return math.scale(math.tanh(scores), 3);
                                }}));
  checkRewritten(cases, gradientCalls);
}

TEST_CASE("gradients of attention to what is not finite", "[attention]") {
  std::vector<SweepCase> cases;
  for (const Sizes &sizes : {Sizes{3, 40, 30, 4, 8}, Sizes{d(0), d(1), d(2), 2, 8}})
    cases.push_back(withGradients(sizes, {.elements = Elements::Special}));
  checkRewritten(cases, gradientCalls);
}
