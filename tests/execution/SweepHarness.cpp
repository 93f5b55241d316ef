#include "tests/execution/SweepHarness.h"

#include "ir/reference/ErrorBounds.h"
#include "ir/reference/HostConversions.h"
#include "tests/support/CompiledRunner.h"
#include "tests/support/RandomTensor.h"
#include "tests/support/TestEnvironment.h"

#include <keratin/runtime.h>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

#include "llvm/ADT/StringExtras.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>

using namespace keratin;
using namespace keratin::ir;
using namespace keratin::tests;
using namespace mlir;

//===-- Elements ------------------------------------------------------------------------------===//

static double specialFloat(keratin_dtype_t dtype, uint64_t bits) {
  struct Format {
    double least, normal, most; // denormal, normal, finite
  };
  Format format{0x1p-149, 0x1p-126, std::numeric_limits<float>::max()};
  if (dtype == KERATIN_DTYPE_FLOAT64)
    format = {0x1p-1074, 0x1p-1022, std::numeric_limits<double>::max()};
  else if (dtype == KERATIN_DTYPE_FLOAT16)
    format = {0x1p-24, 0x1p-14, 65504};
  else if (dtype == KERATIN_DTYPE_BFLOAT16)
    format = {0x1p-133, 0x1p-126, 0x1.fep127};
  double sign = bits & 1 ? -1 : 1;
  switch ((bits >> 1) % 16) {
  case 0:
    return sign * 0.0;
  case 1:
    return std::numeric_limits<double>::quiet_NaN();
  case 2:
    return sign * std::numeric_limits<double>::infinity();
  case 3:
    return sign * format.least * double(1 + (bits >> 5) % 7);
  case 4:
    return sign * format.normal;
  case 5:
    return sign * format.most;
  case 6:
    return sign;
  case 7:
    return sign * 0.5;
  case 8:
    return sign * std::sqrt(format.most);
  case 9:
    return sign * std::log(format.most);
  default:
    return sign * std::ldexp(1.0 + double((bits >> 20) % 64) / 64, int((bits >> 5) % 24) - 12);
  }
}

static double floatElement(Elements elements, keratin_dtype_t dtype, uint64_t bits) {
  double fraction = double((bits >> 8) % 64) / 64, sign = bits & 1 ? -1 : 1;
  switch (elements) {
  case Elements::Special:
    return specialFloat(dtype, bits);
  case Elements::Positive:
    return std::ldexp(1 + fraction, int((bits >> 1) % 5) - 3);
  case Elements::Small:
    return sign * 1.5 * fraction;
  case Elements::Fine:
    fraction = double((bits >> 8) % (1 << 23)) / (1 << 23);
    [[fallthrough]];
  default:
    return sign * std::ldexp(1 + fraction, int((bits >> 1) % 7) - 4);
  }
}

static int64_t integerElement(Elements elements, keratin_dtype_t dtype, uint64_t bits) {
  bool isSigned = dtype >= KERATIN_DTYPE_INT8 && dtype <= KERATIN_DTYPE_INT64;
  int width = 8 * int(dtypeBytes(dtype));
  if (dtype == KERATIN_DTYPE_BOOL)
    return bits & 1;
  if (elements == Elements::Positive)
    return 1 + int64_t(bits % 7);
  if (elements == Elements::Special)
    switch (bits % 8) {
    case 0:
      return 0;
    case 1:
      return wrapToInteger(dtype, -1);
    case 2: // the smallest signed one
      return wrapToInteger(dtype, int64_t(uint64_t(1) << (width - 1)));
    case 3:
      return wrapToInteger(dtype, int64_t((uint64_t(1) << (width - 1)) - 1));
    case 4:
      return wrapToInteger(dtype, int64_t(bits >> 3));
    case 5:
      return int64_t((bits >> 3) % uint64_t(width + 2)); // a shift
    default:
      break;
    }
  return int64_t((bits >> 3) % 17) - (isSigned ? 8 : 0);
}

HostTensor keratin::tests::sweepTensor(const SweepInput &input, const Symbols &symbols,
                                       uint64_t seed) {
  EvaluationContext context;
  context.symbols = symbols;
  std::vector<int64_t> dims;
  for (const DimExpr &dim : input.shape)
    dims.push_back(context.evaluate(dim).value());
  HostTensor tensor = makeHostTensor(input.dtype, dims).value();
  for (double &element : tensor.floats)
    element = floatElement(input.elements, input.dtype, nextRandom(seed));
  int64_t limit = context.evaluate(input.limit).value();
  for (int64_t &element : tensor.ints)
    element = input.elements == Elements::Index
                  ? int64_t(nextRandom(seed) % uint64_t(std::max<int64_t>(limit, 1)))
                  : integerElement(input.elements, input.dtype, nextRandom(seed));
  return tensor;
}

//===-- Functions -----------------------------------------------------------------------------===//

namespace {

// Cases as one function: their arguments and results one after the other.
struct Program {
  // With arguments for all symbols that cases know, or without.
  Program(MLIRContext *context, ArrayRef<SweepCase> cases, bool hasSymbols = true);
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
  std::vector<const SweepCase *> caseOfResult;
  const size_t numSymbols;
};

} // namespace

Program::Program(MLIRContext *context, ArrayRef<SweepCase> cases, bool hasSymbols)
    : numSymbols(hasSymbols ? 3 : 0) {
  OpBuilder builder(context);
  Location loc = builder.getUnknownLoc();
  module = ModuleOp::create(loc);
  builder.setInsertionPointToEnd(module->getBody());
  SmallVector<Type> types;
  // Every symbol is known from an argument.
  for (size_t symbol = 0; symbol < numSymbols; ++symbol)
    types.push_back(getTensorType({DimExpr::symbol(int64_t(symbol))}, builder.getI1Type()));
  for (const SweepCase &sweepCase : cases)
    for (const SweepInput &input : sweepCase.inputs)
      types.push_back(getTensorType(input.shape, elementTypeOf(input.dtype, context)));
  function = builder.create<func::FuncOp>(loc, "main", builder.getFunctionType(types, {}));
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  GraphMath math(builder, loc);
  SmallVector<Value> results;
  ValueRange arguments = ValueRange(body->getArguments()).drop_front(numSymbols);
  for (const SweepCase &sweepCase : cases) {
    for (Value result : sweepCase.build(math, arguments.take_front(sweepCase.inputs.size()))) {
      results.push_back(result);
      caseOfResult.push_back(&sweepCase);
    }
    arguments = arguments.drop_front(sweepCase.inputs.size());
  }
  builder.create<func::ReturnOp>(loc, results);
  function.setType(builder.getFunctionType(body->getArgumentTypes(), ValueRange(results)));
}

Sweep::Sweep() {
  DialectRegistry registry;
  compiler::registerDialects(registry);
  context.appendDialectRegistry(registry);
  context.disableMultithreading();
  context.loadDialect<KeratinDialect, func::FuncDialect>();
  calls = {{{0, 5}, {1, 3}, {2, 19}},
           {{0, 1}, {1, 1}, {2, 1}},
           {{0, 0}, {1, 2}, {2, 40}},
           {{0, 33}, {1, 7}, {2, 2}},
           {{0, 3}, {1, 0}, {2, 16}}};
}

static bool hasSize(const SweepCase &sweepCase, llvm::function_ref<bool(const DimExpr &)> is) {
  return llvm::any_of(sweepCase.inputs,
                      [&](const SweepInput &input) { return llvm::any_of(input.shape, is); });
}

static bool hasSymbols(const SweepCase &sweepCase) {
  return hasSize(sweepCase, [](const DimExpr &size) { return !size.isConstant(); });
}

// Whether a size may be said in another form.
static bool hasSizes(const SweepCase &sweepCase) {
  return hasSize(sweepCase, [](const DimExpr &size) {
    return !size.isConstant() || size.constantValue() > 1;
  });
}

bool Sweep::isValid(const SweepCase &sweepCase) {
  ScopedDiagnosticHandler silence(&context, [](Diagnostic &) { return success(); });
  Program program(&context, sweepCase);
  return succeeded(verify(*program.module));
}

void Sweep::check(const std::vector<SweepCase> &cases, size_t casesInFunction) {
  static Sample sample; // of all sweeps and sections together
  // Those that need larger symbols apart from those that are called with zeros; those that have
  // symbols apart from those whose numbers become some.
  std::map<std::pair<bool, int64_t>, std::vector<SweepCase>> kinds;
  for (const SweepCase &sweepCase : cases)
    if (sizes == SizeForm::AsGiven || hasSizes(sweepCase))
      kinds[{sizes != SizeForm::AsGiven && hasSymbols(sweepCase), sweepCase.smallest}].push_back(
          sweepCase);
  for (auto &[kind, list] : kinds)
    for (ArrayRef<SweepCase> rest = list; !rest.empty();
         rest = rest.drop_front(std::min(casesInFunction, rest.size())))
      if (sample.takesNext())
        checkTogether(rest.take_front(casesInFunction));
}

// Whether all bits agree, but for those of NaN.
static bool haveEqualBits(const HostTensor &a, const HostTensor &b) {
  return a.dims == b.dims && a.ints == b.ints &&
         std::equal(a.floats.begin(), a.floats.end(), b.floats.begin(), b.floats.end(),
                    [](double x, double y) {
                      return (std::isnan(x) && std::isnan(y)) ||
                             std::memcmp(&x, &y, sizeof(double)) == 0;
                    });
}

// On the targets and machines that KERATIN_TEST_BITS lists.
static std::vector<std::unique_ptr<CompiledRunner>> onOthers(func::FuncOp function,
                                                             compiler::CompileOptions options) {
  std::vector<std::unique_ptr<CompiledRunner>> runners;
  const char *list = std::getenv("KERATIN_TEST_BITS");
  for (StringRef name : llvm::split(list ? list : "", ',')) {
    if (name.empty())
      continue;
    compiler::CompileOptions its = options;
    (name.starts_with("x86-64") ? its.cpu : its.target) = name.str();
    runners.push_back(std::make_unique<CompiledRunner>(function, its));
  }
  return runners;
}

// What a call multiplies all sizes by comes to the power of the rank: the interpreter would take
// minutes for a convolution of three dimensions. The function's own sizes are never too large.
static bool isTooLarge(func::FuncOp function, const SizedCall &call) {
  constexpr int64_t mostElements = 1 << 16;
  EvaluationContext context;
  context.symbols = call.symbols;
  return !call.isOwn && llvm::any_of(function.getArguments(), [&](Value argument) {
    int64_t elements = 1;
    for (const DimExpr &size : getShape(argument))
      elements *= context.evaluate(size).value();
    return elements > mostElements;
  });
}

void Sweep::checkTogether(ArrayRef<SweepCase> cases) {
  const bool keepsSizes = sizes == SizeForm::AsGiven || hasSymbols(cases[0]);
  Program program(&context, cases, keepsSizes);
  SizesOfFunction given(sizes, calls);
  if (!given.give(program.module, keepsSizes)) {
    if (cases.size() == 1)
      leftOut.push_back(cases[0].label);
    else
      for (const SweepCase &one : cases)
        checkTogether(one);
    return;
  }
  program.function = *program.module->getOps<func::FuncOp>().begin();
  compiler::CompileOptions options;
  options.verify = true;
  options.assumeEqualSizes = sizes == SizeForm::Named || sizes == SizeForm::Assumed;
  if (hasTf32Products)
    options.float32Products = codegen::Float32Products::Tf32;
  CompiledRunner runner(program.function, options);
  assuming += runner.assumesSizes();
  const std::vector<std::unique_ptr<CompiledRunner>> others = onOthers(program.function, options);
  for (const auto &other : others) {
    INFO(cases[0].label);
    CHECK(other->error == "");
  }
  if (!runner.error.empty()) {
    if (cases.size() > 1) {
      // One of them is the culprit.
      for (const SweepCase &one : cases)
        checkTogether(one);
    } else if (StringRef(runner.error).contains("not implemented")) {
      refused.push_back(cases[0].label + ": " + runner.error);
    } else {
      INFO(cases[0].label);
      FAIL_CHECK(runner.error);
    }
    return;
  }
  uint64_t seed = 1;
  for (const SizedCall &call : given.calls()) {
    if (llvm::any_of(call.symbols, [&](auto &entry) { return entry.second < cases[0].smallest; }) ||
        isTooLarge(program.function, call))
      continue;
    std::vector<HostTensor> arguments;
    for (size_t symbol = 0; symbol < program.numSymbols; ++symbol)
      arguments.push_back(
          makeHostTensor(KERATIN_DTYPE_BOOL, {call.symbols.at(int64_t(symbol))}).value());
    for (const SweepCase &sweepCase : cases)
      for (SweepInput input : sweepCase.inputs) {
        input.shape = getShape(program.function.getArgument(unsigned(arguments.size())));
        if (call.sizeOf && input.limit.isConstant() && input.limit.constantValue() > 1)
          input.limit = call.sizeOf(input.limit.constantValue());
        arguments.push_back(sweepTensor(input, call.symbols, seed++ << 20));
      }
    for (int64_t scalar : call.scalars) {
      arguments.push_back(makeHostTensor(KERATIN_DTYPE_INT64, {}).value());
      arguments.back().ints[0] = scalar;
    }
    INFO(cases[0].label << " and others, " << call.str());
    if (!call.isAllowed) {
      CHECK_FALSE(runner.run(arguments));
      continue;
    }
    EvaluationContext interpreter;
    auto expected =
        interpretWithBounds(program.function, arguments, interpreter,
                            {.rewritten = isRewritten, .hasTf32Products = hasTf32Products});
    if (failed(expected) && !call.isOwn)
      continue;
    keratin_set_debug_fill(0x55);
    auto actual = runner.run(arguments);
    keratin_set_debug_fill(0xFF);
    keratin_set_num_threads(2);
    auto again = runner.run(arguments, Edge::Start);
    std::vector<std::optional<std::vector<HostTensor>>> elsewhere;
    for (const auto &other : others) {
      elsewhere.push_back(other->run(arguments));
      CHECK(other->error == "");
    }
    keratin_set_debug_fill(-1);
    keratin_set_num_threads(1);
    if (failed(expected) || !actual || !again || llvm::is_contained(elsewhere, std::nullopt)) {
      FAIL_CHECK((failed(expected) ? interpreter.error : runner.error));
      continue;
    }
    for (size_t i = 0; i < actual->size(); ++i) {
      // CHECK is slow; most results agree.
      auto mismatch = findMismatch((*actual)[i], (*expected)[i], isRewritten ? 4 : 1);
      bool isRepeated = areIdentical((*actual)[i], (*again)[i]);
      bool hasSameBits = llvm::all_of(
          elsewhere, [&](const auto &found) { return haveEqualBits((*actual)[i], (*found)[i]); });
      if (!mismatch && isRepeated && hasSameBits)
        continue;
      INFO("case " << program.caseOfResult[i]->label << ", result " << i);
      if (mismatch)
        FAIL_CHECK(*mismatch);
      CHECK(isRepeated);
      CHECK(hasSameBits);
    }
  }
}
