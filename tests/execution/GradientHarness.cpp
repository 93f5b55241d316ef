#include "tests/execution/GradientHarness.h"

#include "ir/reference/ErrorBounds.h"
#include "ir/reference/HostConversions.h"
#include "ir/reference/Interpreter.h"
#include "passes/Passes.h"
#include "tests/support/CompiledRunner.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstdlib>
#include <numeric>
#include <utility>

using namespace keratin;
using namespace keratin::ir;
using namespace keratin::tests;
using namespace mlir;

// What Keratin promises of gradients in float64.
static constexpr double kRelative = 1e-5, kAbsolute = 1e-7;

//===-- Values --------------------------------------------------------------------------------===//

static uint64_t nextRandom(uint64_t &state) { // splitmix64
  uint64_t z = (state += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

HostTensor keratin::tests::randomTensor(const std::vector<int64_t> &dims, const std::string &domain,
                                        uint64_t seed) {
  HostTensor tensor = makeHostTensor(KERATIN_DTYPE_FLOAT64, dims).value();
  uint64_t state = seed;
  for (double &element : tensor.floats) {
    double u = double(nextRandom(state) >> 11) * 0x1p-53;
    bool negative = nextRandom(state) & 1;
    if (domain == "positive")
      element = 0.4 + 2 * u;
    else if (domain == "unit")
      element = 1.8 * u - 0.9;
    else if (domain == "small")
      element = 3 * u - 1.5;
    else // away from 0, where many functions have a kink
      element = (negative ? -1 : 1) * (0.3 + 1.7 * u);
  }
  return tensor;
}

GradientCase keratin::tests::vectorCase(const std::vector<Numbers> &inputs, const Formula &formula,
                                        std::optional<DimExpr> firstSize) {
  GradientCase test;
  for (const Numbers &numbers : inputs) {
    HostTensor value;
    value.dtype = KERATIN_DTYPE_FLOAT64;
    value.dims = {int64_t(numbers.size())};
    value.floats = numbers;
    bool isFirst = test.inputs.empty();
    test.inputs.push_back({{isFirst && firstSize ? *firstSize : DimExpr(value.dims[0])}, value});
  }
  test.build = [formula](OpBuilder &b, Location loc, ValueRange xs) {
    GraphMath g(b, loc);
    return formula(g, xs);
  };
  return test;
}

static bool isClose(double found, double expected) {
  if (std::isnan(expected) || std::isnan(found))
    return std::isnan(expected) && std::isnan(found);
  if (std::isinf(expected) || std::isinf(found))
    return expected == found;
  return std::fabs(found - expected) <= kAbsolute + kRelative * std::fabs(expected);
}

//===-- Functions -----------------------------------------------------------------------------===//

namespace {

// What a function returns.
enum class Kind {
  Gradient, // y, gradients of sum(weights * y)
  // l = sum of directions * those gradients, gradients of l with respect to inputs and weights
  Second,
  Tangent, // y, its tangent along the directions, and the gradients of sum(weights * y)
  // of sum(weights * y) the second derivatives times the directions: forward over reverse, reverse
  // over forward, reverse over reverse; and along them twice: forward over forward
  Hessian
};

// f(inputs, weights[, directions]) and how to call it.
class Program {
public:
  Program(MLIRContext &context, const GradientCase &test, Kind kind);

  // By the interpreter. The first call is made by compiled code too, where KERATIN_TEST_TARGET
  // names a target, and compared.
  std::vector<HostTensor> call(ArrayRef<HostTensor> arguments);
  // Sizes of y for the inputs of the case.
  const std::vector<int64_t> &resultDims() const { return yDims; }
  keratin_dtype_t resultDtype() const { return yDtype; }

private:
  void compare(ArrayRef<HostTensor> arguments);

  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
  bool isCompared = false;
  std::vector<int64_t> yDims;
  keratin_dtype_t yDtype;
};

} // namespace

static std::vector<int64_t> evaluateDims(const Shape &shape, const std::vector<Input> &inputs) {
  EvaluationContext context;
  for (const Input &input : inputs)
    for (size_t i = 0; i < input.shape.size(); ++i)
      if (input.shape[i].isSymbol())
        context.symbols[input.shape[i].symbolId()] = input.value.dims[i];
  std::vector<int64_t> dims;
  for (const DimExpr &dim : shape) {
    std::optional<int64_t> size = context.evaluate(dim);
    REQUIRE(size);
    dims.push_back(*size);
  }
  return dims;
}

static Value sumAll(GraphMath &g, Value x) {
  SmallVector<int64_t> axes(getTensorType(x).getRank());
  std::iota(axes.begin(), axes.end(), 0);
  return g.reduceSum(x, axes);
}

static SmallVector<Type> typesOf(ArrayRef<Value> values) {
  return llvm::map_to_vector(values, [](Value value) { return value.getType(); });
}

static SmallVector<Value> gradientsOf(GraphMath &g, Value loss, ArrayRef<Value> xs) {
  return SmallVector<Value>(
      g.builder().create<GradientsOp>(g.location(), typesOf(xs), loss, xs).getYs());
}

static SmallVector<Value> tangentsOf(GraphMath &g, ArrayRef<Value> ys, ArrayRef<Value> xs,
                                     ArrayRef<Value> directions) {
  return SmallVector<Value>(
      g.builder().create<JvpOp>(g.location(), typesOf(ys), ys, xs, directions).getYs());
}

// The sum of all products.
static Value dotAll(GraphMath &g, ArrayRef<Value> values, ArrayRef<Value> others) {
  Value sum;
  for (auto [value, other] : llvm::zip(values, others)) {
    Value part = g.cast(sumAll(g, g.mul(value, other)), g.builder().getF64Type());
    sum = sum ? g.add(sum, part) : part;
  }
  return sum;
}

// All of them: second derivatives times directions, in each way to make them.
static SmallVector<Value> secondDerivatives(GraphMath &g, Value y, Value weights,
                                            ArrayRef<Value> xs, ArrayRef<Value> directions) {
  SmallVector<Value> gradients = gradientsOf(g, sumAll(g, g.mul(y, weights)), xs);
  Value tangent = tangentsOf(g, y, xs, directions).front();
  SmallVector<Value> all = tangentsOf(g, gradients, xs, directions);
  all.append(gradientsOf(g, sumAll(g, g.mul(tangent, weights)), xs));
  all.append(gradientsOf(g, dotAll(g, gradients, directions), xs));
  all.append(tangentsOf(g, tangent, xs, directions));
  return all;
}

Program::Program(MLIRContext &context, const GradientCase &test, Kind kind) {
  OpBuilder builder(&context);
  Location loc = builder.getUnknownLoc();
  module = ModuleOp::create(loc);
  builder.setInsertionPointToEnd(module->getBody());
  SmallVector<Type> types;
  for (const Input &input : test.inputs)
    types.push_back(getTensorType(input.shape, elementTypeOf(input.value.dtype, &context)));
  function = builder.create<func::FuncOp>(loc, "f", builder.getFunctionType(types, {}));
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  GraphMath g(builder, loc);

  SmallVector<Value> inputs(body->args_begin(), body->args_end()), floats, directions;
  for (auto [value, input] : llvm::zip(inputs, test.inputs))
    if (input.isFloat())
      floats.push_back(value);
  Value y = test.build(builder, loc, inputs);
  yDims = evaluateDims(getShape(y), test.inputs);
  yDtype = dtypeOf(getElementType(y));
  Value weights = body->addArgument(y.getType(), loc);
  if (kind != Kind::Gradient)
    for (Value x : floats)
      directions.push_back(body->addArgument(x.getType(), loc));
  SmallVector<Value> results{y};
  if (kind == Kind::Hessian) {
    results.append(secondDerivatives(g, y, weights, floats, directions));
  } else {
    SmallVector<Value> gradients = gradientsOf(g, sumAll(g, g.mul(y, weights)), floats);
    if (kind == Kind::Tangent)
      results.append(tangentsOf(g, y, floats, directions));
    if (kind == Kind::Second) {
      results = {dotAll(g, gradients, directions)};
      floats.push_back(weights);
      gradients = gradientsOf(g, results.front(), floats);
    }
    results.append(gradients);
  }
  builder.create<func::ReturnOp>(loc, results);
  function.setType(builder.getFunctionType(body->getArgumentTypes(), ValueRange(results)));
  REQUIRE(succeeded(verify(*module)));
  PassManager passes(&context);
  passes.addNestedPass<func::FuncOp>(keratin::passes::createDifferentiate());
  REQUIRE(succeeded(passes.run(*module)));
}

std::vector<HostTensor> Program::call(ArrayRef<HostTensor> arguments) {
  EvaluationContext context;
  FailureOr<std::vector<HostTensor>> results = interpret(function, arguments, context);
  INFO(context.error);
  REQUIRE(succeeded(results));
  if (!std::exchange(isCompared, true) && std::getenv("KERATIN_TEST_TARGET"))
    compare(arguments);
  return *results;
}

void Program::compare(ArrayRef<HostTensor> arguments) {
  EvaluationContext context;
  auto expected = interpretWithBounds(function, arguments, context, {.rewritten = true});
  REQUIRE(succeeded(expected));
  CompiledRunner runner(function);
  auto actual = runner.run(arguments);
  INFO(runner.error);
  REQUIRE(actual);
  for (auto [result, range] : llvm::zip(*actual, *expected)) {
    std::optional<std::string> mismatch = findMismatch(result, range);
    INFO(mismatch.value_or(""));
    CHECK(!mismatch);
  }
}

//===-- Checks --------------------------------------------------------------------------------===//

static HostTensor filled(const std::vector<int64_t> &dims, keratin_dtype_t dtype, double value) {
  HostTensor tensor = makeHostTensor(dtype, dims).value();
  std::fill(tensor.floats.begin(), tensor.floats.end(), value);
  return tensor;
}

static std::vector<HostTensor> argumentsOf(const GradientCase &test) {
  std::vector<HostTensor> arguments;
  for (const Input &input : test.inputs)
    arguments.push_back(input.value);
  return arguments;
}

static Outcome takeOutcome(std::vector<HostTensor> results) {
  Outcome outcome{results.front(), {}};
  outcome.gradients.assign(results.begin() + 1, results.end());
  return outcome;
}

Outcome keratin::tests::differentiate(MLIRContext &context, const GradientCase &test,
                                      const std::vector<double> &weights) {
  Program program(context, test, Kind::Gradient);
  std::vector<HostTensor> arguments = argumentsOf(test);
  arguments.push_back(filled(program.resultDims(), program.resultDtype(), 1));
  if (!weights.empty())
    arguments.back().floats = weights;
  return takeOutcome(program.call(arguments));
}

Outcome keratin::tests::differentiateForwards(MLIRContext &context, const GradientCase &test,
                                              const std::vector<double> &direction) {
  Program program(context, test, Kind::Tangent);
  std::vector<HostTensor> arguments = argumentsOf(test);
  arguments.push_back(filled(program.resultDims(), program.resultDtype(), 1));
  for (const Input &input : test.inputs)
    if (input.isFloat())
      arguments.push_back(filled(input.value.dims, input.value.dtype, 1));
  if (!direction.empty())
    arguments[test.inputs.size() + 1].floats = direction;
  std::vector<HostTensor> results = program.call(arguments);
  return {results[0], {results[1]}};
}

Outcome keratin::tests::differentiateTwice(MLIRContext &context, const GradientCase &test) {
  Program program(context, test, Kind::Second);
  std::vector<HostTensor> arguments = argumentsOf(test);
  arguments.push_back(filled(program.resultDims(), program.resultDtype(), 1));
  for (const Input &input : test.inputs)
    if (input.isFloat())
      arguments.push_back(filled(input.value.dims, input.value.dtype, 1));
  return takeOutcome(program.call(arguments));
}

// (f(x + h) - f(x - h)) / 2h of the first result, for element i of an argument.
static std::vector<double> centralDifference(Program &program, std::vector<HostTensor> &arguments,
                                             size_t argument, size_t i, double h) {
  double &element = arguments[argument].floats[i];
  double x = element;
  element = x + h;
  double step = element;
  std::vector<double> high = program.call(arguments).front().floats;
  element = x - h;
  step -= element;
  std::vector<double> low = program.call(arguments).front().floats;
  element = x;
  for (size_t k = 0; k < high.size(); ++k)
    high[k] = (high[k] - low[k]) / step;
  return high;
}

static void checkClose(const GradientCase &test, const char *what, size_t input, size_t row,
                       size_t column, double found, double expected) {
  // CHECK is slow; most elements agree.
  if (isClose(found, expected))
    return;
  INFO(test.label << ": " << what << " of input " << input << ", element " << column
                  << ", result element " << row << ": found " << found << ", by differences "
                  << expected);
  CHECK(isClose(found, expected));
}

static void checkJacobian(MLIRContext &context, const GradientCase &test) {
  Program program(context, test, Kind::Gradient);
  std::vector<HostTensor> arguments = argumentsOf(test);
  arguments.push_back(filled(program.resultDims(), program.resultDtype(), 0));
  size_t rows = arguments.back().floats.size();
  // One run an element of the result gives a row of the Jacobian for every input; a result without
  // elements still has gradients, which must be zero.
  for (size_t row = 0; row < std::max<size_t>(rows, 1); ++row) {
    if (rows) {
      std::fill(arguments.back().floats.begin(), arguments.back().floats.end(), 0.0);
      arguments.back().floats[row] = 1;
    }
    std::vector<HostTensor> results = program.call(arguments);
    size_t gradient = 1;
    for (size_t k = 0; k < test.inputs.size(); ++k) {
      if (!test.inputs[k].isFloat())
        continue;
      const HostTensor &found = results[gradient++];
      REQUIRE(found.dims == arguments[k].dims);
      for (size_t i = 0; i < found.floats.size(); ++i) {
        std::vector<double> column = centralDifference(program, arguments, k, i, test.step);
        checkClose(test, "gradient", k, row, i, found.floats[i], rows ? column[row] : 0.0);
      }
    }
  }
}

// The inputs, random weights, and a random direction for each float.
static std::vector<HostTensor> directedArguments(const GradientCase &test, Program &program) {
  std::vector<HostTensor> arguments = argumentsOf(test);
  HostTensor weights = randomTensor(program.resultDims(), "any", 77);
  weights.dtype = program.resultDtype();
  arguments.push_back(weights);
  for (size_t k = 0; k < test.inputs.size(); ++k) {
    if (!test.inputs[k].isFloat())
      continue;
    arguments.push_back(randomTensor(arguments[k].dims, "any", 78 + k));
    arguments.back().dtype = arguments[k].dtype;
  }
  return arguments;
}

static SmallVector<size_t> floatsOf(const GradientCase &test) {
  SmallVector<size_t> floats;
  for (auto [k, input] : llvm::enumerate(test.inputs))
    if (input.isFloat())
      floats.push_back(k);
  return floats;
}

static void checkSecond(MLIRContext &context, const GradientCase &test) {
  Program program(context, test, Kind::Second);
  std::vector<HostTensor> arguments = directedArguments(test, program);
  SmallVector<size_t> differentiated = floatsOf(test);
  differentiated.push_back(test.inputs.size());
  std::vector<HostTensor> results = program.call(arguments);
  for (auto [g, k] : llvm::enumerate(differentiated)) {
    const HostTensor &found = results[g + 1];
    REQUIRE(found.dims == arguments[k].dims);
    for (size_t i = 0; i < found.floats.size(); ++i)
      checkClose(test, "second gradient", k, 0, i, found.floats[i],
                 centralDifference(program, arguments, k, i, test.step).front());
  }
}

// (f(x + h v) - f(x - h v)) / 2h of the first result.
static std::vector<double> differenceAlong(Program &program, std::vector<HostTensor> arguments,
                                           const GradientCase &test) {
  const double h = test.step;
  auto move = [&](double by) {
    size_t direction = test.inputs.size() + 1;
    for (size_t k : floatsOf(test)) {
      for (auto [x, v] : llvm::zip(arguments[k].floats, arguments[direction].floats))
        x += by * v;
      ++direction;
    }
    return program.call(arguments).front().floats;
  };
  std::vector<double> high = move(h), low = move(-2 * h);
  for (size_t i = 0; i < high.size(); ++i)
    high[i] = high[i] == low[i] ? 0 : (high[i] - low[i]) / (2 * h); // infinite ones, too
  return high;
}

static double dot(const HostTensor &a, const HostTensor &b) {
  return std::inner_product(a.floats.begin(), a.floats.end(), b.floats.begin(), 0.0);
}

static void checkTangent(MLIRContext &context, const GradientCase &test) {
  Program program(context, test, Kind::Tangent);
  std::vector<HostTensor> arguments = directedArguments(test, program);
  std::vector<HostTensor> results = program.call(arguments);
  const HostTensor &tangent = results[1];
  REQUIRE(tangent.dims == results[0].dims);
  std::vector<double> expected = differenceAlong(program, arguments, test);
  for (size_t i = 0; i < expected.size(); ++i)
    checkClose(test, "tangent", 0, i, 0, tangent.floats[i], expected[i]);
  size_t weights = test.inputs.size();
  double byGradients = 0;
  for (size_t i = 0, e = floatsOf(test).size(); i < e; ++i)
    byGradients += dot(results[2 + i], arguments[weights + 1 + i]);
  checkClose(test, "weighted tangent", 0, 0, 0, dot(tangent, arguments[weights]), byGradients);
}

static void checkHessian(MLIRContext &context, const GradientCase &test) {
  Program program(context, test, Kind::Hessian);
  std::vector<HostTensor> arguments = directedArguments(test, program);
  std::vector<HostTensor> results = program.call(arguments);
  SmallVector<size_t> floats = floatsOf(test);
  size_t count = floats.size(), weights = test.inputs.size();
  double alongTwice = 0;
  for (size_t k = 0; k < count; ++k) {
    const HostTensor &forwardOverReverse = results[1 + k];
    const HostTensor &reverseOverForward = results[1 + count + k];
    const HostTensor &expected = results[1 + 2 * count + k];
    REQUIRE(forwardOverReverse.dims == expected.dims);
    REQUIRE(reverseOverForward.dims == expected.dims);
    for (size_t i = 0; i < expected.floats.size(); ++i) {
      checkClose(test, "forward over reverse", floats[k], 0, i, forwardOverReverse.floats[i],
                 expected.floats[i]);
      checkClose(test, "reverse over forward", floats[k], 0, i, reverseOverForward.floats[i],
                 expected.floats[i]);
    }
    alongTwice += dot(expected, arguments[weights + 1 + k]);
  }
  checkClose(test, "forward over forward", 0, 0, 0, dot(results.back(), arguments[weights]),
             alongTwice);
}

OwningOpRef<ModuleOp>
keratin::tests::differentiatedScalar(MLIRContext &context,
                                     const std::function<Value(GraphMath &, Value)> &build) {
  OpBuilder builder(&context);
  Location loc = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  builder.setInsertionPointToEnd(module->getBody());
  auto type = RankedTensorType::get({}, builder.getF64Type());
  auto function = builder.create<func::FuncOp>(loc, "f", builder.getFunctionType({type}, {type}));
  builder.setInsertionPointToStart(function.addEntryBlock());
  GraphMath g(builder, loc);
  Value x = function.getArgument(0), y = build(g, x);
  auto gradient = builder.create<GradientsOp>(loc, TypeRange{type}, y, x);
  builder.create<func::ReturnOp>(loc, gradient.getYs());
  PassManager passes(&context);
  passes.addNestedPass<func::FuncOp>(keratin::passes::createDifferentiate());
  REQUIRE(succeeded(passes.run(*module)));
  return module;
}

void keratin::tests::checkGradients(MLIRContext &context, const GradientCase &test) {
  INFO(test.label);
  checkJacobian(context, test);
  checkSecond(context, test);
  checkTangent(context, test);
  checkHessian(context, test);
}
