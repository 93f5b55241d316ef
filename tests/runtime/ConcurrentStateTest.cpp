// Many threads on one state: calls that read, calls that update, in workspaces and without, copies,
// files, reads and writes. Entry functions are written here, so ThreadSanitizer sees their
// accesses.
//
// KERATIN_TEST_CALLS sets how often each thread calls.
#include "tests/runtime/FunctionBuilder.h"

#include "tests/support/TemporaryFile.h"
#include "tests/support/TestEnvironment.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <thread>

using namespace keratin::testing;

namespace {

constexpr int64_t width = 300;
constexpr int64_t piece = 50; // of a copy through scratch

int callsOfAThread() {
  return int(std::max<int64_t>(1, keratin::tests::fromEnvironment("KERATIN_TEST_CALLS", 200)));
}

// y = v; new v = v + x, new w = w - x, in buffers of their own. All x are equal, whatever their
// number; they go through the arena.
void exchangeEntry(keratin_context_t *, void *const *buffers, const int64_t *sizes) {
  auto *x = static_cast<const float *>(buffers[0]);
  auto *v = static_cast<const float *>(buffers[1]);
  auto *w = static_cast<const float *>(buffers[2]);
  auto *y = static_cast<float *>(buffers[3]);
  auto *newV = static_cast<float *>(buffers[4]);
  auto *newW = static_cast<float *>(buffers[5]);
  auto *arena = static_cast<float *>(buffers[6]);
  std::copy_n(x, sizes[0], arena);
  for (int64_t i = 0; i < width; ++i) {
    y[i] = v[i];
    newV[i] = v[i] + arena[i % sizes[0]];
    newW[i] = w[i] - arena[(i + 1) % sizes[0]];
  }
}

// v = v + 1, w = w - 1, in place.
void addEntry(keratin_context_t *, void *const *buffers, const int64_t *) {
  auto *v = static_cast<float *>(buffers[0]);
  auto *w = static_cast<float *>(buffers[1]);
  for (int64_t i = 0; i < width; ++i) {
    v[i] += 1;
    w[i] -= 1;
  }
}

void copyThroughScratch(keratin_context_t *context, const int64_t *argv, int64_t begin,
                        int64_t end) {
  auto *scratch = static_cast<float *>(context->scratch);
  auto *from = reinterpret_cast<const float *>(argv[0]);
  auto *to = reinterpret_cast<float *>(argv[1]);
  for (; begin < end; begin += piece) {
    int64_t count = std::min(piece, end - begin);
    std::copy_n(from + begin, count, scratch);
    std::copy_n(scratch, count, to + begin);
  }
}

// y = v, then w: first to the arena, then to y, in parallel.
void lookEntry(keratin_context_t *context, void *const *buffers, const int64_t *) {
  auto *y = static_cast<float *>(buffers[2]);
  auto *arena = static_cast<float *>(buffers[3]);
  for (int64_t i = 0; i < 2; ++i) {
    const int64_t toArena[] = {int64_t(buffers[i]), int64_t(arena + i * width)};
    context->functions->parallel_for(context, copyThroughScratch, toArena, width, piece);
  }
  const int64_t toOutput[] = {int64_t(arena), int64_t(y)};
  context->functions->parallel_for(context, copyThroughScratch, toOutput, 2 * width, piece);
}

enum Function { Exchange, Add, Look };
enum Variable { V, W, Z };

// w is -v, but for writes; z is for those.
struct Model {
  FunctionBuilder exchange{"exchange", exchangeEntry}, add{"add", addEntry},
      look{"look", lookEntry};
  const int64_t dims[1] = {width};
  keratin_object_variable_t variables[3] = {
      {{"v", KERATIN_DTYPE_FLOAT32, 1, dims, "", nullptr, {}}, nullptr, nullptr, {}},
      {{"w", KERATIN_DTYPE_FLOAT32, 1, dims, "", nullptr, {}}, nullptr, nullptr, {}},
      {{"z", KERATIN_DTYPE_FLOAT32, 1, dims, "", nullptr, {}}, nullptr, nullptr, {}}};
  int32_t used[2] = {V, W};
  keratin_object_function_t functions[3];
  keratin_object_variant_t variants[1] = {{"any", {0, 0}, functions, {}}};
  keratin_object_desc_t object = {KERATIN_OBJECT_MAGIC,
                                  KERATIN_OBJECT_ABI_VERSION,
                                  "model",
                                  "a test",
                                  3,
                                  3,
                                  1,
                                  0,
                                  variables,
                                  variants,
                                  nullptr,
                                  nullptr,
                                  {}};

  Model() {
    for (FunctionBuilder *builder : {&exchange, &add, &look})
      builder->variable("v", KERATIN_DTYPE_FLOAT32, {width})
          .variable("w", KERATIN_DTYPE_FLOAT32, {width})
          .site(KERATIN_INTERNAL, "");
    exchange.input("x", KERATIN_DTYPE_FLOAT32, {FunctionBuilder::slot(0)})
        .output("y", KERATIN_DTYPE_FLOAT32, {width})
        .symbol("n", 0, 0)
        .program({KERATIN_SIZE_SLOT, 0, KERATIN_SIZE_CONST, 4, KERATIN_SIZE_MUL})
        .arena(1)
        .update(V, false)
        .update(W, false);
    add.update(V, true).update(W, true);
    look.output("y", KERATIN_DTYPE_FLOAT32, {2 * width})
        .program({KERATIN_SIZE_CONST, 2 * width * int64_t(sizeof(float))})
        .arena(0);
    look.descriptor.scratch_bytes = piece * sizeof(float);
    functions[Exchange] = {exchange.build(), used, nullptr, {}};
    functions[Add] = {add.build(), used, nullptr, {}};
    functions[Look] = {look.build(), used, nullptr, {}};
  }
};

bool allAre(const float *begin, float value) {
  return std::all_of(begin, begin + width, [=](float x) { return x == value; });
}

// One user of a state; `inWorkspace` calls in memory of its own.
class User {
public:
  User(keratin_state_t *state, bool inWorkspace) : state(state), inWorkspace(inWorkspace) {}

  // The old v; -1 if something is wrong.
  float exchange(int64_t count) {
    // Every other element, so that the runtime copies them.
    std::vector<float> ones(size_t(2 * count), 1), y(width);
    int64_t dims[] = {count}, strides[] = {2};
    keratin_tensor_t x = {ones.data(), KERATIN_DTYPE_FLOAT32, 1, dims, strides, nullptr};
    return call(Exchange, &x, y) && allAre(y.data(), y[0]) ? y[0] : -1;
  }
  bool add() {
    std::vector<float> none;
    return call(Add, nullptr, none);
  }
  bool look() {
    std::vector<float> y(2 * width);
    return call(Look, nullptr, y) && allAre(y.data(), y[0]) && allAre(y.data() + width, -y[0]);
  }
  bool read(Variable variable, std::vector<float> &values) {
    values.resize(width);
    return keratin_state_read(state, variable, values.data(), width * sizeof(float), nullptr) ==
           KERATIN_OK;
  }
  bool write(Variable variable, float value) {
    std::vector<float> values(width, value);
    int64_t dims[] = {width};
    keratin_tensor_t tensor = {values.data(), KERATIN_DTYPE_FLOAT32, 1, dims, nullptr, nullptr};
    return keratin_state_write(state, variable, &tensor, nullptr) == KERATIN_OK;
  }
  // v and w, which is -v at every moment.
  bool readsBoth() {
    std::vector<float> v(width), w(width);
    const int32_t numbers[] = {W, V};
    void *data[] = {w.data(), v.data()};
    const size_t bytes[] = {width * sizeof(float), width * sizeof(float)};
    return keratin_state_read_several(state, numbers, data, bytes, 2, nullptr) == KERATIN_OK &&
           allAre(v.data(), v[0]) && allAre(w.data(), -v[0]);
  }
  bool writeBoth(float value) {
    std::vector<float> v(width, value), w(width, -value);
    const int32_t numbers[] = {V, W};
    const int64_t dims[] = {width};
    const keratin_tensor_t values[] = {
        {v.data(), KERATIN_DTYPE_FLOAT32, 1, dims, nullptr, nullptr},
        {w.data(), KERATIN_DTYPE_FLOAT32, 1, dims, nullptr, nullptr}};
    return keratin_state_write_several(state, numbers, values, 2, nullptr) == KERATIN_OK;
  }
  bool readsEqualElements(Variable variable) {
    std::vector<float> values;
    return read(variable, values) && allAre(values.data(), values[0]);
  }
  // Of a state that nobody else uses.
  bool isWhole() {
    std::vector<float> v, w;
    return read(V, v) && read(W, w) && allAre(v.data(), v[0]) && allAre(w.data(), -v[0]);
  }
  bool copy() {
    keratin_state_t *made = nullptr;
    if (keratin_state_copy(state, &made, nullptr) != KERATIN_OK)
      return false;
    State owner(made);
    User user(made, inWorkspace);
    return user.isWhole() && user.readsEqualElements(Z) && user.add() && user.exchange(5) >= 0 &&
           user.isWhole();
  }
  bool save(const std::string &path) {
    return keratin_state_save(state, path.c_str(), nullptr) == KERATIN_OK;
  }
  bool load(const std::string &path) {
    return keratin_state_load(state, path.c_str(), nullptr) == KERATIN_OK;
  }

private:
  bool call(Function function, const keratin_tensor_t *input, std::vector<float> &y) {
    int64_t dims[] = {int64_t(y.size())};
    keratin_tensor_t output = {y.data(), KERATIN_DTYPE_FLOAT32, 1, dims, nullptr, nullptr};
    int64_t bytes = 0;
    if (inWorkspace && keratin_state_workspace_bytes(state, function, input, input ? 1 : 0, &bytes,
                                                     nullptr) != KERATIN_OK)
      return false;
    if (int64_t(workspace.size()) < bytes)
      workspace.resize(size_t(bytes));
    return keratin_state_invoke(state, function, input, input ? 1 : 0, &output, y.empty() ? 0 : 1,
                                inWorkspace ? workspace.data() : nullptr, workspace.size(),
                                nullptr) == KERATIN_OK;
  }

  keratin_state_t *state;
  bool inWorkspace;
  std::vector<char> workspace;
};

// work(i) in threads of their own; how many returned false.
int failuresOf(int threads, const std::function<bool(int)> &work) {
  std::atomic<int> waiting{threads}, failures{0};
  std::vector<std::thread> team;
  for (int i = 0; i < threads; ++i)
    team.emplace_back([&, i] {
      --waiting;
      while (waiting > 0)
        std::this_thread::yield();
      failures += !work(i);
    });
  for (std::thread &thread : team)
    thread.join();
  return failures;
}

struct Threads {
  explicit Threads(int count) : before(keratin_num_threads()) { keratin_set_num_threads(count); }
  ~Threads() { keratin_set_num_threads(before); }
  int before;
};

} // namespace

TEST_CASE("every update of a shared state counts; calls, copies and files see whole ones") {
  Threads pool(3);
  Model model;
  State state = makeState(model.object);
  keratin::tests::TemporaryFile file;
  int calls = callsOfAThread();
  constexpr int kinds = 8, threads = 3 * kinds;
  std::atomic<int64_t> updates{0};
  CHECK(failuresOf(threads, [&](int i) {
          // Threads of a kind differ in where they call.
          User user(state.get(), i / kinds % 2);
          bool good = true;
          float last = -1;
          for (int call = 0; call < calls; ++call)
            switch (i % kinds) {
            case 0:
            case 1: {
              float seen = user.exchange(1 + (i + call) % 7);
              good &= seen > last;
              last = seen;
              ++updates;
              break;
            }
            case 2:
              good &= user.add();
              ++updates;
              break;
            case 3:
            case 4:
              good &= user.look();
              break;
            case 5:
              good &= call % 4 || user.copy();
              break;
            case 6:
              // All to one path, from which a state of one's own reads what any of them wrote.
              if (call % 8 == 0) {
                keratin_state_t *made = nullptr;
                if (keratin_state_create(&model.object, &made, nullptr) != KERATIN_OK)
                  return false;
                State own(made);
                User reader(made, false);
                good &= user.save(file.path) && reader.load(file.path) && reader.isWhole();
              }
              break;
            case 7:
              good &= user.readsEqualElements(V) && user.readsBoth();
              break;
            }
          return good;
        }) == 0);
  User user(state.get(), false);
  std::vector<float> v;
  REQUIRE(user.read(V, v));
  CHECK(v[0] == float(updates));
  CHECK(user.isWhole());
}

TEST_CASE("states are written and loaded while calls run on them") {
  Threads pool(3);
  Model model;
  State state = makeState(model.object);
  keratin::tests::TemporaryFile file;
  REQUIRE(User(state.get(), false).save(file.path));
  int calls = callsOfAThread();
  constexpr int kinds = 8;
  CHECK(failuresOf(2 * kinds, [&](int i) {
          User user(state.get(), i / kinds);
          bool good = true;
          for (int call = 0; call < calls; ++call)
            switch (i % kinds) {
            case 0:
              good &= call % 4 || user.load(file.path);
              break;
            case 1:
              good &= call % 4 || user.save(file.path);
              break;
            case 2:
              good &= user.write(Z, float(call * 16 + i)) && user.writeBoth(float(call));
              break;
            case 3:
              good &= user.readsEqualElements(Z) && user.readsBoth();
              break;
            case 4:
              good &= user.look();
              break;
            case 5:
              good &= user.exchange(1 + call % 9) >= 0;
              break;
            case 6:
              good &= user.add();
              break;
            case 7:
              good &= call % 4 || user.copy();
              break;
            }
          return good;
        }) == 0);
  CHECK(User(state.get(), false).isWhole());
}

TEST_CASE("threads call one function of no variables in workspaces of their own") {
  // More threads than the executable keeps leases for.
  constexpr int threads = 80;
  Threads pool(2);
  auto entry = [](keratin_context_t *context, void *const *buffers, const int64_t *sizes) {
    const int64_t toArena[] = {int64_t(buffers[0]), int64_t(buffers[2])};
    context->functions->parallel_for(context, copyThroughScratch, toArena, sizes[0], piece);
    const int64_t toOutput[] = {int64_t(buffers[2]), int64_t(buffers[1])};
    context->functions->parallel_for(context, copyThroughScratch, toOutput, sizes[0], piece);
  };
  int64_t n = FunctionBuilder::slot(0);
  FunctionBuilder builder("f", entry);
  builder.input("x", KERATIN_DTYPE_FLOAT32, {n})
      .output("y", KERATIN_DTYPE_FLOAT32, {n})
      .symbol("n", 0, 0)
      .program({KERATIN_SIZE_SLOT, 0, KERATIN_SIZE_CONST, 4, KERATIN_SIZE_MUL})
      .arena(1);
  builder.descriptor.scratch_bytes = piece * sizeof(float);
  Executable executable = makeExecutable(builder);
  int calls = std::max(1, callsOfAThread() / 4);
  CHECK(failuresOf(threads, [&](int i) {
          std::vector<char> workspace;
          for (int call = 0; call < calls; ++call) {
            int64_t dims[] = {1 + (i * 31 + call) % 400};
            Floats in({2 * dims[0]}), out({dims[0]});
            for (size_t k = 0; k < in.values.size(); ++k)
              in.values[k] = float(int64_t(k) + i);
            int64_t strides[] = {2};
            keratin_tensor_t x = {
                in.values.data(), KERATIN_DTYPE_FLOAT32, 1, dims, call % 2 ? strides : nullptr,
                nullptr};
            keratin_tensor_t y = out.view();
            int64_t bytes = 0;
            if (keratin_executable_workspace_bytes(executable.get(), nullptr, 0, &x, 1, &bytes,
                                                   nullptr) != KERATIN_OK)
              return false;
            workspace.assign(size_t(bytes), 0);
            if (keratin_invoke_in(executable.get(), nullptr, 0, &x, 1, &y, 1, workspace.data(),
                                  workspace.size(), nullptr) != KERATIN_OK)
              return false;
            for (int64_t k = 0; k < dims[0]; ++k)
              if (out.values[size_t(k)] != in.values[size_t(call % 2 ? 2 * k : k)])
                return false;
            if (call % 8 == i % 8)
              keratin_executable_trim(executable.get());
          }
          return true;
        }) == 0);
}
