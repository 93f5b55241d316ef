// Many threads at once: in one function, in one session, in the compiler, in the graph. Results are
// checked in any build; under ThreadSanitizer (docs/testing.md) the accesses are, too.
//
// KERATIN_TEST_CALLS sets how often each thread calls; the default keeps a test run short.
#include "compiler/driver/Compiler.h"
#include "ir/dialect/Keratin.h"
#include "keratin/backend.h"
#include "keratin/error.h"
#include "tests/support/TestEnvironment.h"

#include <keratin/runtime.h>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

using namespace keratin;
namespace K = keratin::backend;

static constexpr int manyThreads = 64;

static int callsOfAThread() {
  static const int calls =
      int(std::max<int64_t>(1, tests::fromEnvironment("KERATIN_TEST_CALLS", 200)));
  return calls;
}

// Runs work(0), work(1), … at once, beginning together. The number of times `work` returned false
// or threw; Catch's assertions are for one thread.
static int64_t failuresOf(int threads, const std::function<bool(int)> &work) {
  std::atomic<int> waiting{threads};
  std::atomic<int64_t> failures{0};
  std::vector<std::thread> list;
  for (int i = 0; i < threads; ++i)
    list.emplace_back([&, i] {
      --waiting;
      while (waiting > 0)
        std::this_thread::yield();
      try {
        failures += !work(i);
      } catch (...) {
        ++failures;
      }
    });
  for (std::thread &thread : list)
    thread.join();
  return failures;
}

static bool areEqual(const Array &a, const Array &b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() &&
         std::memcmp(a.rawData(), b.rawData(), a.bytes()) == 0;
}

static Array numbers(std::vector<int64_t> dims, int seed) {
  Array result = Array::zeros(DType::Float32, std::move(dims));
  for (int64_t i = 0; i < result.size(); ++i)
    result.data<float>()[i] = float((i * 7 + seed * 13) % 29 - 14) / 8;
  return result;
}

//===-- One function
//-----------------------------------------------------------------------------===//

TEST_CASE("many threads call one function with sizes of their own", "[concurrency]") {
  K::Tensor x = K::placeholder({K::None, 24});
  K::Tensor w = K::variable(numbers({24, 10}, 1));
  K::Tensor y = K::softmax(K::tanh(K::dot(x, w)));
  K::Function f =
      K::function({x}, {y, K::sum(y * y, 0), K::gradients(K::sum(y * y), {w})[0].value()});
  std::vector<Array> inputs;
  std::vector<std::vector<Array>> expected;
  for (int i = 0; i < manyThreads; ++i) {
    inputs.push_back(numbers({i % 9, 24}, i));
    expected.push_back(f({inputs.back()}));
  }
  CHECK(failuresOf(manyThreads, [&](int i) {
          bool good = true;
          std::vector<Array> outputs; // used again
          for (int call = 0; call < callsOfAThread(); ++call) {
            int which = (i + call) % manyThreads;
            f.call(&inputs[which], 1, outputs);
            for (size_t k = 0; k < outputs.size(); ++k)
              good &= areEqual(outputs[k], expected[which][k]);
          }
          return good;
        }) == 0);
}

TEST_CASE("callers share the pool of threads", "[concurrency]") {
  int before = keratin_num_threads();
  keratin_set_num_threads(4);
  K::Tensor x = K::placeholder({K::None, 256});
  K::Tensor w = K::variable(numbers({256, 256}, 3));
  K::Function f = K::function({x}, {K::relu(K::dot(x, w)), K::sum(K::exp(x))});
  Array input = numbers({256, 256}, 5);
  std::vector<Array> expected = f({input});
  int calls = std::max(1, callsOfAThread() / 20);
  CHECK(failuresOf(8, [&](int) {
          bool good = true;
          for (int call = 0; call < calls; ++call) {
            std::vector<Array> outputs = f({input});
            good &= areEqual(outputs[0], expected[0]) && areEqual(outputs[1], expected[1]);
          }
          return good;
        }) == 0);
  keratin_set_num_threads(before);
}

//===-- Shared variables
//-------------------------------------------------------------------------===//

TEST_CASE("updates of many threads all count, and nobody sees half of one", "[concurrency]") {
  K::Tensor count = K::variable(0, "int64"), twice = K::variable(0, "int64");
  K::Tensor wide = K::variable(Array::zeros(DType::Float32, {1000}));
  // The old count is an output: each must come once.
  K::Function step = K::function(
      {}, {count},
      {K::update_add(count, 1), K::update(twice, count * 2 + 2), K::update_add(wide, 1.0)});
  K::Function look = K::function({}, {count, twice, wide});
  auto isWhole = [](const std::vector<Array> &seen) {
    int64_t n = seen[0].item<int64_t>();
    const float *first = seen[2].data<float>();
    return seen[1].item<int64_t>() == 2 * n &&
           std::all_of(first, first + seen[2].size(), [&](float x) { return x == float(n); });
  };
  constexpr int writers = 40;
  std::vector<std::vector<int64_t>> seenCounts(writers);
  CHECK(failuresOf(manyThreads, [&](int i) {
          bool good = true;
          for (int call = 0; call < callsOfAThread(); ++call)
            if (i < writers) {
              seenCounts[i].push_back(step(std::vector<Array>{})[0].item<int64_t>());
            } else if (i % 2) {
              good &= isWhole(look(std::vector<Array>{}));
            } else {
              Array value = K::get_value(wide);
              const float *first = value.data<float>();
              good &=
                  std::all_of(first, first + value.size(), [&](float x) { return x == first[0]; });
            }
          return good;
        }) == 0);
  std::set<int64_t> distinct;
  for (const std::vector<int64_t> &list : seenCounts) {
    CHECK(std::is_sorted(list.begin(), list.end()));
    distinct.insert(list.begin(), list.end());
  }
  int64_t total = int64_t(writers) * callsOfAThread();
  CHECK(int64_t(distinct.size()) == total);
  CHECK(K::get_value(count).item<int64_t>() == total);
  CHECK(isWhole(look(std::vector<Array>{})));
}

TEST_CASE("updates that exchange buffers do so one call at a time", "[concurrency]") {
  // Neither can be made in place: the runtime puts the new values' buffers in the old ones' stead,
  // which ThreadSanitizer sees.
  K::Tensor a = K::variable(Array::zeros(DType::Float32, {100}));
  K::Tensor b = K::variable(Array::zeros(DType::Float32, {100}));
  K::Function step = K::function({}, {a - b}, {K::update(a, b + 1.0), K::update(b, a)});
  CHECK(failuresOf(manyThreads, [&](int) {
          bool good = true;
          for (int call = 0; call < callsOfAThread(); ++call) {
            // a is b or b + 1 after any number of calls.
            Array seen = step(std::vector<Array>{})[0];
            const float *first = seen.data<float>();
            good &= (*first == 0 || *first == 1) &&
                    std::all_of(first, first + seen.size(), [&](float x) { return x == *first; });
          }
          return good;
        }) == 0);
  int64_t total = int64_t(manyThreads) * callsOfAThread();
  CHECK(K::get_value(a).item<float>(0) == float((total + 1) / 2));
  CHECK(K::get_value(b).item<float>(99) == float(total / 2));
}

TEST_CASE("values are set while functions read them", "[concurrency]") {
  K::Tensor v = K::variable(Array::zeros(DType::Float32, {500}));
  K::Function look = K::function({}, {v * 2.0});
  CHECK(failuresOf(16, [&](int i) {
          bool good = true;
          for (int call = 0; call < callsOfAThread(); ++call)
            if (i % 4 == 0) {
              K::set_value(v, Array(double(call)));
            } else {
              Array seen = look(std::vector<Array>{})[0];
              const float *first = seen.data<float>();
              good &=
                  std::all_of(first, first + seen.size(), [&](float x) { return x == first[0]; });
            }
          return good;
        }) == 0);
}

//===-- The runtime's objects
//--------------------------------------------------------------------===//

namespace {

using Compiled = std::shared_ptr<const compiler::CompiledFunction>;

// sum(tanh(x), axis 1) + added, and a variable that counts the calls. In a context of its own, as
// every thread that compiles has.
Compiled compileExample(int64_t columns, double added) {
  mlir::DialectRegistry registry;
  compiler::registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  std::string n = std::to_string(columns);
  std::string wide = "tensor<?x" + n + "xf32, #keratin.dims<d0, " + n + ">>";
  std::string sums = "tensor<?xf32, #keratin.dims<d0>>";
  std::string text =
      "func.func @main(%x: " + wide +
      " {keratin.kind = \"input\", keratin.name = \"x\"}, %v: tensor<i64> {keratin.kind = "
      "\"variable\", keratin.name = \"v\"}) -> (" +
      sums +
      " {keratin.kind = \"output\"}, tensor<i64> {keratin.kind = \"update\", keratin.variable = 0 "
      ": i64}) {\n"
      "  %one = keratin.constant dense<1> : tensor<i64>\n"
      "  %c = keratin.constant dense<" +
      std::to_string(added) + "> : tensor<f32>\n  %y = keratin.tanh %x : (" + wide + ") -> " +
      wide + "\n  %s = keratin.reduce_sum %y axes = [1] : (" + wide + ") -> " + sums +
      "\n  %b = keratin.broadcast %c dims = [] : (tensor<f32>) -> " + sums +
      "\n  %z = keratin.add %s, %b : (" + sums + ", " + sums + ") -> " + sums +
      "\n  %w = keratin.add %v, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>\n"
      "  return %z, %w : " +
      sums + ", tensor<i64>\n}\n";
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    return nullptr;
  auto compiled = compiler::compile(*module, compiler::CompileOptions());
  return compiled.ok() ? *compiled : nullptr;
}

// Calls with `rows` rows of zeros, so that every output is what is added.
bool callExample(keratin_executable_t *executable, keratin_variable_t *variable, int64_t rows,
                 int64_t columns, double added) {
  std::vector<float> x(size_t(rows * columns) + 1), y(size_t(rows) + 1, -1);
  int64_t inputDims[] = {rows, columns};
  keratin_tensor_t input = {x.data(), KERATIN_DTYPE_FLOAT32, 2, inputDims, nullptr, nullptr};
  keratin_tensor_t output = {y.data(), KERATIN_DTYPE_FLOAT32, 1, inputDims, nullptr, nullptr};
  keratin_status_t status;
  return keratin_invoke(executable, &variable, 1, &input, 1, &output, 1, &status) == KERATIN_OK &&
         std::all_of(y.begin(), y.end() - 1, [&](float v) { return v == float(added); });
}

int64_t readCount(keratin_variable_t *variable) {
  int64_t count = -1;
  keratin_variable_read(variable, &count, sizeof(count), nullptr);
  return count;
}

} // namespace

TEST_CASE("sessions share code, not variables; arenas are trimmed meanwhile", "[concurrency]") {
  constexpr int sessions = 8, perSession = manyThreads / sessions;
  Compiled compiled = compileExample(33, 2.5);
  REQUIRE(compiled);
  keratin_executable_t *executable = nullptr;
  REQUIRE(keratin_executable_create(&compiled->descriptor(), &executable, nullptr) == KERATIN_OK);
  std::vector<keratin_variable_t *> variables(sessions);
  for (keratin_variable_t *&variable : variables) {
    keratin_session_t *session = nullptr;
    REQUIRE(keratin_session_create(&session, nullptr) == KERATIN_OK);
    REQUIRE(keratin_variable_create(session, KERATIN_DTYPE_INT64, 0, nullptr, nullptr, &variable,
                                    nullptr) == KERATIN_OK);
    keratin_session_destroy(session); // the variable holds it
  }
  CHECK(failuresOf(manyThreads, [&](int i) {
          bool good = true;
          for (int call = 0; call < callsOfAThread(); ++call) {
            good &= callExample(executable, variables[i % sessions], (i + call) % 5, 33, 2.5);
            if (call % 16 == i % 16)
              keratin_executable_trim(executable);
          }
          return good;
        }) == 0);
  for (keratin_variable_t *variable : variables) {
    CHECK(readCount(variable) == int64_t(perSession) * callsOfAThread());
    keratin_variable_release(variable);
  }
  keratin_executable_destroy(executable);
}

TEST_CASE("executables come and go in many threads", "[concurrency]") {
  Compiled compiled = compileExample(16, -1);
  REQUIRE(compiled);
  CHECK(failuresOf(16, [&](int i) {
          Compiled mine = compiled; // the last one may be any thread's
          bool good = true;
          for (int round = 0; round < std::max(1, callsOfAThread() / 4); ++round) {
            keratin_executable_t *executable = nullptr;
            keratin_session_t *session = nullptr;
            keratin_variable_t *variable = nullptr;
            good &= keratin_executable_create(&mine->descriptor(), &executable, nullptr) ==
                        KERATIN_OK &&
                    keratin_session_create(&session, nullptr) == KERATIN_OK &&
                    keratin_variable_create(session, KERATIN_DTYPE_INT64, 0, nullptr, nullptr,
                                            &variable, nullptr) == KERATIN_OK &&
                    callExample(executable, variable, i % 4 + 1, 16, -1) &&
                    readCount(variable) == 1;
            keratin_variable_release(variable);
            keratin_session_destroy(session);
            keratin_executable_destroy(executable);
          }
          return good;
        }) == 0);
}

//===-- Compiling and building
//-------------------------------------------------------------------===//

TEST_CASE("threads compile at once, load and unload", "[concurrency]") {
  int rounds = std::max(1, callsOfAThread() / 50);
  CHECK(failuresOf(8, [&](int i) {
          bool good = true;
          for (int round = 0; round < rounds; ++round) {
            // Some functions are equal, some are not.
            int64_t columns = 3 + (i + round) % 5;
            Compiled compiled = compileExample(columns, i);
            keratin_executable_t *executable = nullptr;
            keratin_session_t *session = nullptr;
            keratin_variable_t *variable = nullptr;
            if (!compiled ||
                keratin_executable_create(&compiled->descriptor(), &executable, nullptr) !=
                    KERATIN_OK ||
                keratin_session_create(&session, nullptr) != KERATIN_OK ||
                keratin_variable_create(session, KERATIN_DTYPE_INT64, 0, nullptr, nullptr,
                                        &variable, nullptr) != KERATIN_OK)
              return false;
            for (int64_t rows : {0, 1, 40})
              good &= callExample(executable, variable, rows, columns, i);
            good &= readCount(variable) == 3;
            keratin_variable_release(variable);
            keratin_session_destroy(session);
            keratin_executable_destroy(executable);
          }
          return good;
        }) == 0);
}

TEST_CASE("threads build, compile and evaluate graphs of their own", "[concurrency]") {
  int rounds = std::max(1, callsOfAThread() / 50);
  CHECK(failuresOf(8, [&](int i) {
          bool good = true;
          for (int round = 0; round < rounds; ++round) {
            K::Tensor x = K::placeholder({K::None, 3});
            K::Tensor w = K::variable(numbers({3, 2}, i));
            K::Tensor loss = K::sum(K::dot(x, w) * double(i + 1));
            K::Tensor g = K::gradients(loss, {w})[0].value();
            K::Function step = K::function({x}, {g}, {K::update_sub(w, g)});
            Array old = K::get_value(w);
            Array rows = numbers({4, 3}, round);
            Array gradient = step({rows})[0];
            Array now = K::get_value(w);
            for (int64_t k = 0; k < 3; ++k) {
              float sum = 0;
              for (int64_t r = 0; r < 4; ++r)
                sum += rows.data<float>()[r * 3 + k];
              for (int64_t c = 0; c < 2; ++c) {
                // Multiples of 1/8: every order of additions is exact.
                good &= gradient.data<float>()[k * 2 + c] == sum * float(i + 1);
                good &= now.data<float>()[k * 2 + c] ==
                        old.data<float>()[k * 2 + c] - sum * float(i + 1);
              }
            }
            good &= K::eval(K::constant(double(i)) + 1.0).item() == i + 1;
          }
          return good;
        }) == 0);
}

TEST_CASE("threads build graphs of many source lines at once", "[concurrency]") {
  K::Tensor x = K::placeholder({K::None, 3});
  int calls = 100 * callsOfAThread();
  CHECK(failuresOf(8, [&](int i) {
          bool good = true;
          for (int call = 0; call < calls; ++call) {
            good &= K::abs(x, SourceLocation{"program.cc", i * calls + call}).ndim() == 2;
          }
          return good;
        }) == 0);
}
