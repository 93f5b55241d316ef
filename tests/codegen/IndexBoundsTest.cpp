// Indices in and outside their axis, on buffers between guard pages: whatever the number is, memory
// beyond the operands is never touched, and the call fails exactly where the interpreter does.
#include "ir/dialect/Keratin.h"
#include "ir/reference/ErrorBounds.h"
#include "ir/reference/HostConversions.h"
#include "tests/support/CompiledRunner.h"
#include "tests/support/RandomTensor.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <catch2/catch.hpp>

#include <limits>
#include <set>

using namespace keratin;
using namespace keratin::tests;
using ir::HostTensor;
using Sizes = std::vector<std::string>; // "7", or a symbol: "d0"

static const char *nameOf(keratin_dtype_t dtype) {
  static constexpr const char *names[] = {"i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64"};
  return names[dtype - KERATIN_DTYPE_INT8];
}

static std::string tensorType(const Sizes &sizes, const std::string &element) {
  std::string dims, text = "tensor<";
  bool isKnown = true;
  for (const std::string &size : sizes) {
    isKnown &= size[0] != 'd';
    text += (size[0] == 'd' ? "?" : size) + "x";
    dims += (dims.empty() ? "" : ", ") + size;
  }
  return text + element + (isKnown ? ">" : ", #keratin.dims<" + dims + ">>");
}

namespace {

// An axis of `axis` elements, `count` indices into it (or one box that starts at one), rows of
// `width` elements; -1: no dimension of rows.
struct Case {
  std::string op;
  int64_t axis, count, width;
  keratin_dtype_t indexType;
  bool isDynamic; // sizes that only the call knows
  bool isFused;   // elementwise ops around it

  static constexpr int64_t boxSize = 3;
  bool isBox() const { return op == "dynamic_slice" || op == "dynamic_unslice"; }
  // One past the last index that is inside.
  int64_t end() const { return isBox() ? axis - boxSize + 1 : axis; }
  std::string text() const;
};

} // namespace

std::string Case::text() const {
  std::string n = isDynamic ? "d0" : std::to_string(axis);
  std::string k = isDynamic ? "d1" : std::to_string(count);
  std::string index = nameOf(indexType);
  auto rows = [&](const std::string &first) {
    return tensorType(width < 0 ? Sizes{first} : Sizes{first, std::to_string(width)}, "f32");
  };
  std::string indices = tensorType(isBox() ? Sizes{} : Sizes{k}, index);
  std::string x = isFused ? "%a" : "%x", in, out, call;
  if (op == "gather") {
    in = rows(n), out = rows(k);
    call = "keratin.gather " + x + ", %i : (" + in + ", " + indices + ") -> " + out;
  } else if (op == "scatter_add") {
    in = rows(k), out = rows(n);
    call = "keratin.scatter_add %i, " + x + " : (" + indices + ", " + in + ") -> " + out;
  } else {
    bool isSlice = op == "dynamic_slice";
    std::string box = rows(std::to_string(boxSize));
    in = isSlice ? rows(n) : box, out = isSlice ? box : rows(n);
    call = "keratin." + op + " " + x + ", %i" + (width < 0 ? "" : ", %zero") + " : (" + in + ", " +
           indices + (width < 0 ? "" : ", " + indices) + ") -> " + out;
  }
  std::string body = isBox() ? "  %zero = keratin.constant dense<0> : " + indices + "\n" : "";
  body += isFused ? "  %a = keratin.neg %x : (" + in + ") -> " + in + "\n" : "";
  body += "  %y = " + call + "\n";
  body += isFused ? "  %z = keratin.tanh %y : (" + out + ") -> " + out + "\n" : "";
  return "func.func @main(%n: " + tensorType({n}, "i1") + ", %k: " + tensorType({k}, "i1") +
         ", %i: " + indices + ", %x: " + in + ") -> " + out + " {\n" + body + "  return " +
         (isFused ? "%z" : "%y") + " : " + out + "\n}\n";
}

// 0, the axis and the ends of the dtype, with their neighbours, as far as the dtype holds them.
static std::set<int64_t> indicesToTry(const Case &one) {
  unsigned bits = 8 * unsigned(ir::dtypeBytes(one.indexType));
  int64_t n = one.axis, end = one.end();
  std::set<int64_t> result;
  for (int64_t value : {-n - 1, -n, int64_t(-1), int64_t(0), end - 1, end, n, n + 1,
                        std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()})
    // Wrapped to the dtype: unsigned ones see their own largest numbers.
    result.insert(ir::wrapToInteger(one.indexType, value));
  // The sign bit alone, and all others.
  int64_t top = int64_t(uint64_t(1) << (bits - 1));
  result.insert(ir::wrapToInteger(one.indexType, top));
  result.insert(ir::wrapToInteger(one.indexType, int64_t(uint64_t(top) - 1)));
  return result;
}

static mlir::DialectRegistry registry() {
  mlir::DialectRegistry result;
  compiler::registerDialects(result);
  return result;
}

// How many calls had an index outside.
static int64_t check(const Case &one, const std::vector<const char *> &machines) {
  mlir::MLIRContext context(registry(), mlir::MLIRContext::Threading::DISABLED);
  std::string text = one.text();
  INFO(text);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  REQUIRE(module);
  auto function = module->lookupSymbol<mlir::func::FuncOp>("main");
  std::vector<std::unique_ptr<CompiledRunner>> runners;
  for (const char *machine : machines) {
    compiler::CompileOptions options;
    options.cpu = machine;
    runners.push_back(std::make_unique<CompiledRunner>(function, options));
    REQUIRE(runners.back()->error == "");
  }
  std::vector<int64_t> rows{one.op == "gather" || one.op == "dynamic_slice" ? one.axis
                            : one.isBox()                                   ? Case::boxSize
                                                                            : one.count};
  if (one.width >= 0)
    rows.push_back(one.width);
  std::vector<HostTensor> arguments{
      *ir::makeHostTensor(KERATIN_DTYPE_BOOL, {one.axis}),
      *ir::makeHostTensor(KERATIN_DTYPE_BOOL, {one.count}),
      *ir::makeHostTensor(one.indexType,
                          one.isBox() ? std::vector<int64_t>{} : std::vector<int64_t>{one.count}),
      *randomTensor(KERATIN_DTYPE_FLOAT32, rows, 1)};
  int64_t outside = 0;
  std::vector<int64_t> &indices = arguments[2].ints;
  for (int64_t index : indicesToTry(one))
    for (size_t place : std::set<size_t>{0, indices.size() / 2, indices.size() - 1}) {
      for (size_t i = 0; i < indices.size(); ++i)
        indices[i] = i == place ? index : int64_t(i) % one.end();
      ir::EvaluationContext interpreter;
      auto expected = ir::interpretWithBounds(function, arguments, interpreter);
      bool isInside = index >= 0 && index < one.end();
      INFO("index " << index << " at " << place);
      REQUIRE(succeeded(expected) == isInside);
      outside += !isInside;
      for (auto &runner : runners)
        for (Edge edge : {Edge::End, Edge::Start}) {
          auto actual = runner->run(arguments, edge);
          // CHECK is slow; most results agree.
          if (isInside) {
            if (!actual || ir::findMismatch((*actual)[0], (*expected)[0]))
              FAIL_CHECK(runner->error << " differs");
          } else if (actual ||
                     runner->error.find(one.isBox() ? "slice" : one.op) == std::string::npos) {
            FAIL_CHECK("no failure, or another: " << runner->error);
          }
        }
    }
  return outside;
}

static constexpr const char *indexingOps[] = {"gather", "scatter_add", "dynamic_slice",
                                              "dynamic_unslice"};

TEST_CASE("an index outside is an error and touches nothing", "[bounds]") {
  int64_t outside = 0;
  for (const char *op : indexingOps)
    for (keratin_dtype_t dtype : {KERATIN_DTYPE_INT32, KERATIN_DTYPE_INT64})
      for (int64_t width : {-1, 1, 37})
        for (bool isDynamic : {false, true})
          for (bool isFused : {false, true})
            outside += check({op, 11, 35, width, dtype, isDynamic, isFused},
                             {"native", "x86-64-v3", "x86-64-v2"});
  CHECK(outside > 1000);
}

TEST_CASE("indices of every dtype, into short and long axes", "[bounds]") {
  for (const char *op : indexingOps)
    for (int dtype = KERATIN_DTYPE_INT8; dtype <= KERATIN_DTYPE_UINT64; ++dtype)
      for (int64_t axis : {3, 120}) {
        auto indexType = keratin_dtype_t(dtype);
        check({op, axis, 1, 5, indexType, dtype % 2 == 0, false}, {"native"});
        check({op, axis, 70, -1, indexType, dtype % 2 == 1, true}, {"native"});
      }
}

TEST_CASE("a one-hot row of an index outside is empty", "[bounds]") {
  // Compared with a count, as K::one_hot is: no number is an error.
  for (keratin_dtype_t dtype : {KERATIN_DTYPE_INT32, KERATIN_DTYPE_INT64}) {
    std::string index = nameOf(dtype), wide = tensorType({"10", "19"}, index);
    std::string result = tensorType({"10", "19"}, "i1");
    std::string text = "func.func @main(%i: tensor<10x" + index + ">) -> " + result +
                       " {\n  %a = keratin.broadcast %i dims = [0] : (tensor<10x" + index +
                       ">) -> " + wide + "\n  %b = keratin.iota {axis = 1 : i64} : " + wide +
                       "\n  %y = keratin.compare eq %a, %b : (" + wide + ", " + wide + ") -> " +
                       result + "\n  return %y : " + result + "\n}\n";
    INFO(text);
    mlir::MLIRContext context(registry(), mlir::MLIRContext::Threading::DISABLED);
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    REQUIRE(module);
    CompiledRunner runner(module->lookupSymbol<mlir::func::FuncOp>("main"));
    REQUIRE(runner.error == "");
    HostTensor indices = *ir::makeHostTensor(dtype, {10});
    int64_t largest = dtype == KERATIN_DTYPE_INT32 ? std::numeric_limits<int32_t>::max()
                                                   : std::numeric_limits<int64_t>::max();
    indices.ints = {-20, -19, -1, 0, 7, 18, 19, 20, largest, -largest - 1};
    for (Edge edge : {Edge::End, Edge::Start}) {
      auto actual = runner.run(indices, edge);
      REQUIRE(actual);
      for (int64_t row = 0; row < 10; ++row)
        for (int64_t column = 0; column < 19; ++column)
          REQUIRE((*actual)[0].ints[row * 19 + column] == (indices.ints[row] == column));
    }
  }
}
