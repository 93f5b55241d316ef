// Threads that build graphs at once: who waits for whom, and what one sees of another.
#include "tests/frontend/FrontendTest.h"

#include "frontend/graph/Graph.h"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

using keratin::Function;
using keratin::frontend::Graph;

namespace {

// Opens once; whoever waits for it in vain for five minutes is told so.
class Gate {
public:
  void open() {
    std::lock_guard lock(mutex);
    isOpen = true;
    changed.notify_all();
  }
  bool wait() {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, std::chrono::minutes(5), [&] { return isOpen; });
  }

private:
  std::mutex mutex;
  std::condition_variable changed;
  bool isOpen = false;
};

// Does its work in a thread of its own while a callable waits for it.
class Visitor {
public:
  explicit Visitor(std::function<void()> work)
      : thread([this, work = std::move(work)] {
          if (called.wait())
            work();
          done.open();
        }) {}
  ~Visitor() {
    called.open();
    thread.join();
  }
  // In the callable. Whether the work is done; at the next calls too.
  bool operator()() {
    called.open();
    return inTime = done.wait();
  }
  bool wasInTime() const { return inTime; }

private:
  Gate called, done;
  bool inTime = false;
  std::thread thread; // the last, as it uses the others
};

// Of the graph, which a thread that has done its work may still be leaving.
int64_t opCount() {
  Graph::Lock lock(Graph::get());
  return Graph::get().opCount();
}

bool hasTraces() {
  Graph::Lock lock(Graph::get());
  return !Graph::get().traces().empty();
}

} // namespace

// A function of its own, and tensors that come and go.
static void buildAndCompile() {
  Tensor x = K::placeholder({None, 2}), w = K::variable(Array{{1.0}, {2.0}});
  Tensor y = K::map_fn([&](const Tensor &row) { return K::sum(row * 2.0); }, K::dot(x, w));
  Function f = K::function({x}, {y}, {K::update_add(w, K::ones_like(w))});
  if (f({Array{{1.0, 1.0}}})[0].item(0) != 6.0 || K::eval(w + 1.0).item(1) != 4.0)
    throw std::logic_error("wrong values");
}

// That the function does not keep others out while it runs the callable that it is given.
static void checkFree(const std::string &name,
                      const std::function<void(const std::function<void()> &)> &runs) {
  INFO(name);
  Tensor dropped = K::tanh(K::placeholder({3}));
  Visitor visitor([&] {
    dropped = Tensor();
    buildAndCompile();
  });
  runs([&] { visitor(); });
  CHECK(visitor.wasInTime());
}

TEST_CASE("nobody waits for a callable", "[threads]") {
  using Callable = const std::function<void()> &;
  Tensor x = K::constant({{{1.0}, {2.0}}}), flag = K::placeholder({}, None, "bool");
  Tensor flags = K::placeholder({2}, None, "bool"), state = K::constant({{0.0}});
  for (bool unroll : {false, true})
    checkFree(unroll ? "rnn, unrolled" : "rnn", [&](Callable callable) {
      auto step = [&](const Tensor &input, const Tensor &h) {
        callable();
        return std::pair(input + h, input + h);
      };
      K::rnn(step, x, {state}, false, None, {}, unroll);
    });
  checkFree("map_fn", [&](Callable callable) {
    K::map_fn([&](const Tensor &e) { return callable(), e * 2.0; }, x);
  });
  checkFree("foldl", [&](Callable callable) {
    K::foldl([&](const Tensor &a, const Tensor &e) { return callable(), a + e; }, x);
  });
  checkFree("foldr", [&](Callable callable) {
    K::foldr([&](const Tensor &a, const Tensor &e) { return callable(), a + e; }, x);
  });
  checkFree("while_loop, condition", [&](Callable callable) {
    K::while_loop([&](const Tensor &v) { return callable(), v < 3.0; },
                  [&](const Tensor &v) { return v + 1.0; }, {K::constant(0.0)});
  });
  checkFree("while_loop, body", [&](Callable callable) {
    K::while_loop([&](const Tensor &v) { return v < 3.0; },
                  [&](const Tensor &v) { return callable(), v + 1.0; }, {K::constant(0.0)});
  });
  for (const Tensor &condition : {flag, flags}) {
    checkFree("switch, then", [&](Callable callable) {
      K::switch_(
          condition, [&] { return callable(), K::constant({1.0, 2.0}); },
          [&] { return K::constant({3.0, 4.0}); });
    });
    checkFree("switch, else", [&](Callable callable) {
      K::switch_(
          condition, [&] { return K::constant({1.0, 2.0}); },
          [&] { return callable(), K::constant({3.0, 4.0}); });
    });
  }
  for (const keratin::Operand &training : {keratin::Operand(None), keratin::Operand(1)})
    checkFree("in_train_phase", [&](Callable callable) {
      K::in_train_phase([&] { return callable(), K::constant(1.0); }, 2.0, training);
    });
  checkFree("switch in map_fn in foldl", [&](Callable callable) {
    auto inner = [&](const Tensor &e) {
      return K::switch_(flag, [&] { return callable(), e; }, [&] { return -e; });
    };
    auto fold = [&](const Tensor &a, const Tensor &e) { return a + K::map_fn(inner, e); };
    K::foldl(fold, x);
  });
}

TEST_CASE("the last handle waits for nobody", "[threads]") {
  int64_t before = opCount();
  Tensor x = K::tanh(K::placeholder({2}));
  Gate dropped;
  std::thread dropping;
  {
    Graph::Lock lock(Graph::get());
    dropping = std::thread([&] {
      x = Tensor();
      dropped.open();
    });
    CHECK(dropped.wait());
    CHECK(opCount() > before);
  }
  dropping.join();
  CHECK(opCount() == before);
}

TEST_CASE("a function keeps what it has in hand though all handles go", "[threads]") {
  int64_t before = opCount();
  for (bool byAnother : {false, true}) {
    INFO(byAnother);
    Tensor x = K::placeholder({1, 2, 1}), last;
    {
      std::vector<Tensor> states = {K::square(K::sum(x, 1)) + 1.0};
      auto drop = [&] {
        states.clear();
        for (int i = 0; i < 100; ++i)
          K::eval(K::square(K::ones({2, 1})) + i);
      };
      Visitor visitor([&] {
        if (byAnother)
          drop();
      });
      auto add = [&](const Tensor &input, const Tensor &h) {
        if (!byAnother)
          drop();
        visitor();
        return std::pair(input + h, input + h);
      };
      last = std::get<0>(K::rnn(add, x, states));
      CHECK(visitor.wasInTime());
    }
    checkArray(K::function({x}, {last})({Array{{{1.0}, {2.0}}}})[0], Array{{13.0}});
  }
  CHECK(opCount() == before);
}

TEST_CASE("what another thread makes meanwhile is not the callable's", "[threads]") {
  Tensor x = K::placeholder({2}), other;
  Visitor visitor([&] { other = K::exp(x); });
  Tensor y = K::map_fn(
      [&](const Tensor &e) {
        CHECK(visitor());
        return e + K::sum(other) * 0.0;
      },
      x);
  // Made once, outside of the loop, and of use after it.
  checkArray(K::function({x}, {y, other})({Array{0.0, 0.0}})[1], Array{1.0, 1.0});
  CHECK_FALSE(hasTraces());
}

TEST_CASE("a step argument is of no use to another thread", "[threads]") {
  Tensor x = K::placeholder({2}), element, foreign;
  Visitor visitor([&] { foreign = K::exp(element); });
  Tensor y = K::map_fn(
      [&](const Tensor &e) {
        element = e;
        CHECK(visitor());
        return foreign;
      },
      x);
  CHECK_THROWS_AS(K::function({x}, {y}), keratin::ValueError);
}

TEST_CASE("scopes and control dependencies are their thread's", "[threads]") {
  Tensor v = K::variable(1.0), name, read;
  std::string scopeName;
  {
    Tensor update = K::update_add(v, 10.0);
    K::name_scope scope("threads_outer");
    K::control_dependencies after({update});
    std::thread([&] {
      name = K::identity(v);
      read = v + 0.0;
      K::name_scope own("threads_own");
      scopeName = own.name();
    }).join();
    CHECK(scopeName == "threads_own/");
    CHECK_THAT(K::identity(v).name(), Catch::StartsWith("threads_outer/"));
  }
  CHECK_THAT(name.name(), Catch::StartsWith("identity"));
  CHECK(K::function({}, {read})({})[0].item() == 1.0);
  CHECK(K::get_value(v).item() == 1.0);
}

TEST_CASE("a scope that ends in another thread ends", "[threads]") {
  auto scope = std::make_unique<K::name_scope>("threads_moved");
  auto after = std::make_unique<K::control_dependencies>(
      std::vector<Tensor>{K::update_add(K::variable(1.0), 1.0)});
  std::thread([&] {
    scope.reset();
    after.reset();
  }).join();
  CHECK_THAT(K::identity(K::variable(1.0)).name(), Catch::StartsWith("identity"));
}

TEST_CASE("evaluating beside a callable takes constant memory", "[threads]") {
  int64_t before = opCount();
  {
    Tensor v = K::variable({1.0, 2.0}), old = K::tanh(v);
    int64_t growth = -1, first = 0;
    Visitor visitor([&] {
      old = Tensor();
      K::eval(v + 0);
      first = opCount();
      for (int i = 0; i < 10000; ++i)
        K::eval(v + i);
      growth = opCount() - first;
    });
    K::map_fn([&](const Tensor &e) { return visitor(), e + 1.0; }, v);
    CHECK(visitor.wasInTime());
    CHECK(growth == 0);
  }
  CHECK(opCount() == before);
}

TEST_CASE("a callable that throws leaves the work of others alone", "[threads]") {
  Tensor x = K::placeholder({2}), kept;
  int64_t before = opCount();
  Visitor visitor([&] { kept = K::tanh(x); });
  CHECK_THROWS_AS(K::map_fn(
                      [&](const Tensor &e) -> Tensor {
                        Tensor inner = K::map_fn([](const Tensor &s) { return s; }, K::ones({2}));
                        CHECK(visitor());
                        throw std::runtime_error("mine");
                        return e + inner;
                      },
                      x),
                  std::runtime_error);
  CHECK(opCount() == before + 1);
  CHECK_FALSE(hasTraces());
  checkArray(K::function({x}, {kept})({Array{0.0, 0.0}})[0], Array{0.0, 0.0});
}

TEST_CASE("objects of the user's are destroyed without the lock", "[threads]") {
  struct Builder {
    ~Builder() { std::thread(buildAndCompile).join(); }
  };
  auto builder = std::make_shared<Builder>();
  Tensor v = K::variable(1.0, None, "", [builder](const Tensor &w) { return w; });
  builder.reset();
  Gate destroyed;
  std::thread destroying([&] {
    v = Tensor();
    destroyed.open();
  });
  CHECK(destroyed.wait());
  destroying.join();
}

TEST_CASE("a long chain of constraints ends without recursion", "[threads]") {
  int64_t before = opCount();
  Tensor v = K::variable(1.0);
  for (int i = 0; i < 50000; ++i)
    v = K::variable(1.0, None, "", [v](const Tensor &) { return v; });
  v = Tensor();
  CHECK(opCount() == before);
}

TEST_CASE("many threads build loops at once", "[threads]") {
  constexpr int kThreads = 12, kRounds = 3;
  int64_t before = opCount();
  std::vector<std::vector<double>> results(kThreads);
  {
    Tensor shared = K::placeholder({None, 2}), doubled = shared * 2.0;
    std::vector<std::thread> threads;
    for (int number = 0; number < kThreads; ++number)
      threads.emplace_back([&, number] {
        for (int round = 0; round < kRounds; ++round) {
          K::name_scope scope("thread" + std::to_string(number));
          auto step = [&](const Tensor &input, const Tensor &h) {
            Tensor inner = K::map_fn([&](const Tensor &e) { return e + double(number); }, input);
            Tensor next = K::switch_(
                K::sum(h) < 100.0, [&] { return h + K::sum(inner, -1, true); }, [&] { return h; });
            return std::pair(next, next);
          };
          Tensor rows = K::expand_dims(doubled, 0);
          Tensor last = std::get<0>(K::rnn(step, rows, {K::zeros({1, 1})}));
          Function f = K::function({shared}, {last, K::gradients(last, {shared})[0].value()});
          std::vector<Array> values = f({Array{{1.0, 2.0}, {3.0, 4.0}}});
          results[size_t(number)] = {values[0].item(), values[1].item(3)};
        }
      });
    for (std::thread &thread : threads)
      thread.join();
  }
  for (int number = 0; number < kThreads; ++number)
    CHECK(results[size_t(number)] == std::vector<double>{20.0 + 4 * number, 2.0});
  CHECK(opCount() == before);
}
