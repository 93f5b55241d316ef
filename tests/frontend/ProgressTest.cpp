// FunctionOptions::progress.
#include "tests/frontend/FrontendTest.h"

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <map>
#include <thread>

using namespace keratin;

namespace {

// Nothing is compiled, and so nothing told, where the interpreter stands in.
bool isInterpreted() { return std::getenv("KERATIN_TEST_PROGRAM") != nullptr; }

// What was compiled before is not compiled again: a number of columns has its own code.
int64_t unseenColumns() {
  static int64_t columns = 4;
  return columns++;
}

Function compileWith(std::function<void(const CompileProgress &)> progress,
                     int64_t memoryBudget = 0, int64_t columns = unseenColumns()) {
  Tensor x = K::placeholder({3, columns}), w = K::variable(Array(0.5));
  Tensor y = std::get<0>(K::rnn(
      [&](const Tensor &step, const std::vector<Tensor> &states) {
        Tensor h = K::tanh(step * w + states[0]);
        return K::RnnStepResult{h, {h}};
      },
      K::expand_dims(x), K::zeros({3, 1})));
  FunctionOptions options;
  options.name = "told";
  options.memoryBudget = memoryBudget;
  options.progress = std::move(progress);
  return K::function(x, K::gradients(K::sum(y), w), {}, "", options);
}

struct Cancelled {
  int number;
};

} // namespace

TEST_CASE("compiling tells of its stages in order, step by step", "[function][progress]") {
  if (isInterpreted())
    return;
  for (int64_t memoryBudget : {0, 1 << 20}) {
    std::vector<CompileProgress> told;
    const int64_t columns = unseenColumns();
    std::thread::id caller = std::this_thread::get_id();
    Function f = compileWith(
        [&](const CompileProgress &progress) {
          CHECK(std::this_thread::get_id() == caller);
          told.push_back(progress);
        },
        memoryBudget, columns);
    std::vector<std::string> stages = {"graph", "grad",    "simplified", "fused", "plan",
                                       "host",  "kernels", "llvm",       "link"};
    if (memoryBudget)
      stages.insert(stages.begin(), "budget");
    size_t at = 0;
    for (const std::string &stage : stages) {
      INFO(stage);
      REQUIRE(at < told.size());
      CHECK(told[at].done == 0);
      for (int64_t last = 0; told[at].done < told[at].of; ++at) {
        CHECK(told[at].function == "told");
        CHECK(told[at].stage == stage);
        CHECK(!told[at].next.empty());
        CHECK(told[at].done >= last);
        last = told[at].done;
        REQUIRE(at + 1 < told.size());
      }
      CHECK(told[at].stage == stage);
      CHECK(told[at].next.empty());
      ++at;
    }
    CHECK(at == told.size());
    CHECK(f({Array::zeros(DType::Float32, {3, columns})}).size() == 1);
  }
}

TEST_CASE("what progress throws ends a compilation, and nothing else", "[function][progress]") {
  if (isInterpreted())
    return;
  // At the first and the last call of each stage.
  std::vector<int> moments;
  int count = 0;
  std::string stage;
  auto noteMoments = [&](const CompileProgress &progress) {
    if (progress.stage != stage || progress.next.empty())
      moments.push_back(count);
    stage = progress.stage;
    ++count;
  };
  compileWith(noteMoments);
  REQUIRE(moments.size() == 18);
  for (int moment : moments) {
    INFO(moment);
    int calls = 0;
    const int64_t columns = unseenColumns();
    try {
      compileWith(
          [&](const CompileProgress &) {
            if (calls++ == moment)
              throw Cancelled{moment};
          },
          0, columns);
      FAIL("it was not cancelled");
    } catch (const Cancelled &cancelled) {
      CHECK(cancelled.number == moment);
    }
    CHECK(calls == moment + 1);
    // Nobody has the code, and nobody waits for it.
    int again = 0;
    Function whole = compileWith([&](const CompileProgress &) { ++again; }, 0, columns);
    CHECK(again == count);
    CHECK(whole({Array::zeros(DType::Float32, {3, columns})}).size() == 1);
  }
}

TEST_CASE("of code that is there progress is told nothing", "[function][progress]") {
  if (isInterpreted())
    return;
  const int64_t columns = unseenColumns();
  int steps = 0;
  auto note = [&](const CompileProgress &) { ++steps; };
  Function first = compileWith(note, 0, columns);
  CHECK(steps > 0);
  steps = 0;
  Function second = compileWith(note, 0, columns);
  CHECK(steps == 0);
  const Array x = Array::zeros(DType::Float32, {3, columns});
  checkArray(second({x})[0], first({x})[0]);
}

TEST_CASE("where other constants have the code progress is told of the end", "[progress]") {
  if (isInterpreted())
    return;
  const int64_t columns = unseenColumns();
  std::vector<std::string> ends;
  std::string cancelAt;
  auto compileWithFactor = [&](double factor) {
    FunctionOptions options;
    options.progress = [&](const CompileProgress &progress) {
      if (progress.stage == cancelAt)
        throw Cancelled{0};
      CHECK((progress.done == progress.of) == progress.next.empty());
      if (progress.done == progress.of)
        ends.push_back(progress.stage);
    };
    Tensor x = K::placeholder({3, columns});
    return K::function(x, K::tanh(x * factor + 0.7), {}, "told", options);
  };
  const std::vector<std::string> all = {"graph", "grad",    "simplified", "fused", "plan",
                                        "host",  "kernels", "llvm",       "link"},
                                 some = {"graph", "grad", "simplified", "fused", "link"};
  // The second one makes the code for all that follow.
  for (double factor : {1.3, 1.4, 1.6, 1.7}) {
    ends.clear();
    Function f = compileWithFactor(factor);
    CHECK(ends == (factor < 1.5 ? all : some));
    CHECK(f({Array::zeros(DType::Float32, {3, columns})})[0].item<float>(0) ==
          Approx(std::tanh(0.7)));
  }
  cancelAt = "link";
  CHECK_THROWS_AS(compileWithFactor(1.8), Cancelled);
  cancelAt.clear();
  ends.clear();
  compileWithFactor(1.8);
  CHECK(ends == some);
}

TEST_CASE("who waits for another thread's code may stop waiting", "[function][progress]") {
  if (isInterpreted())
    return;
  const int64_t columns = unseenColumns();
  std::atomic<bool> isWaiting = false;
  std::thread other;
  Function made = compileWith(
      [&](const CompileProgress &progress) {
        if (progress.stage != "fused" || other.joinable())
          return;
        other = std::thread([&] {
          CHECK_THROWS_AS(compileWith(
                              [&](const CompileProgress &its) {
                                CHECK(its.stage == "wait");
                                throw Cancelled{0};
                              },
                              0, columns),
                          Cancelled);
          isWaiting = true;
        });
        while (!isWaiting)
          std::this_thread::yield();
      },
      0, columns);
  other.join();
  CHECK(made({Array::zeros(DType::Float32, {3, columns})}).size() == 1);
}

TEST_CASE("progress may use the graph, and compile", "[function][progress]") {
  if (isInterpreted())
    return;
  double sum = 0;
  compileWith([&](const CompileProgress &progress) {
    if (progress.next.empty())
      sum += K::eval(K::constant(1.0) + K::constant(2.0)).item();
  });
  CHECK(sum == 27.0);
}
