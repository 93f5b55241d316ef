#include "tests/execution/GradientCases.h"

#include "ir/builder/GraphMath.h"
#include "ir/builder/MatrixMath.h"
#include "tests/execution/GivenGradientExamples.h"
#include "tests/execution/LoopExamples.h"
#include "tests/execution/WindowExamples.h"

#include <map>
#include <numeric>

using namespace keratin;
using namespace keratin::ir;
using namespace keratin::tests;
using namespace mlir;

ArrayRef<OpEntry> keratin::tests::opTable() {
  static const OpEntry table[] = {
#define KERATIN_OP(Class, name, operands, domain, differentiable)                                  \
  {"keratin." name, operands, domain, differentiable},
#include "OpTable.inc"
#undef KERATIN_OP
  };
  return table;
}

//===-- Inputs --------------------------------------------------------------------------------===//

static DimExpr d(int64_t id) { return DimExpr::symbol(id); }

using Dims = std::vector<int64_t>;

static Shape staticShape(const Dims &dims) { return Shape(dims.begin(), dims.end()); }

static Input numbers(const Dims &dims, const char *domain = "any", uint64_t seed = 1) {
  return {staticShape(dims), randomTensor(dims, domain, seed)};
}

// A shape with symbols, and their sizes in this call.
static Input numbers(const Shape &shape, const Dims &dims, const char *domain = "any",
                     uint64_t seed = 1) {
  return {shape, randomTensor(dims, domain, seed)};
}

static Input given(const Dims &dims, const std::vector<double> &values) {
  HostTensor tensor;
  tensor.dtype = KERATIN_DTYPE_FLOAT64;
  tensor.dims = dims;
  tensor.floats = values;
  return {staticShape(dims), tensor};
}

static Input integers(const Dims &dims, const std::vector<int64_t> &values,
                      keratin_dtype_t dtype = KERATIN_DTYPE_INT64) {
  HostTensor tensor;
  tensor.dtype = dtype;
  tensor.dims = dims;
  tensor.ints = values;
  return {staticShape(dims), tensor};
}

static Shape expressions(std::initializer_list<const char *> texts) {
  Shape shape;
  for (const char *text : texts)
    shape.push_back(*DimExpr::parse(text));
  return shape;
}

//===-- Elementwise ---------------------------------------------------------------------------===//

struct Sample {
  Shape shape;
  Dims dims;
};

static std::vector<Sample> samples() {
  return {{{}, {}},
          {{DimExpr(1)}, {1}},
          {{DimExpr(0)}, {0}},
          {{DimExpr(3)}, {3}},
          {{DimExpr(2), DimExpr(1)}, {2, 1}},
          {{d(0)}, {3}},
          {{d(0), d(1)}, {0, 2}},
          {{DimExpr(2), d(0), DimExpr(1), DimExpr(2)}, {2, 2, 1, 2}}};
}

// An op whose operands and result have one type, and which has no attributes.
static std::vector<GradientCase> elementwiseCases(const OpEntry &op) {
  std::vector<GradientCase> cases;
  Build build = [name = op.name](OpBuilder &b, Location loc, ValueRange xs) {
    OperationState state(loc, name);
    state.addOperands(xs);
    state.addTypes(xs.back().getType());
    return b.create(state)->getResult(0);
  };
  for (auto [shape, dims] : samples()) {
    std::vector<Input> inputs;
    for (unsigned i = 0; i < op.operands; ++i)
      inputs.push_back(numbers(shape, dims, op.domain, 100 + i));
    cases.push_back({toString(shape), inputs, build});
  }
  if (op.operands == 2)
    cases.push_back({"repeated operand",
                     {numbers({3}, op.domain)},
                     [build](OpBuilder &b, Location loc, ValueRange xs) {
                       return build(b, loc, {xs[0], xs[0]});
                     }});
  return cases;
}

// There is no gradient by the exponent.
static std::vector<GradientCase> zetaCases() {
  std::vector<GradientCase> cases;
  for (double exponent : {2.0, 3.5})
    for (auto [shape, dims] : samples())
      cases.push_back({"exponent " + std::to_string(exponent) + " " + toString(shape),
                       {numbers(shape, dims, "positive")},
                       [=](OpBuilder &b, Location loc, ValueRange xs) -> Value {
                         GraphMath g(b, loc);
                         return g.zeta(g.constantLike(exponent, xs[0]), xs[0]);
                       }});
  return cases;
}

// Of the last operand, as second derivatives by the parameters are missing.
template <typename Op, int parameters> static std::vector<GradientCase> incompleteCases() {
  std::vector<GradientCase> cases;
  for (double parameter : {0.7, 2.5})
    for (auto [shape, dims] : samples())
      cases.push_back({"parameter " + std::to_string(parameter) + " " + toString(shape),
                       {numbers(shape, dims, "positive")},
                       [=](OpBuilder &b, Location loc, ValueRange xs) -> Value {
                         GraphMath g(b, loc);
                         Value a = g.constantLike(parameter, xs[0]);
                         if constexpr (parameters == 1)
                           return b.create<Op>(loc, a, xs[0]);
                         else // between 0 and 1
                           return b.create<Op>(loc, a, g.oneLike(a), g.scale(xs[0], 0.4));
                       }});
  return cases;
}

static std::vector<GradientCase> selectCases() {
  Input condition = integers({2, 2}, {1, 0, 0, 1}, KERATIN_DTYPE_BOOL);
  Build build = [](OpBuilder &b, Location loc, ValueRange xs) {
    return GraphMath(b, loc).select(xs[0], xs[1], xs[2]);
  };
  Input scalar = integers({}, {0}, KERATIN_DTYPE_BOOL);
  return {{"(2, 2)", {condition, numbers({2, 2}, "any", 1), numbers({2, 2}, "any", 2)}, build},
          {"()", {scalar, numbers({}, "any", 1), numbers({}, "any", 2)}, build},
          {"the same twice",
           {condition, numbers({2, 2})},
           [](OpBuilder &b, Location loc, ValueRange xs) -> Value {
             return b.create<SelectOp>(loc, xs[0], xs[1], xs[1]);
           }}};
}

static std::vector<GradientCase> castCases() {
  // From float32 to float64; the gradient goes the other way and rounds: differences with a small
  // step would see that. The op is linear, so any step is right.
  Input x = numbers({2, 3});
  x.value.dtype = KERATIN_DTYPE_FLOAT32;
  Input unknown = numbers({d(0)}, {3});
  unknown.value.dtype = KERATIN_DTYPE_FLOAT32;
  Build build = [](OpBuilder &b, Location loc, ValueRange xs) {
    return GraphMath(b, loc).cast(xs[0], b.getF64Type());
  };
  return {{"(2, 3)", {x}, build, 1.0}, {"(d0,)", {unknown}, build, 1.0}};
}

//===-- Shape ---------------------------------------------------------------------------------===//

static std::vector<GradientCase> reshapeCases() {
  auto to = [](Shape shape) -> Build {
    return [shape](OpBuilder &b, Location loc, ValueRange xs) {
      return GraphMath(b, loc).reshape(xs[0], shape);
    };
  };
  return {{"(2, 3) to (3, 2)", {numbers({2, 3})}, to(staticShape({3, 2}))},
          {"(6,) to (2, 1, 3)", {numbers({6})}, to(staticShape({2, 1, 3}))},
          {"() to (1, 1)", {numbers({})}, to(staticShape({1, 1}))},
          {"(0, 3) to (0,)", {numbers({0, 3})}, to(staticShape({0}))},
          {"(d0, 4) to (4*d0,)", {numbers({d(0), 4}, {2, 4})}, to(expressions({"4*d0"}))},
          {"unproved", {numbers({d(0), 4}, {3, 4})}, to(expressions({"6", "floordiv(d0*4, 6)"}))}};
}

static std::vector<GradientCase> broadcastCases() {
  auto to = [](Shape shape, Dims dims) -> Build {
    return [=](OpBuilder &b, Location loc, ValueRange xs) {
      return GraphMath(b, loc).broadcast(xs[0], shape, dims);
    };
  };
  return {{"scalar", {numbers({})}, to(staticShape({2, 3}), {})},
          {"leading", {numbers({4})}, to(staticShape({2, 4}), {1})},
          {"trailing", {numbers({2})}, to(staticShape({2, 3}), {0})},
          {"of size one", {numbers({1, 3})}, to(staticShape({2, 2, 3}), {1, 2})},
          {"rank 4", {numbers({2, 1, 2})}, to(staticShape({2, 2, 3, 2}), {0, 2, 3})},
          {"to nothing", {numbers({1, 2})}, to(staticShape({0, 2}), {0, 1})},
          {"unknown kept", {numbers({d(0), 1}, {2, 1})}, to({d(0), 3}, {0, 1})},
          {"to unknown",
           {numbers({d(0)}, {3}), numbers({1})},
           [](OpBuilder &b, Location loc, ValueRange xs) {
             GraphMath g(b, loc);
             return g.mul(xs[0], g.broadcast(xs[1], getShape(xs[0]), {0}));
           }}};
}

static std::vector<GradientCase> transposeCases() {
  auto by = [](Dims permutation) -> Build {
    return [=](OpBuilder &b, Location loc, ValueRange xs) {
      return GraphMath(b, loc).transpose(xs[0], permutation);
    };
  };
  return {{"matrix", {numbers({2, 3})}, by({1, 0})},
          {"cycle", {numbers({2, 3, 2})}, by({2, 0, 1})},
          {"rank 4", {numbers({2, 1, 3, 2})}, by({3, 1, 0, 2})},
          {"empty", {numbers({0, 2})}, by({1, 0})},
          {"unknown", {numbers({d(0), 1, d(1)}, {2, 1, 3})}, by({2, 0, 1})}};
}

static std::vector<GradientCase> sliceCases() {
  auto box = [](Shape starts, Shape sizes, Dims strides) -> Build {
    return [=](OpBuilder &b, Location loc, ValueRange xs) {
      return GraphMath(b, loc).slice(xs[0], starts, sizes, strides);
    };
  };
  return {{"strided", {numbers({5, 4})}, box({1, 0}, {2, 2}, {2, 3})},
          {"one element", {numbers({3})}, box({2}, {1}, {1})},
          {"nothing", {numbers({3})}, box({1}, {0}, {1})},
          {"of nothing", {numbers({0, 2})}, box({0, 1}, {0, 1}, {1, 1})},
          {"rank 4", {numbers({2, 2, 1, 3})}, box({0, 1, 0, 0}, {2, 1, 1, 2}, {1, 1, 1, 2})},
          {"all but the first of unknown",
           {numbers({d(0)}, {4})},
           box({1}, expressions({"d0 - 1"}), {1})},
          {"every second of unknown",
           {numbers({d(0), 2}, {5, 2})},
           box({0, 0}, expressions({"ceildiv(d0, 2)", "2"}), {2, 1})},
          {"unknown start", {numbers({d(0)}, {4})}, box(expressions({"d0 - 1"}), {1}, {1})}};
}

static std::vector<GradientCase> padCases() {
  auto zeros = [](Shape low, Dims interior, Shape result) -> Build {
    return [=](OpBuilder &b, Location loc, ValueRange xs) {
      return GraphMath(b, loc).pad(xs[0], low, interior, result);
    };
  };
  return {{"around and between", {numbers({2, 3})}, zeros({1, 0}, {1, 2}, {5, 8})},
          {"before", {numbers({2})}, zeros({3}, {0}, {5})},
          {"nothing", {numbers({0, 2})}, zeros({1, 0}, {2, 0}, {3, 2})},
          {"rank 4", {numbers({1, 2, 1, 2})}, zeros({0, 0, 1, 1}, {0, 1, 0, 0}, {1, 3, 2, 3})},
          {"unknown", {numbers({d(0)}, {3})}, zeros({2}, {1}, expressions({"2*d0 + 3"}))}};
}

static std::vector<GradientCase> concatenateCases() {
  auto along = [](int64_t axis) -> Build {
    return [axis](OpBuilder &b, Location loc, ValueRange xs) -> Value {
      return b.create<ConcatenateOp>(loc, xs, axis);
    };
  };
  return {
      {"three", {numbers({2, 1}), numbers({2, 3}), numbers({2, 0})}, along(1)},
      {"one", {numbers({2})}, along(0)},
      {"unknown",
       {numbers({d(0), 2}, {2, 2}), numbers({3, 2}), numbers({d(1), 2}, {1, 2})},
       along(0)},
      {"rank 3", {numbers({1, 2, 2}), numbers({1, 1, 2})}, along(1)},
      {"the same twice", {numbers({3})}, [](OpBuilder &b, Location loc, ValueRange xs) -> Value {
         return b.create<ConcatenateOp>(loc, ValueRange{xs[0], xs[0]}, 0);
       }}};
}

static std::vector<GradientCase> reverseCases() {
  auto along = [](Dims axes) -> Build {
    return [axes](OpBuilder &b, Location loc, ValueRange xs) {
      return GraphMath(b, loc).reverse(xs[0], axes);
    };
  };
  return {{"one axis", {numbers({3, 2})}, along({0})},
          {"two axes", {numbers({2, 2, 3})}, along({0, 2})},
          {"empty", {numbers({0})}, along({0})},
          {"unknown", {numbers({d(0)}, {3})}, along({0})}};
}

static std::vector<GradientCase> gatherCases() {
  Build build = [](OpBuilder &b, Location loc, ValueRange xs) {
    return GraphMath(b, loc).gather(xs[0], xs[1]);
  };
  return {{"duplicates", {numbers({4, 2}), integers({3}, {2, 0, 2})}, build},
          {"scalar index", {numbers({4}), integers({}, {3})}, build},
          {"matrix of indices",
           {numbers({3, 2}), integers({2, 2}, {0, 1, 1, 2}, KERATIN_DTYPE_INT32)},
           build},
          {"no index", {numbers({3}), integers({0}, {})}, build},
          {"empty rows", {numbers({3, 0}), integers({2}, {0, 1})}, build},
          {"unknown", {numbers({d(0), 2}, {3, 2}), integers({2}, {2, 2})}, build}};
}

static std::vector<GradientCase> scatterAddCases() {
  auto to = [](Shape shape) -> Build {
    return [shape](OpBuilder &b, Location loc, ValueRange xs) {
      return GraphMath(b, loc).scatterAdd(xs[0], xs[1], shape);
    };
  };
  return {{"duplicates", {integers({3}, {2, 0, 2}), numbers({3, 2})}, to({4, 2})},
          {"scalar index", {integers({}, {1}), numbers({})}, to({3})},
          {"nothing", {integers({0}, {}), numbers({0, 2})}, to({2, 2})},
          {"matrix", {integers({2, 1}, {1, 1}), numbers({2, 1})}, to({2})}};
}

template <typename Op> static std::vector<GradientCase> scatterExtremeCases() {
  auto to = [](Shape shape) -> Build {
    return [shape](OpBuilder &b, Location loc, ValueRange xs) -> Value {
      // Of a row without updates the result is infinite.
      GraphMath g(b, loc);
      Value y = b.create<Op>(loc, getTensorType(shape, b.getF64Type()), xs[0], xs[1]);
      return g.select(g.isFinite(y), y, g.zeroLike(y));
    };
  };
  return {{"duplicates", {integers({5}, {2, 0, 2, 2, 0}), numbers({5, 2})}, to({4, 2})},
          {"scalar index", {integers({}, {1}), numbers({})}, to({3})},
          {"nothing", {integers({0}, {}), numbers({0, 2})}, to({2, 2})},
          {"matrix", {integers({2, 1}, {1, 1}), numbers({2, 1})}, to({2})}};
}

static std::vector<GradientCase> sparseDotCases() {
  auto rows = [](int64_t count) -> Build {
    return [count](OpBuilder &b, Location loc, ValueRange xs) -> Value {
      auto type = getTensorType({DimExpr(count), getShape(xs[3])[1]}, b.getF64Type());
      return b.create<SparseDotOp>(loc, type, xs[0], xs[1], xs[2], xs[3]);
    };
  };
  return {
      {"row-major",
       {integers({3}, {0, 0, 2}), integers({3}, {1, 2, 0}), numbers({3}), numbers({3, 2})},
       rows(3)},
      {"any order",
       {integers({3}, {1, 0, 1}), integers({3}, {0, 0, 0}), numbers({3}), numbers({2, 3})},
       rows(2)},
      {"nothing", {integers({0}, {}), integers({0}, {}), numbers({0}), numbers({2, 1})}, rows(2)}};
}

static std::vector<GradientCase> dynamicSliceCases() {
  auto box = [](Shape sizes) -> Build {
    return [sizes](OpBuilder &b, Location loc, ValueRange xs) -> Value {
      return b.create<DynamicSliceOp>(loc, getTensorType(sizes, b.getF64Type()), xs[0],
                                      xs.drop_front());
    };
  };
  return {
      {"box", {numbers({4, 3}), integers({}, {1}), integers({}, {0})}, box({2, 2})},
      {"element", {numbers({3}), integers({}, {2}, KERATIN_DTYPE_INT32)}, box({1})},
      {"nothing", {numbers({3}), integers({}, {1})}, box({0})},
      {"scalar", {numbers({})}, box({})},
      {"unknown", {numbers({d(0), 2}, {3, 2}), integers({}, {1}), integers({}, {0})}, box({2, 2})}};
}

static std::vector<GradientCase> truncateCases() {
  // Zeros behind it again: what weighs the result has a size that the call knows.
  auto along = [](int64_t axis) -> Build {
    return [axis](OpBuilder &b, Location loc, ValueRange xs) -> Value {
      Shape whole = getShape(xs[0]), part = whole;
      part[size_t(axis)] = DimExpr::symbol(9);
      Value y = b.create<TruncateOp>(loc, getTensorType(part, b.getF64Type()), xs[0], xs[1],
                                     uint64_t(axis));
      GraphMath g(b, loc);
      return g.pad(g.mul(y, y), Shape(whole.size(), DimExpr(0)),
                   SmallVector<int64_t>(whole.size(), 0), whole);
    };
  };
  return {{"rows", {numbers({4, 3}), integers({}, {2})}, along(0)},
          {"columns", {numbers({4, 3}), integers({}, {2})}, along(1)},
          {"all", {numbers({3}), integers({}, {3})}, along(0)},
          {"nothing", {numbers({3}), integers({}, {0})}, along(0)},
          {"unknown", {numbers({d(0), 2}, {3, 2}), integers({}, {1})}, along(0)}};
}

static std::vector<GradientCase> dynamicUnsliceCases() {
  auto whole = [](Shape sizes) -> Build {
    return [sizes](OpBuilder &b, Location loc, ValueRange xs) -> Value {
      return b.create<DynamicUnsliceOp>(loc, getTensorType(sizes, b.getF64Type()), xs[0],
                                        xs.drop_front());
    };
  };
  return {{"box", {numbers({2, 2}), integers({}, {1}), integers({}, {0})}, whole({4, 3})},
          {"scalar", {numbers({})}, whole({})},
          {"nothing", {numbers({0}), integers({}, {1})}, whole({3})},
          {"unknown", {numbers({d(0)}, {2}), integers({}, {1})}, whole(expressions({"d0 + 1"}))}};
}

//===-- Reductions and scans ------------------------------------------------------------------===//

template <typename Op> static std::vector<GradientCase> reductionCases() {
  auto along = [](Dims axes) -> Build {
    return [axes](OpBuilder &b, Location loc, ValueRange xs) -> Value {
      return b.create<Op>(loc, xs[0], axes);
    };
  };
  return {{"vector", {numbers({3})}, along({0})},
          {"no axis", {numbers({2, 2})}, along({})},
          {"scalar", {numbers({})}, along({})},
          {"last of three", {numbers({2, 1, 3})}, along({2})},
          {"outer two of three", {numbers({2, 3, 2})}, along({0, 2})},
          {"rank 4", {numbers({2, 2, 1, 2})}, along({1, 3})},
          {"all", {numbers({2, 2})}, along({0, 1})},
          {"over nothing", {numbers({0, 2})}, along({0})},
          {"of nothing", {numbers({2, 0})}, along({0})},
          {"one element", {numbers({1})}, along({0})},
          {"unknown", {numbers({d(0), 3}, {2, 3})}, along({0})},
          {"unknown and known", {numbers({d(0), 2, d(1)}, {2, 2, 2})}, along({0, 2})}};
}

static std::vector<GradientCase> reduceProdCases() {
  std::vector<GradientCase> cases = reductionCases<ReduceProdOp>();
  Build rows = [](OpBuilder &b, Location loc, ValueRange xs) {
    return GraphMath(b, loc).reduceProd(xs[0], {1});
  };
  Build all = [](OpBuilder &b, Location loc, ValueRange xs) {
    return GraphMath(b, loc).reduceProd(xs[0], {0, 1});
  };
  Input zeros = given({3, 3}, {2, 0, 3, 0, 0, 5, 0, 0, 0});
  cases.push_back({"zeros in rows", {zeros}, rows});
  cases.push_back({"zeros in all", {zeros}, all});
  cases.push_back({"one zero", {given({2, 2}, {2, 0, -1, 3})}, all});
  return cases;
}

template <typename Op> static std::vector<GradientCase> scanCases() {
  std::vector<GradientCase> cases;
  for (bool exclusive : {false, true})
    for (bool reverse : {false, true}) {
      auto along = [=](int64_t axis) -> Build {
        return [=](OpBuilder &b, Location loc, ValueRange xs) -> Value {
          return b.create<Op>(loc, xs[0].getType(), xs[0], axis, exclusive, reverse);
        };
      };
      std::string kind =
          std::string(exclusive ? "exclusive" : "inclusive") + (reverse ? " reverse, " : ", ");
      cases.push_back({kind + "vector", {numbers({4})}, along(0)});
      cases.push_back({kind + "first of two", {numbers({3, 2})}, along(0)});
      cases.push_back({kind + "middle of three", {numbers({2, 3, 2})}, along(1)});
      cases.push_back({kind + "one element", {numbers({1})}, along(0)});
      cases.push_back({kind + "nothing", {numbers({0, 2})}, along(0)});
      cases.push_back({kind + "unknown", {numbers({d(0), 2}, {3, 2})}, along(0)});
      cases.push_back({kind + "unknown and empty", {numbers({d(0)}, {0})}, along(0)});
      cases.push_back({kind + "zeros", {given({4}, {2, 0, 3, 0})}, along(0)});
    }
  return cases;
}

template <typename Op> static std::vector<GradientCase> runningCases() {
  std::vector<GradientCase> cases;
  for (bool reverse : {false, true}) {
    auto along = [=](int64_t axis) -> Build {
      return [=](OpBuilder &b, Location loc, ValueRange xs) -> Value {
        return b.create<Op>(loc, xs[0].getType(), xs[0], axis, reverse);
      };
    };
    std::string kind = reverse ? "reverse, " : "";
    cases.push_back({kind + "vector", {numbers({7})}, along(0)});
    cases.push_back({kind + "first of two", {numbers({4, 2})}, along(0)});
    cases.push_back({kind + "middle of three", {numbers({2, 5, 2})}, along(1)});
    cases.push_back({kind + "one element", {numbers({1})}, along(0)});
    cases.push_back({kind + "nothing", {numbers({0, 2})}, along(0)});
    cases.push_back({kind + "unknown", {numbers({d(0), 2}, {5, 2})}, along(0)});
    cases.push_back({kind + "unknown and empty", {numbers({d(0)}, {0})}, along(0)});
    cases.push_back({kind + "zeros at the end", {given({4}, {-2, -1, -3, 0})}, along(0)});
  }
  return cases;
}

static std::vector<GradientCase> linearRecurrenceCases() {
  std::vector<GradientCase> cases;
  for (bool reverse : {false, true}) {
    auto along = [=](int64_t axis) -> Build {
      return [=](OpBuilder &b, Location loc, ValueRange xs) {
        return GraphMath(b, loc).linearRecurrence(xs[0], xs[1], axis, reverse);
      };
    };
    std::string kind = reverse ? "reverse, " : "forward, ";
    auto both = [](const Shape &shape, const Dims &dims) {
      return std::vector<Input>{numbers(shape, dims, "any", 1), numbers(shape, dims, "any", 2)};
    };
    cases.push_back({kind + "vector", both({4}, {4}), along(0)});
    cases.push_back({kind + "matrix", both({2, 3}, {2, 3}), along(1)});
    cases.push_back({kind + "first of three", both({3, 1, 2}, {3, 1, 2}), along(0)});
    cases.push_back({kind + "one element", both({1}, {1}), along(0)});
    cases.push_back({kind + "nothing", both({0}, {0}), along(0)});
    cases.push_back({kind + "unknown", both({d(0), 2}, {3, 2}), along(0)});
    cases.push_back(
        {kind + "the same twice", {numbers({3})}, [=](OpBuilder &b, Location loc, ValueRange xs) {
           return GraphMath(b, loc).linearRecurrence(xs[0], xs[0], 0, reverse);
         }});
  }
  return cases;
}

//===-- Contractions --------------------------------------------------------------------------===//

static std::vector<GradientCase> dotGeneralCases() {
  auto contract = [](Dims aBatch, Dims bBatch, Dims aContract, Dims bContract) -> Build {
    return [=](OpBuilder &b, Location loc, ValueRange xs) {
      return GraphMath(b, loc).dotGeneral(xs[0], xs[1], aBatch, bBatch, aContract, bContract);
    };
  };
  auto two = [](Input a, Input b) {
    b.value = randomTensor(b.value.dims, "any", 2);
    return std::vector<Input>{a, b};
  };
  return {{"matrices", two(numbers({2, 3}), numbers({3, 2})), contract({}, {}, {1}, {0})},
          {"both transposed", two(numbers({3, 2}), numbers({2, 3})), contract({}, {}, {0}, {1})},
          {"matrix and vector", two(numbers({2, 3}), numbers({3})), contract({}, {}, {1}, {0})},
          {"vectors", two(numbers({3}), numbers({3})), contract({}, {}, {0}, {0})},
          {"outer", two(numbers({2}), numbers({3})), contract({}, {}, {}, {})},
          {"scalars", two(numbers({}), numbers({})), contract({}, {}, {}, {})},
          {"batch", two(numbers({2, 2, 3}), numbers({2, 3, 1})), contract({0}, {0}, {2}, {1})},
          {"batch last", two(numbers({3, 2, 2}), numbers({2, 3, 2})), contract({2}, {0}, {0}, {1})},
          {"two batches crossed", two(numbers({2, 3, 2}), numbers({3, 2, 2})),
           contract({0, 1}, {1, 0}, {2}, {2})},
          {"two contracted crossed", two(numbers({2, 3, 2}), numbers({2, 2, 3})),
           contract({}, {}, {2, 1}, {0, 2})},
          {"two contracted crossed in b", two(numbers({2, 3, 2}), numbers({2, 2, 3})),
           contract({}, {}, {1, 2}, {2, 0})},
          {"crossed and equally long", two(numbers({2, 2, 1}), numbers({2, 1, 2})),
           contract({}, {}, {0, 1}, {2, 0})},
          {"rank 4 all kinds", two(numbers({2, 3, 1, 2}), numbers({3, 2, 2, 1})),
           contract({2}, {3}, {1}, {0})},
          {"over nothing", two(numbers({2, 0}), numbers({0, 2})), contract({}, {}, {1}, {0})},
          {"of nothing", two(numbers({0, 2}), numbers({2, 2})), contract({}, {}, {1}, {0})},
          {"unknown", two(numbers({d(0), d(1)}, {2, 3}), numbers({d(1), 2}, {3, 2})),
           contract({}, {}, {1}, {0})},
          {"unknown batch", two(numbers({d(0), 2}, {3, 2}), numbers({d(0), 2, 2}, {3, 2, 2})),
           contract({0}, {0}, {1}, {1})},
          {"the same twice", {numbers({2, 2})}, [](OpBuilder &b, Location loc, ValueRange xs) {
             return GraphMath(b, loc).dotGeneral(xs[0], xs[0], {}, {}, {1}, {0});
           }}};
}

//===-- Windows -------------------------------------------------------------------------------===//

// The sizes that the unknown ones of the examples stand for.
static Dims sizesOf(const Shape &shape) {
  Dims dims;
  for (const DimExpr &dim : shape)
    dims.push_back(dim.evaluate([](int64_t id) { return std::optional<int64_t>(3 - id); }).value());
  return dims;
}

// Arguments that tell the symbols of the examples.
static void addSymbols(std::vector<Input> &inputs) {
  for (int64_t id : {0, 1, 2}) {
    int64_t size = sizesOf({d(id)})[0];
    inputs.push_back(integers({size}, std::vector<int64_t>(size)));
    inputs.back().shape = {d(id)};
  }
}

static std::vector<GradientCase> convolutionCases() {
  std::vector<GradientCase> cases;
  for (const ConvolutionExample &example : convolutionExamples()) {
    std::vector<Input> inputs = {numbers(example.x, sizesOf(example.x), "any", 1),
                                 numbers(example.filter, sizesOf(example.filter), "any", 2)};
    addSymbols(inputs);
    cases.push_back({example.label, inputs, [example](OpBuilder &b, Location loc, ValueRange xs) {
                       GraphMath math(b, loc);
                       return example.build(math, xs[0], xs[1]);
                     }});
  }
  return cases;
}

// `chooser`: integers with ties decide.
static std::vector<GradientCase>
windowCases(bool dilated, bool chooser, const Shape WindowExample::*given,
            std::function<Value(const WindowExample &, GraphMath &, ValueRange)> build) {
  std::vector<GradientCase> cases;
  for (const WindowExample &example : windowExamples()) {
    if (example.hasDilation() && !dilated)
      continue;
    std::vector<Input> inputs;
    if (chooser) {
      Dims dims = sizesOf(example.x);
      int64_t count = std::accumulate(dims.begin(), dims.end(), int64_t(1), std::multiplies());
      std::vector<int64_t> elements;
      for (int64_t i = 0; i < count; ++i)
        elements.push_back(i * i * 7 % 5);
      inputs.push_back(integers(dims, elements));
      inputs.back().shape = example.x;
    }
    inputs.push_back(numbers(example.*given, sizesOf(example.*given)));
    addSymbols(inputs);
    cases.push_back({example.label, inputs, [=](OpBuilder &b, Location loc, ValueRange xs) {
                       GraphMath math(b, loc);
                       return build(example, math, xs);
                     }});
  }
  return cases;
}

static std::vector<GradientCase> windowSumCases() {
  return windowCases(true, false, &WindowExample::x,
                     [](const WindowExample &example, GraphMath &math, ValueRange xs) {
                       return example.buildSum(math, xs[0]);
                     });
}

static std::vector<GradientCase> windowMaxCases() {
  return windowCases(false, false, &WindowExample::x,
                     [](const WindowExample &example, GraphMath &math, ValueRange xs) {
                       // Differences of infinities would be no numbers.
                       Value y = example.buildMax(math, xs[0]);
                       return math.maximum(y, math.constantLike(-1000, y));
                     });
}

static std::vector<GradientCase> windowPickCases() {
  return windowCases(false, true, &WindowExample::x,
                     [](const WindowExample &example, GraphMath &math, ValueRange xs) {
                       return example.buildPick(math, xs[0], xs[1]);
                     });
}

static std::vector<GradientCase> windowScatterCases() {
  return windowCases(false, true, &WindowExample::y,
                     [](const WindowExample &example, GraphMath &math, ValueRange xs) {
                       return example.buildScatter(math, xs[0], xs[1]);
                     });
}

//===-- Loops and branches --------------------------------------------------------------------===//

// All floating results one after the other.
static Value flatten(GraphMath &math, ArrayRef<Value> results) {
  SmallVector<Value> parts;
  for (Value result : results)
    parts.push_back(math.reshape(result, {elementCount(getShape(result)).value()}));
  return math.concatenate(parts, 0);
}

static std::vector<GradientCase> loopCases(const std::vector<LoopExample> &examples) {
  std::vector<GradientCase> cases;
  for (const LoopExample &example : examples)
    for (int64_t length : example.usesSymbol() ? Dims{0, 1, 3} : Dims{0}) {
      std::vector<Input> inputs;
      for (const Shape &shape : example.inputs) {
        Dims dims;
        for (const DimExpr &dim : shape)
          dims.push_back(dim.isConstant() ? dim.constantValue() : length);
        inputs.push_back(numbers(shape, dims, "unit", inputs.size() + 1));
      }
      cases.push_back({example.label + ", " + std::to_string(length), inputs,
                       [example](OpBuilder &b, Location loc, ValueRange xs) {
                         GraphMath math(b, loc);
                         std::vector<Value> results = example.build(math, xs);
                         llvm::erase_if(results, [](Value result) {
                           return !isa<FloatType>(getElementType(result));
                         });
                         return flatten(math, results);
                       }});
    }
  return cases;
}

static std::vector<GradientCase> scanCases() { return loopCases(scanExamples()); }
static std::vector<GradientCase> whileCases() { return loopCases(whileExamples()); }
static std::vector<GradientCase> ifCases() { return loopCases(ifExamples()); }

//===-- Graph ---------------------------------------------------------------------------------===//

static std::vector<GradientCase> requireCases() {
  return {{"equal", {numbers({d(0)}, {3})}, [](OpBuilder &b, Location loc, ValueRange xs) -> Value {
             auto dims = [&](DimExpr dim) { return DimsAttr::get(b.getContext(), {dim}); };
             return b.create<RequireOp>(loc, xs[0].getType(), xs[0], Requirement::Equal, dims(d(0)),
                                        dims(DimExpr(3)), b.getStringAttr("must be 3"));
           }}};
}

static std::vector<GradientCase> dependCases() {
  return {{"after another value",
           {numbers({2}), numbers({3}, "any", 2)},
           [](OpBuilder &b, Location loc, ValueRange xs) -> Value {
             return b.create<DependOp>(loc, xs[0].getType(), xs[0], xs.drop_front());
           }}};
}

static std::vector<GradientCase> delayCases() {
  return {{"until another value is there",
           {numbers({2}), numbers({3}, "any", 2)},
           [](OpBuilder &b, Location loc, ValueRange xs) -> Value {
             return b.create<DelayOp>(loc, xs[0].getType(), xs[0], xs[1]);
           }}};
}

static std::vector<GradientCase> checkpointCases() {
  return {{"of two",
           {numbers({d(0), 3}, {2, 3}), numbers({d(0), 3}, {2, 3}, "any", 2)},
           [](OpBuilder &b, Location loc, ValueRange xs) -> Value {
             GraphMath g(b, loc);
             return buildCheckpoint(g, xs[0], xs[1]);
           }}};
}

static std::vector<GradientCase> customGradientCases() {
  return {{"of two",
           {numbers({d(0), 3}, {2, 3}), numbers({d(0), 3}, {2, 3}, "any", 2)},
           [](OpBuilder &b, Location loc, ValueRange xs) -> Value {
             GraphMath g(b, loc);
             return buildCustomGradient(g, xs[0], xs[1]);
           }},
          {"tangents of two",
           {numbers({d(0), 3}, {2, 3}), numbers({d(0), 3}, {2, 3}, "any", 2)},
           [](OpBuilder &b, Location loc, ValueRange xs) -> Value {
             GraphMath g(b, loc);
             return buildCustomJvp(g, xs[0], xs[1]);
           }}};
}

static std::vector<GradientCase> enterRankCases() {
  return {{"vector", {numbers({2})}, [](OpBuilder &b, Location loc, ValueRange xs) -> Value {
             return GraphMath(b, loc).enterRank(xs[0]);
           }}};
}

static std::vector<GradientCase> leaveRankCases() {
  return {{"vector", {numbers({2})}, [](OpBuilder &b, Location loc, ValueRange xs) -> Value {
             return GraphMath(b, loc).leaveRank(xs[0]);
           }}};
}

static std::vector<GradientCase> averageRanksCases() {
  return {{"of one",
           {numbers({2}), numbers({3, 2}, "any", 2)},
           [](OpBuilder &b, Location loc, ValueRange xs) -> Value {
             return b.create<AverageRanksOp>(loc, xs[0].getType(), xs[0], xs[1],
                                             ArrayRef<int64_t>{0});
           }}};
}

static std::vector<GradientCase> printCases() {
  return {{"vector", {numbers({2})}, [](OpBuilder &b, Location loc, ValueRange xs) -> Value {
             return b.create<PrintOp>(loc, xs[0].getType(), xs[0], b.getStringAttr("x"));
           }}};
}

// Of one rank; rank_ops_test has several.
static std::vector<GradientCase> allReduceCases() {
  std::vector<GradientCase> cases;
  for (RankReduction reduction : {RankReduction::Sum, RankReduction::Max, RankReduction::Min,
                                  RankReduction::Before, RankReduction::Mean})
    cases.push_back({stringifyRankReduction(reduction).str(),
                     {numbers({d(0), 2}, {3, 2})},
                     [=](OpBuilder &b, Location loc, ValueRange xs) {
                       return GraphMath(b, loc).allReduce(xs[0], reduction);
                     }});
  return cases;
}

static std::vector<GradientCase> allGatherCases() {
  std::vector<GradientCase> cases;
  for (int64_t axis : {0, 1})
    cases.push_back({"along dimension " + std::to_string(axis),
                     {numbers({2, 3})},
                     [=](OpBuilder &b, Location loc, ValueRange xs) {
                       return GraphMath(b, loc).allGather(xs[0], axis, DimExpr(axis + 2));
                     }});
  return cases;
}

static std::vector<GradientCase> reduceScatterCases() {
  std::vector<GradientCase> cases;
  for (RankReduction reduction :
       {RankReduction::Sum, RankReduction::Max, RankReduction::Min, RankReduction::Mean})
    cases.push_back({stringifyRankReduction(reduction).str(),
                     {numbers({2, 3})},
                     [=](OpBuilder &b, Location loc, ValueRange xs) {
                       return GraphMath(b, loc).reduceScatter(xs[0], reduction, 1, DimExpr(3));
                     }});
  return cases;
}

static std::vector<GradientCase> broadcastFromCases() {
  return {{"from the only rank", {numbers({2, 3})}, [](OpBuilder &b, Location loc, ValueRange xs) {
             return GraphMath(b, loc).broadcastFrom(xs[0], 0);
           }}};
}

static std::vector<GradientCase> allToAllCases() {
  return {{"of one part", {numbers({2, 3})}, [](OpBuilder &b, Location loc, ValueRange xs) {
             return GraphMath(b, loc).allToAll(xs[0]);
           }}};
}

static std::vector<GradientCase> permuteCases() {
  return {{"to itself", {numbers({2, 3})}, [](OpBuilder &b, Location loc, ValueRange xs) {
             return GraphMath(b, loc).permute(xs[0], {0, 0});
           }}};
}

//===-- Factorizations ------------------------------------------------------------------------===//

static std::vector<GradientCase> choleskyCases() {
  Build build = [](OpBuilder &b, Location loc, ValueRange xs) -> Value {
    GraphMath g(b, loc);
    Value square = matrixProduct(g, xs[0], xs[0], {false, true});
    Value x = g.add(square, unitMatrices(g, square));
    return b.create<CholeskyOp>(loc, x.getType(), x);
  };
  return {{"of rank 2", {numbers({3, 3})}, build},
          {"of batches", {numbers({2, 2, 2})}, build},
          {"of one element", {numbers({1, 1})}, build},
          {"of nothing", {numbers({0, 0})}, build},
          {"unknown", {numbers({d(0), d(0)}, {3, 3})}, build}};
}

static std::vector<GradientCase> fftCases() {
  std::vector<GradientCase> cases;
  for (bool inverse : {false, true}) {
    Build both = [=](OpBuilder &b, Location loc, ValueRange xs) -> Value {
      auto op = b.create<FftOp>(loc, xs[0], xs[1], inverse);
      return GraphMath(b, loc).concatenate({op.getYRe(), op.getYIm()}, 0);
    };
    Build one = [=](OpBuilder &b, Location loc, ValueRange xs) -> Value {
      return b.create<FftOp>(loc, xs[0], xs[0], inverse).getYIm();
    };
    const std::string sign = inverse ? "inverse " : "";
    cases.push_back({sign + "of rank 1", {numbers({6}), numbers({6}, "any", 2)}, both});
    cases.push_back(
        {sign + "of batches", {numbers({2, 1, 3}), numbers({2, 1, 3}, "any", 2)}, both});
    cases.push_back({sign + "of nothing", {numbers({2, 0}), numbers({2, 0}, "any", 2)}, both});
    cases.push_back({sign + "of one twice, one result", {numbers({5})}, one});
    cases.push_back({sign + "unknown",
                     {numbers({d(0), d(1)}, {2, 4}), numbers({d(0), d(1)}, {2, 4}, "any", 2)},
                     both});
  }
  return cases;
}

static std::vector<GradientCase> triangularSolveCases() {
  std::vector<GradientCase> cases;
  for (int form = 0; form < 8; ++form) {
    const bool lower = form & 1, transposed = form & 2, unit = form & 4;
    Build build = [=](OpBuilder &b, Location loc, ValueRange xs) -> Value {
      GraphMath g(b, loc);
      Value a = g.add(xs[0], g.scale(unitMatrices(g, xs[0]), 3));
      return b.create<TriangularSolveOp>(loc, xs[1].getType(), a, xs[1], lower, transposed, unit);
    };
    const std::string name = "form " + std::to_string(form);
    cases.push_back({name, {numbers({3, 3}), numbers({3, 2}, "any", 2)}, build});
    if (form % 3 == 0) {
      cases.push_back(
          {name + " of batches", {numbers({2, 2, 2}), numbers({2, 2, 1}, "any", 2)}, build});
      cases.push_back({name + " unknown",
                       {numbers({d(0), d(0)}, {2, 2}), numbers({d(0), d(1)}, {2, 2}, "any", 2)},
                       build});
      cases.push_back({name + " of nothing", {numbers({0, 0}), numbers({0, 2}, "any", 2)}, build});
    }
  }
  return cases;
}

// Rows have their largest element far from the diagonal, so all are exchanged.
static std::vector<GradientCase> luCases() {
  Build build = [](OpBuilder &b, Location loc, ValueRange xs) -> Value {
    GraphMath g(b, loc);
    const int64_t rank = getTensorType(xs[0]).getRank();
    Value x = g.add(xs[0], g.reverse(g.scale(unitMatrices(g, xs[0]), 4), {rank - 2}));
    Shape rows = getShape(x);
    rows.pop_back();
    return b.create<LuOp>(loc, x.getType(), getTensorType(rows, b.getI64Type()), x).getFactors();
  };
  return {{"of rank 2", {numbers({3, 3})}, build},
          {"of batches", {numbers({2, 2, 2})}, build},
          {"of one element", {numbers({1, 1})}, build},
          {"of nothing", {numbers({0, 0})}, build},
          {"unknown", {numbers({d(0), d(0)}, {3, 3})}, build}};
}

// The product of both factors would be x again, whatever their gradients were.
static std::vector<GradientCase> qrCases() {
  Build build = [](OpBuilder &b, Location loc, ValueRange xs) -> Value {
    GraphMath g(b, loc);
    const int64_t rank = getTensorType(xs[0]).getRank();
    Value x = g.add(xs[0], g.scale(unitMatrices(g, xs[0]), 2));
    Shape r = getShape(x);
    r[size_t(rank) - 2] = r.back();
    auto op = b.create<QrOp>(loc, x.getType(), getTensorType(r, getElementType(x)), x);
    return g.concatenate({op.getQ(), op.getR()}, rank - 2);
  };
  return {{"of rank 2", {numbers({3, 3})}, build},
          {"of more rows than columns", {numbers({4, 2})}, build},
          {"of batches", {numbers({2, 3, 2})}, build},
          {"of one element", {numbers({1, 1})}, build},
          {"of nothing", {numbers({0, 0})}, build},
          {"unknown", {numbers({d(0), d(0)}, {3, 3})}, build}};
}

// Different eigenvalues, and no largest elements of vectors that are as large as others.
static std::vector<GradientCase> eighCases() {
  Build build = [](OpBuilder &b, Location loc, ValueRange xs) -> Value {
    GraphMath g(b, loc);
    const int64_t rank = getTensorType(xs[0]).getRank();
    Value numbers = g.iota(getTensorType(xs[0]), rank - 1);
    Value x = g.add(g.mul(unitMatrices(g, xs[0]), g.scale(numbers, 3)),
                    g.add(xs[0], matrixTranspose(g, xs[0])));
    Shape values = getShape(x);
    values.pop_back();
    auto op = b.create<EighOp>(loc, getTensorType(values, getElementType(x)), x.getType(), x);
    Shape row = values;
    row.insert(row.end() - 1, DimExpr(1));
    return g.concatenate({op.getVectors(), g.reshape(op.getValues(), row)}, rank - 2);
  };
  return {{"of rank 2", {numbers({3, 3})}, build},
          {"of batches", {numbers({2, 2, 2})}, build},
          {"of one element", {numbers({1, 1})}, build},
          {"of nothing", {numbers({0, 0})}, build},
          {"unknown", {numbers({d(0), d(0)}, {3, 3})}, build}};
}

// Of a result each, for what has no cotangent is left out.
static std::vector<GradientCase> svdCases() {
  std::vector<GradientCase> cases;
  for (unsigned result = 0; result < 3; ++result) {
    Build build = [=](OpBuilder &b, Location loc, ValueRange xs) -> Value {
      GraphMath g(b, loc);
      const size_t rank = getShape(xs[0]).size();
      Value numbers = g.iota(getTensorType(xs[0]), int64_t(rank) - 1);
      Value x = g.add(
          xs[0], g.mul(unitMatrices(g, xs[0]), g.scale(g.add(numbers, g.oneLike(numbers)), 3)));
      Shape u = getShape(x), vt = u, s = u;
      u.back() = vt[rank - 2] = *min(u[rank - 2], u.back());
      s.pop_back();
      s.back() = u.back();
      Type element = getElementType(x);
      return b
          .create<SvdOp>(loc, getTensorType(u, element), getTensorType(s, element),
                         getTensorType(vt, element), x)
          ->getResult(result);
    };
    const std::string name = "result " + std::to_string(result);
    cases.push_back({name, {numbers({3, 3})}, build});
    cases.push_back({name + " of more rows than columns", {numbers({4, 2})}, build});
    cases.push_back({name + " of more columns than rows", {numbers({2, 3})}, build});
    cases.push_back({name + " of batches", {numbers({2, 2, 2})}, build});
    cases.push_back({name + " of nothing", {numbers({0, 2})}, build});
    cases.push_back({name + " unknown", {numbers({d(0), d(1)}, {3, 2})}, build});
  }
  return cases;
}

std::vector<GradientCase> keratin::tests::gradientCases(MLIRContext &context, const OpEntry &op) {
  static const std::map<std::string, std::vector<GradientCase> (*)()> written = {
      {"keratin.select", selectCases},
      {"keratin.zeta", zetaCases},
      {"keratin.igamma", incompleteCases<IgammaOp, 1>},
      {"keratin.igammac", incompleteCases<IgammacOp, 1>},
      {"keratin.gamma_sample_gradient", incompleteCases<GammaSampleGradientOp, 1>},
      {"keratin.betainc", incompleteCases<BetaincOp, 2>},
      {"keratin.beta_sample_gradient", incompleteCases<BetaSampleGradientOp, 2>},
      {"keratin.cast", castCases},
      {"keratin.reshape", reshapeCases},
      {"keratin.broadcast", broadcastCases},
      {"keratin.transpose", transposeCases},
      {"keratin.slice", sliceCases},
      {"keratin.pad", padCases},
      {"keratin.concatenate", concatenateCases},
      {"keratin.reverse", reverseCases},
      {"keratin.gather", gatherCases},
      {"keratin.scatter_add", scatterAddCases},
      {"keratin.scatter_max", scatterExtremeCases<ScatterMaxOp>},
      {"keratin.scatter_min", scatterExtremeCases<ScatterMinOp>},
      {"keratin.sparse_dot", sparseDotCases},
      {"keratin.cholesky", choleskyCases},
      {"keratin.triangular_solve", triangularSolveCases},
      {"keratin.fft", fftCases},
      {"keratin.lu", luCases},
      {"keratin.qr", qrCases},
      {"keratin.eigh", eighCases},
      {"keratin.svd", svdCases},
      {"keratin.dynamic_slice", dynamicSliceCases},
      {"keratin.dynamic_unslice", dynamicUnsliceCases},
      {"keratin.truncate", truncateCases},
      {"keratin.reduce_sum", reductionCases<ReduceSumOp>},
      {"keratin.reduce_prod", reduceProdCases},
      {"keratin.reduce_max", reductionCases<ReduceMaxOp>},
      {"keratin.reduce_min", reductionCases<ReduceMinOp>},
      {"keratin.cumsum", scanCases<CumsumOp>},
      {"keratin.cumprod", scanCases<CumprodOp>},
      {"keratin.cummax", runningCases<CummaxOp>},
      {"keratin.cummin", runningCases<CumminOp>},
      {"keratin.cumlogsumexp", runningCases<CumlogsumexpOp>},
      {"keratin.linear_recurrence", linearRecurrenceCases},
      {"keratin.dot_general", dotGeneralCases},
      {"keratin.convolution", convolutionCases},
      {"keratin.window_sum", windowSumCases},
      {"keratin.window_max", windowMaxCases},
      {"keratin.window_pick", windowPickCases},
      {"keratin.window_scatter", windowScatterCases},
      {"keratin.scan", scanCases},
      {"keratin.while", whileCases},
      {"keratin.if", ifCases},
      {"keratin.require", requireCases},
      {"keratin.depend", dependCases},
      {"keratin.delay", delayCases},
      {"keratin.checkpoint", checkpointCases},
      {"keratin.custom_gradient", customGradientCases},
      {"keratin.enter_rank", enterRankCases},
      {"keratin.leave_rank", leaveRankCases},
      {"keratin.average_ranks", averageRanksCases},
      {"keratin.print", printCases},
      {"keratin.all_reduce", allReduceCases},
      {"keratin.all_gather", allGatherCases},
      {"keratin.reduce_scatter", reduceScatterCases},
      {"keratin.broadcast_from", broadcastFromCases},
      {"keratin.all_to_all", allToAllCases},
      {"keratin.permute", permuteCases},
  };
  if (auto found = written.find(op.name); found != written.end())
    return found->second();
  OperationName name(op.name, &context);
  return name.hasInterface<ElementwiseOpInterface>() ? elementwiseCases(op)
                                                     : std::vector<GradientCase>();
}
