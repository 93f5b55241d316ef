// Memory that is asked for during a call: tapes that grow while a loop runs, and an arena for what
// depends on the number of its steps.
#include "FunctionBuilder.h"

#include <atomic>
#include <cstdint>
#include <cstdlib>

using namespace keratin::testing;

namespace {

// Counts up to `steps`, keeps each number in one tape and three of each in another one, and sums up
// what is there when the number of steps is known. False if the call has failed.
// Slots: 0 the number of steps, 1 what it is at most, 2 and 3 the bytes of a step, 4 of the arena.
bool addUp(keratin_context_t *context, void *const *buffers, const int64_t *sizes, int64_t steps,
           int64_t &sum) {
  int64_t room = 0, step = 0;
  for (; step < steps; ++step) {
    if (step >= room && (room = context->functions->grow_tapes(context, 0, step + 1)) == 0)
      break;
    CHECK(room > step);
    static_cast<int64_t *>(buffers[3])[step] = step;
    for (int i = 0; i < 3; ++i)
      static_cast<int64_t *>(buffers[4])[3 * step + i] = 10 * step;
  }
  if (context->functions->define_size(context, 0, step) != 0) {
    CHECK(context->failed_site != 0);
    return false;
  }
  CHECK(sizes[4] == 8 * steps);
  auto *arena = static_cast<int64_t *>(buffers[5]);
  CHECK(uintptr_t(arena) % KERATIN_ALIGNMENT == 0);
  for (int64_t i = 0; i < steps; ++i)
    arena[i] =
        static_cast<int64_t *>(buffers[3])[i] + static_cast<int64_t *>(buffers[4])[3 * i + 2];
  for (int64_t i = 0; i < steps; ++i)
    sum += arena[i];
  return true;
}

void sumOfTape(keratin_context_t *context, void *const *buffers, const int64_t *sizes) {
  int64_t sum = 0;
  if (addUp(context, buffers, sizes, *static_cast<const int64_t *>(buffers[0]), sum))
    *static_cast<int64_t *>(buffers[1]) = sum;
}

// The loop inside another one, whose steps let it count up to 0, 1, ...
void sumOfTapes(keratin_context_t *context, void *const *buffers, const int64_t *sizes) {
  int64_t sum = 0;
  for (int64_t i = 0; i <= *static_cast<const int64_t *>(buffers[0]); ++i)
    if (!addUp(context, buffers, sizes, i, sum))
      return;
  *static_cast<int64_t *>(buffers[1]) = sum;
}

class Tape {
public:
  explicit Tape(keratin_entry_fn_t entry = sumOfTape) : builder("tape", entry) {
    builder.input("steps", KERATIN_DTYPE_INT64, {})
        .output("sum", KERATIN_DTYPE_INT64, {})
        .symbol("", 0, 0, KERATIN_SYMBOL_COMPUTED)
        .program({KERATIN_SIZE_CONST, INT64_MAX})
        .program({KERATIN_SIZE_CONST, 8})
        .program({KERATIN_SIZE_CONST, 24})
        .program({KERATIN_SIZE_CONST, 8, KERATIN_SIZE_SLOT, 0, KERATIN_SIZE_MUL});
    builder.descriptor.computed = &computed;
  }

  FunctionBuilder builder;
  int64_t levels[4] = {0, 0, 0, 1};
  keratin_computed_size_t size = {1, KERATIN_OUT_OF_RANGE, 0, "while: too many steps"};
  keratin_memory_t memories[3] = {
      {KERATIN_MEMORY_TAPE, 0, 2}, {KERATIN_MEMORY_TAPE, 0, 3}, {KERATIN_MEMORY_ARENA, 0, 4}};
  keratin_computed_sizes_t computed = {1, &size, levels, 3, memories, {}};
};

struct Call {
  explicit Call(Tape &tape) : executable(makeExecutable(tape.builder)) {}

  keratin_status_code_t operator()(int64_t steps, std::vector<char> *workspace = nullptr) {
    sum = -1;
    keratin_tensor_t input = {&steps, KERATIN_DTYPE_INT64, 0, nullptr, nullptr, nullptr};
    keratin_tensor_t output = {&sum, KERATIN_DTYPE_INT64, 0, nullptr, nullptr, nullptr};
    if (workspace)
      return keratin_invoke_in(executable.get(), nullptr, 0, &input, 1, &output, 1,
                               workspace->data(), workspace->size(), &status);
    return keratin_invoke(executable.get(), nullptr, 0, &input, 1, &output, 1, &status);
  }

  Executable executable;
  int64_t sum = 0;
  keratin_status_t status;
};

int64_t sumOf(int64_t steps) { return 11 * (steps * (steps - 1) / 2); }
int64_t sumOfSums(int64_t steps) {
  int64_t sum = 0;
  for (int64_t i = 0; i <= steps; ++i)
    sum += sumOf(i);
  return sum;
}

// Refuses what is larger than `most`, and counts what is not.
struct Limited {
  std::atomic<int64_t> calls{0}, live{0};
  size_t most = SIZE_MAX;

  Limited() {
    keratin_allocator_t hook = {allocate, deallocate, this};
    keratin_set_allocator(&hook);
  }
  ~Limited() { keratin_set_allocator(nullptr); }

  static void *allocate(void *user, size_t bytes, size_t alignment) {
    auto &self = *static_cast<Limited *>(user);
    ++self.calls;
    void *memory = nullptr;
    if (bytes > self.most ||
        posix_memalign(&memory, std::max(alignment, sizeof(void *)), bytes ? bytes : 1) != 0)
      return nullptr;
    self.live += int64_t(bytes);
    return memory;
  }
  static void deallocate(void *user, void *data, size_t bytes, size_t) {
    static_cast<Limited *>(user)->live -= int64_t(bytes);
    std::free(data);
  }
};

} // namespace

TEST_CASE("a tape grows with the steps of a loop and keeps what is in it") {
  Tape tape;
  Call call(tape);
  for (int64_t steps : {3, 0, 1, 100000, 5, 250000, 250000}) {
    INFO(steps);
    REQUIRE(call(steps) == KERATIN_OK);
    CHECK(call.sum == sumOf(steps));
  }
}

TEST_CASE("a tape grows in few blocks, which the next call has") {
  Limited memory;
  {
    Tape tape;
    Call call(tape);
    REQUIRE(call(300000) == KERATIN_OK);
    CHECK(memory.calls < 60);
    int64_t before = memory.calls;
    REQUIRE(call(300000) == KERATIN_OK);
    CHECK(memory.calls == before);
    CHECK(call.sum == sumOf(300000));
  }
  CHECK(memory.live == 0);
}

TEST_CASE("a tape without memory fails the call, and the next one works") {
  Limited memory;
  memory.most = 1 << 20;
  Tape tape;
  Call call(tape);
  CHECK(call(300000) == KERATIN_RESOURCE_EXHAUSTED);
  CHECK(std::string(call.status.message)
            .find("function 'tape': no memory for the tape of a loop, ") == 0);
  REQUIRE(call(1000) == KERATIN_OK);
  CHECK(call.sum == sumOf(1000));
  // Where twice as much is refused, less may do.
  memory.most = 1200000;
  REQUIRE(call(45000) == KERATIN_OK);
  CHECK(call.sum == sumOf(45000));
}

TEST_CASE("a workspace holds tapes as long as there is room") {
  Tape tape;
  Call call(tape);
  std::vector<char> workspace(1 << 20);
  REQUIRE(call(2000, &workspace) == KERATIN_OK);
  CHECK(call.sum == sumOf(2000));
  CHECK(call(100000, &workspace) == KERATIN_RESOURCE_EXHAUSTED);
  REQUIRE(call(2000, &workspace) == KERATIN_OK);
}

TEST_CASE("the steps of a loop around it use a tape again") {
  Limited memory;
  Tape tape(sumOfTapes);
  Call call(tape);
  for (int64_t steps : {3, 0, 500, 2000, 7}) {
    INFO(steps);
    REQUIRE(call(steps) == KERATIN_OK);
    CHECK(call.sum == sumOfSums(steps));
  }
  // The largest of them, and no more than twice that of each of the two tapes, and of the arena.
  CHECK(memory.live < 2 * 2000 * (8 + 24 + 8) + (256 << 10));
  int64_t before = memory.calls;
  REQUIRE(call(2000) == KERATIN_OK);
  CHECK(memory.calls == before);
}

TEST_CASE("a workspace is not used up by the steps of a loop") {
  Tape tape(sumOfTapes);
  Call call(tape);
  // Four times what the steps of the longest keep, as documented, and as much for the arena.
  std::vector<char> workspace(4 * 3000 * (8 + 24 + 8) + (64 << 10));
  REQUIRE(call(3000, &workspace) == KERATIN_OK);
  CHECK(call.sum == sumOfSums(3000));
  CHECK(call(9000, &workspace) == KERATIN_RESOURCE_EXHAUSTED);
  REQUIRE(call(3000, &workspace) == KERATIN_OK);
}

TEST_CASE("memories of a call fit its sizes, or the descriptor is refused") {
  auto refusal = [](auto damage) {
    Tape tape;
    damage(tape);
    keratin_status_t status;
    keratin_executable_t *executable = nullptr;
    CHECK(keratin_executable_create(tape.builder.build(), &executable, &status) != KERATIN_OK);
    return std::string(status.message);
  };
  auto has = [](const std::string &message, const char *part) {
    return message.find(part) != std::string::npos;
  };
  CHECK(has(refusal([](Tape &t) { t.memories[0].kind = 2; }), "memory 0: unknown kind"));
  CHECK(has(refusal([](Tape &t) { t.memories[1].size = 1; }),
            "memory 1: it needs a computed size that does not exist"));
  CHECK(has(refusal([](Tape &t) { t.memories[0].slot = 4; }),
            "memory 0: its bytes are not known when it is asked for"));
  CHECK(has(refusal([](Tape &t) { t.memories[2].slot = 9; }),
            "memory 2: its bytes are not known when it is asked for"));
  CHECK(has(refusal([](Tape &t) { t.computed.num_memories = -1; }), "number of memories"));
  CHECK(has(refusal([](Tape &t) { t.size.bound = 4; }),
            "computed size 0: its bound is not known when it is defined"));
}
