// Every float16 and bfloat16 through each cast, and float32 in steps; NaN and infinities in the
// ops that choose or compare, against NumPy's results.
//
// KERATIN_CAST_STEP=1 walks all 2^32 float32 patterns (minutes); a test run takes one of 4099.
#include "ir/dialect/Keratin.h"
#include "ir/reference/HostConversions.h"
#include "tests/support/CompiledRunner.h"
#include "tests/support/TestEnvironment.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>

using namespace keratin;
using namespace keratin::tests;
using keratin::ir::HostTensor;

namespace {

struct Target {
  const char *type;
  keratin_dtype_t dtype;
};
constexpr Target targets[] = {{"i1", KERATIN_DTYPE_BOOL},       {"i8", KERATIN_DTYPE_INT8},
                              {"i16", KERATIN_DTYPE_INT16},     {"i32", KERATIN_DTYPE_INT32},
                              {"i64", KERATIN_DTYPE_INT64},     {"ui8", KERATIN_DTYPE_UINT8},
                              {"ui16", KERATIN_DTYPE_UINT16},   {"ui32", KERATIN_DTYPE_UINT32},
                              {"ui64", KERATIN_DTYPE_UINT64},   {"f16", KERATIN_DTYPE_FLOAT16},
                              {"bf16", KERATIN_DTYPE_BFLOAT16}, {"f32", KERATIN_DTYPE_FLOAT32},
                              {"f64", KERATIN_DTYPE_FLOAT64}};

std::string vectorOf(const std::string &element) {
  return "tensor<?x" + element + ", #keratin.dims<d0>>";
}

class Function {
public:
  explicit Function(const std::string &text)
      : context(registry(), mlir::MLIRContext::Threading::DISABLED) {
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    REQUIRE(module);
    runner = std::make_unique<CompiledRunner>(*module->getOps<mlir::func::FuncOp>().begin());
    INFO(runner->error);
    REQUIRE(runner->error.empty());
  }
  std::vector<HostTensor> operator()(llvm::ArrayRef<HostTensor> arguments) {
    auto results = runner->run(arguments);
    INFO(runner->error);
    REQUIRE(results);
    return *results;
  }

private:
  static const mlir::DialectRegistry &registry() {
    static const mlir::DialectRegistry *made = [] {
      auto *result = new mlir::DialectRegistry;
      compiler::registerDialects(*result);
      return result;
    }();
    return *made;
  }
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::unique_ptr<CompiledRunner> runner;
};

// One function that casts to every type.
Function castsFrom(const std::string &type) {
  std::string body, values, types;
  for (const Target &target : targets) {
    std::string value = std::string("%") + target.type, result = vectorOf(target.type);
    body += "  " + value + " = keratin.cast %x : (" + vectorOf(type) + ") -> " + result + "\n";
    values += (values.empty() ? "" : ", ") + value;
    types += (types.empty() ? "" : ", ") + result;
  }
  return Function("func.func @casts(%x: " + vectorOf(type) + ") -> (" + types + ") {\n" + body +
                  "  return " + values + " : " + types + "\n}\n");
}

bool sameFloat(double a, double b) {
  return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}

void checkCasts(Function &casts, keratin_dtype_t from, const HostTensor &input) {
  std::vector<HostTensor> results = casts({input});
  for (auto [target, result] : llvm::zip(targets, results)) {
    int64_t wrong = 0, first = -1;
    for (int64_t i = 0; i < input.size(); ++i) {
      ir::HostElement element{input.floats[i], 0};
      ir::HostElement expected = ir::castElement(from, element, target.dtype);
      bool same = result.isFloat() ? sameFloat(result.floats[i], expected.floating)
                                   : result.ints[i] == expected.integer;
      if (!same && wrong++ == 0)
        first = i;
    }
    INFO("to " << target.type << ", first " << (wrong ? input.floats[first] : 0));
    CHECK(wrong == 0);
  }
}

} // namespace

TEST_CASE("Every float16 and bfloat16 is cast as written", "[cast]") {
  for (auto [type, dtype] :
       {std::pair("f16", KERATIN_DTYPE_FLOAT16), std::pair("bf16", KERATIN_DTYPE_BFLOAT16)}) {
    INFO(type);
    std::vector<uint16_t> patterns(1 << 16);
    for (size_t i = 0; i < patterns.size(); ++i)
      patterns[i] = uint16_t(i);
    Function casts = castsFrom(type);
    checkCasts(casts, dtype, *ir::fromBytes(dtype, {1 << 16}, patterns.data()));
  }
}

TEST_CASE("Float32 patterns in steps are cast as written", "[cast]") {
  const auto step = uint64_t(fromEnvironment("KERATIN_CAST_STEP", 4099));
  REQUIRE(step > 0);
  Function casts = castsFrom("f32");
  constexpr size_t block = 1 << 20;
  std::vector<uint32_t> patterns;
  for (uint64_t pattern = 0; pattern < uint64_t(1) << 32; pattern += step) {
    patterns.push_back(uint32_t(pattern));
    if (patterns.size() == block || pattern + step >= uint64_t(1) << 32) {
      checkCasts(
          casts, KERATIN_DTYPE_FLOAT32,
          *ir::fromBytes(KERATIN_DTYPE_FLOAT32, {int64_t(patterns.size())}, patterns.data()));
      patterns.clear();
    }
  }
}

TEST_CASE("Floats around the limits of integers saturate, NaN is 0", "[cast]") {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  std::vector<double> values = {0.0, -0.0, NAN, infinite, -infinite, 0.5, -0.5, 1e300, -1e300};
  for (int bits : {7, 8, 15, 16, 31, 32, 63, 64})
    for (double sign : {1.0, -1.0})
      for (double offset : {-1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5}) {
        double limit = sign * std::ldexp(1.0, bits);
        values.push_back(limit + offset);
        values.push_back(std::nextafter(limit, offset * infinite));
      }
  Function casts = castsFrom("f64");
  checkCasts(casts, KERATIN_DTYPE_FLOAT64,
             *ir::fromBytes(KERATIN_DTYPE_FLOAT64, {int64_t(values.size())}, values.data()));
}

namespace {

// What NumPy 1.x gives for each pair of these, row by row.
constexpr double N = std::numeric_limits<double>::quiet_NaN();
constexpr double I = std::numeric_limits<double>::infinity();
const std::vector<double> specials = {-I, -1.5, -0.0, 0.0, 1.5, I, N};

struct Table {
  const char *op;
  double (*expected)(double a, double b);
};

double floorMod(double a, double b) {
  if (std::isnan(a) || std::isnan(b) || std::isinf(a) || b == 0)
    return N;
  double remainder = std::fmod(a, b);
  if (remainder == 0)
    return std::copysign(0.0, b);
  return (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

// np.maximum and np.minimum give NaN if either is.
double maximum(double a, double b) { return std::isnan(a) || std::isnan(b) ? N : std::max(a, b); }
double minimum(double a, double b) { return std::isnan(a) || std::isnan(b) ? N : std::min(a, b); }
double power(double a, double b) { return std::pow(a, b); }
double quotient(double a, double b) { return a / b; }
double product(double a, double b) { return a * b; }

constexpr Table tables[] = {{"maximum", maximum}, {"minimum", minimum}, {"pow", power},
                            {"mod", floorMod},    {"div", quotient},    {"mul", product}};

} // namespace

TEST_CASE("NaN and infinities follow NumPy", "[nan]") {
  std::vector<double> left, right;
  for (double a : specials)
    for (double b : specials) {
      left.push_back(a);
      right.push_back(b);
    }
  int64_t count = int64_t(left.size());
  for (const char *type : {"f32", "f64"}) {
    keratin_dtype_t dtype = type[1] == '3' ? KERATIN_DTYPE_FLOAT32 : KERATIN_DTYPE_FLOAT64;
    HostTensor a{dtype, {count}, {}, {}}, b = a;
    a.floats.assign(left.begin(), left.end());
    b.floats.assign(right.begin(), right.end());
    std::string vector = vectorOf(type), bools = vectorOf("i1");
    for (const Table &table : tables) {
      Function run("func.func @f(%a: " + vector + ", %b: " + vector + ") -> " + vector +
                   " {\n  %y = keratin." + table.op + " %a, %b : (" + vector + ", " + vector +
                   ") -> " + vector + "\n  return %y : " + vector + "\n}\n");
      HostTensor y = run({a, b})[0];
      for (int64_t i = 0; i < count; ++i) {
        double expected = table.expected(left[i], right[i]), found = y.floats[i];
        INFO(table.op << "(" << left[i] << ", " << right[i] << ") in " << type << ": " << found
                      << ", NumPy " << expected);
        CHECK((std::isnan(expected) ? std::isnan(found)
                                    : found == ir::roundToFloat(dtype, expected)));
      }
    }
    for (auto [name, holds] : {std::pair<const char *, bool (*)(double, double)>(
                                   "eq", [](double x, double y) { return x == y; }),
                               {"ne", [](double x, double y) { return x != y; }},
                               {"lt", [](double x, double y) { return x < y; }},
                               {"le", [](double x, double y) { return x <= y; }},
                               {"gt", [](double x, double y) { return x > y; }},
                               {"ge", [](double x, double y) { return x >= y; }}}) {
      Function run("func.func @f(%a: " + vector + ", %b: " + vector + ") -> " + bools +
                   " {\n  %y = keratin.compare " + name + " %a, %b : (" + vector + ", " + vector +
                   ") -> " + bools + "\n  return %y : " + bools + "\n}\n");
      HostTensor y = run({a, b})[0];
      for (int64_t i = 0; i < count; ++i) {
        INFO(left[i] << " " << name << " " << right[i] << " in " << type);
        CHECK(bool(y.ints[i]) == holds(left[i], right[i]));
      }
    }
    Function sign("func.func @f(%a: " + vector + ") -> " + vector +
                  " {\n  %y = keratin.sign %a : (" + vector + ") -> " + vector +
                  "\n  return %y : " + vector + "\n}\n");
    HostTensor y = sign({a})[0];
    for (int64_t i = 0; i < count; ++i)
      CHECK((std::isnan(left[i]) ? std::isnan(y.floats[i])
                                 : y.floats[i] == (left[i] > 0) - (left[i] < 0)));
  }
}
