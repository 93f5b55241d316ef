// FunctionOptions::progress.
#include "tests/frontend/FrontendTest.h"

#include <cstdlib>
#include <map>
#include <thread>

using namespace keratin;

namespace {

// Nothing is compiled, and so nothing told, where the interpreter stands in.
bool isInterpreted() { return std::getenv("KERATIN_TEST_PROGRAM") != nullptr; }

Function compileWith(std::function<void(const CompileProgress &)> progress,
                     int64_t memoryBudget = 0) {
  Tensor x = K::placeholder({3, 4}), w = K::variable(Array(0.5));
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
    std::thread::id caller = std::this_thread::get_id();
    Function f = compileWith(
        [&](const CompileProgress &progress) {
          CHECK(std::this_thread::get_id() == caller);
          told.push_back(progress);
        },
        memoryBudget);
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
    CHECK(f({Array::zeros(DType::Float32, {3, 4})}).size() == 1);
  }
}

TEST_CASE("what progress throws ends a compilation, and nothing else", "[function][progress]") {
  if (isInterpreted())
    return;
  // At the first and the last call of each stage.
  std::vector<int> moments;
  int count = 0;
  std::string stage;
  Function whole = compileWith([&](const CompileProgress &progress) {
    if (progress.stage != stage || progress.next.empty())
      moments.push_back(count);
    stage = progress.stage;
    ++count;
  });
  const Array x = Array::zeros(DType::Float32, {3, 4});
  const std::vector<Array> expected = whole({x});
  REQUIRE(moments.size() == 18);
  for (int moment : moments) {
    INFO(moment);
    int calls = 0;
    try {
      compileWith([&](const CompileProgress &) {
        if (calls++ == moment)
          throw Cancelled{moment};
      });
      FAIL("it was not cancelled");
    } catch (const Cancelled &cancelled) {
      CHECK(cancelled.number == moment);
    }
    CHECK(calls == moment + 1);
  }
  checkArray(compileWith(nullptr)({x})[0], expected[0]);
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
