// Memory and threads that fail while a function is compiled, and fatal errors of LLVM: the call
// throws, the variables keep their values, and the process compiles on. Each run is a child, since
// what an abandoned compilation held is lost.
#include "tests/frontend/FrontendTest.h"
#include "tests/support/NoExit.h"
#include "tests/support/TestEnvironment.h"

#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <malloc.h>
#include <new>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)

namespace {

// The n-th allocation from now fails, for n counted down to 0; none while it is negative.
std::atomic<long> untilFailure{-1};
// How many fail then: 1, or all.
std::atomic<long> failures{0};
std::atomic<long> allocations{0};
std::atomic<int> threadsAllowed{INT_MAX};

// What the thread that allocates keeps others from, and itself should it come again: locks, and
// variables with static storage that it has begun to make.
enum class Hold { None, Lock, Variable, New };
thread_local int locksHeld = 0, variablesBegun = 0;
// Calls of operator new that run.
thread_local int news = 0;
// Within a function of glibc that ends the process where it finds no memory.
thread_local int inGlibc = 0;
// Those that count are all allocations, or those made while holding this.
std::atomic<Hold> counted{Hold::None};

bool fails() {
  if (inGlibc > 0)
    return false;
  const Hold which = counted.load(std::memory_order_relaxed);
  const Hold held = variablesBegun > 0 ? Hold::Variable : locksHeld > 0 ? Hold::Lock : Hold::None;
  if (which == Hold::New ? news == 0 : which != Hold::None && which != held)
    return false;
  allocations.fetch_add(1, std::memory_order_relaxed);
  long left = untilFailure.load(std::memory_order_relaxed);
  if (left < 0)
    return false;
  if (left > 0) {
    untilFailure.fetch_sub(1);
    return false;
  }
  if (failures.fetch_sub(1) <= 0) {
    untilFailure = -1;
    return false;
  }
  return true;
}

// operator new as the C++ library has it.
template <typename Ask> void *allocate(Ask ask) {
  ++news;
  for (;;) {
    if (void *memory = ask()) {
      --news;
      return memory;
    }
    std::new_handler handler = std::get_new_handler();
    try {
      if (!handler)
        throw std::bad_alloc();
      handler();
    } catch (...) {
      --news;
      throw;
    }
  }
}

template <typename Type> using Function = Type *;
// The definition that stands behind one of these, looked up once. No variable that would need a
// guard to be made.
template <typename Type> Type behind(std::atomic<Type> &known, const char *name) {
  if (Type found = known.load(std::memory_order_relaxed))
    return found;
  Type found = reinterpret_cast<Type>(dlsym(RTLD_NEXT, name));
  known.store(found, std::memory_order_relaxed);
  return found;
}

// Of the result of a function that takes a lock.
int taken(int error) {
  locksHeld += error == 0;
  return error;
}

} // namespace

// Defined in the program, they stand before those of the C library for every shared library too.
#pragma GCC visibility push(default)
extern "C" {
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

void *malloc(size_t bytes) { return fails() ? (errno = ENOMEM, nullptr) : __libc_malloc(bytes); }
void *calloc(size_t count, size_t bytes) {
  return fails() ? (errno = ENOMEM, nullptr) : __libc_calloc(count, bytes);
}
void *realloc(void *memory, size_t bytes) {
  return fails() ? (errno = ENOMEM, nullptr) : __libc_realloc(memory, bytes);
}
void *aligned_alloc(size_t alignment, size_t bytes) {
  return fails() ? (errno = ENOMEM, nullptr) : __libc_memalign(alignment, bytes);
}
int posix_memalign(void **result, size_t alignment, size_t bytes) {
  if (fails())
    return ENOMEM;
  *result = __libc_memalign(alignment, bytes);
  return *result ? 0 : ENOMEM;
}
void __libc_free(void *memory);
void free(void *memory) {
  // So much, as somebody may have kept for the time when there is none, ends that time.
  if (malloc_usable_size(memory) >= 1 << 20 && untilFailure == 0)
    untilFailure = -1;
  __libc_free(memory);
}
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *argument) {
  static auto *real =
      reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  if (threadsAllowed.fetch_sub(1) <= 0) {
    ++threadsAllowed;
    return EAGAIN;
  }
  return real(thread, attributes, start, argument);
}

int pthread_mutex_lock(pthread_mutex_t *mutex) {
  static std::atomic<Function<decltype(pthread_mutex_lock)>> real{nullptr};
  return taken(behind(real, "pthread_mutex_lock")(mutex));
}
int pthread_mutex_trylock(pthread_mutex_t *mutex) {
  static std::atomic<Function<decltype(pthread_mutex_trylock)>> real{nullptr};
  return taken(behind(real, "pthread_mutex_trylock")(mutex));
}
int pthread_mutex_unlock(pthread_mutex_t *mutex) {
  static std::atomic<Function<decltype(pthread_mutex_unlock)>> real{nullptr};
  --locksHeld;
  return behind(real, "pthread_mutex_unlock")(mutex);
}
int pthread_rwlock_rdlock(pthread_rwlock_t *lock) {
  static std::atomic<Function<decltype(pthread_rwlock_rdlock)>> real{nullptr};
  return taken(behind(real, "pthread_rwlock_rdlock")(lock));
}
int pthread_rwlock_wrlock(pthread_rwlock_t *lock) {
  static std::atomic<Function<decltype(pthread_rwlock_wrlock)>> real{nullptr};
  return taken(behind(real, "pthread_rwlock_wrlock")(lock));
}
int pthread_rwlock_unlock(pthread_rwlock_t *lock) {
  static std::atomic<Function<decltype(pthread_rwlock_unlock)>> real{nullptr};
  --locksHeld;
  return behind(real, "pthread_rwlock_unlock")(lock);
}

// Of variables with static storage in functions.
int __cxa_thread_atexit_impl(void (*end)(void *), void *object, void *library) {
  static std::atomic<Function<int(void (*)(void *), void *, void *)>> real{nullptr};
  ++inGlibc;
  const int error = behind(real, "__cxa_thread_atexit_impl")(end, object, library);
  --inGlibc;
  return error;
}
int __cxa_guard_acquire(void *guard) {
  static std::atomic<Function<int(void *)>> real{nullptr};
  int begins = behind(real, "__cxa_guard_acquire")(guard);
  variablesBegun += begins;
  return begins;
}
void __cxa_guard_release(void *guard) {
  static std::atomic<Function<void(void *)>> real{nullptr};
  --variablesBegun;
  behind(real, "__cxa_guard_release")(guard);
}
void __cxa_guard_abort(void *guard) {
  static std::atomic<Function<void(void *)>> real{nullptr};
  --variablesBegun;
  behind(real, "__cxa_guard_abort")(guard);
}
}

void *operator new(size_t bytes) {
  return allocate([&] { return std::malloc(bytes); });
}
void *operator new(size_t bytes, std::align_val_t alignment) {
  const size_t at = size_t(alignment);
  return allocate([&] { return std::aligned_alloc(at, (bytes + at - 1) / at * at); });
}
#pragma GCC visibility pop

namespace {

// A training step: products, reductions, gradients, an update. The number makes it new code.
struct Step {
  explicit Step(float number)
      : x(K::placeholder({None, 8})), inputs(x),
        w(K::variable(Array(std::vector<float>(32, 1), {8, 4}))) {
    Tensor loss = K::mean(K::square(K::tanh(K::dot(x, w)) - number));
    outputs = loss;
    updates = K::update_sub(w, 0.1 * K::gradients(loss, w)[0]);
  }

  keratin::Function compile() { return K::function(inputs, outputs, updates); }
  // What a step on these inputs gives.
  static float value(const keratin::Function &f) {
    std::vector<float> rows(16);
    for (size_t i = 0; i < rows.size(); ++i)
      rows[i] = 0.01f * float(i);
    return f({Array(rows, {2, 8})})[0].item<float>();
  }
  bool isUnchanged() const {
    for (float element : K::get_value(w).toVector<float>())
      if (element != 1)
        return false;
    return true;
  }

  // Lists as the call takes them: what the caller makes lists of is not the call's to answer for.
  Tensor x;
  keratin::TensorList inputs;
  keratin::OutputList outputs;
  keratin::UpdateList updates;
  Tensor w;
};

// Of the step of 0.5: for x of 0.01 i, the mean of (tanh(sum) - 0.5)^2.
const float valueOfHalf = [] {
  double sum = 0;
  for (double row : {0.28, 0.92})
    sum += std::pow(std::tanh(row) - 0.5, 2) / 2;
  return float(sum);
}();
bool isHalf(float value) { return std::abs(value - valueOfHalf) < 1e-6f; }

// Whether all threads of the process sleep. One that a busy machine lets wait is ready to run.
bool isAsleep(pid_t process) {
  std::error_code gone;
  std::filesystem::directory_iterator tasks("/proc/" + std::to_string(process) + "/task", gone);
  bool asleep = !gone;
  for (; asleep && tasks != std::filesystem::directory_iterator(); tasks.increment(gone)) {
    std::ifstream file(tasks->path() / "stat");
    std::string number, name, state;
    file >> number >> name >> state;
    asleep = state == "S";
  }
  return asleep;
}

// Runs the body in a child; its result, or 200 and more for a child that died or hung.
template <typename Body> int inChild(Body body) {
  pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    rlimit seconds{60, 60}; // of processor time
    setrlimit(RLIMIT_CPU, &seconds);
    int result = 100;
    try {
      result = body();
    } catch (const std::exception &error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
    keratin::tests::endProcess(result);
  }
  int status = 0;
  pid_t ended = 0;
  for (int looks = 0; (ended = waitpid(child, &status, WNOHANG)) == 0;) {
    usleep(2000);
    looks = isAsleep(child) ? looks + 1 : 0;
    if (looks == 5000) // for ten seconds: it waits for what never comes
      kill(child, SIGKILL);
  }
  REQUIRE(ended == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 200 + WTERMSIG(status);
}

enum Result { Good = 0, NoFailure = 1, WrongKind = 2, Changed = 3, WrongValue = 4, Silent = 5 };

// Compiles with the n-th allocation failing, and `count` behind it; then without. A process that
// has compiled before is past LLVM's own beginnings.
int compileWithout(long n, long count, bool isFirst) {
  if (!isFirst)
    Step(0.125f).compile();
  Step step(0.25f), other(0.5f);
  failures = count;
  untilFailure = n;
  bool failed = false;
  try {
    step.compile();
  } catch (const keratin::RuntimeError &error) {
    untilFailure = -1;
    failed = true;
    const std::string message = error.what();
    bool isKnown = message == "out of memory"; // nor memory for more
    for (const char *text : {": out of memory", "no memory", "as where memory is not given"})
      isKnown |= message.find(text) != std::string::npos;
    if (!isKnown) {
      std::fprintf(stderr, "%s\n", error.what());
      return Silent;
    }
  }
  untilFailure = -1;
  if (!step.isUnchanged())
    return Changed;
  try {
    if (!isHalf(Step::value(other.compile())))
      return WrongValue;
  } catch (const keratin::RuntimeError &error) {
    // Where LLVM itself could not be started, it never can be again.
    const bool isKnown =
        std::string(error.what()).find("this process cannot compile") != std::string::npos;
    if (isFirst && failed && isKnown)
      return Good;
    std::fprintf(stderr, "afterwards: %s\n", error.what());
    return Silent;
  }
  return failed ? Good : NoFailure;
}

// Allocations of a compilation, counted in a child: this process compiles nothing.
long allocationsOfCompile(bool isFirst) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  REQUIRE(inChild([&] {
            if (!isFirst)
              Step(0.125f).compile();
            Step step(0.25f);
            long before = allocations;
            step.compile();
            long count = allocations - before;
            return write(ends[1], &count, sizeof count) == sizeof count ? Good : NoFailure;
          }) == Good);
  long count = 0;
  REQUIRE(read(ends[0], &count, sizeof count) == sizeof count);
  close(ends[0]);
  close(ends[1]);
  return count;
}

// KERATIN_TEST_FAULTS is the number of samples; with
// KERATIN_TEST_FAULT_AT=n or n+ one allocation fails or all, in this process, for a debugger; with
// a w behind it only where the process has compiled before.
void sample(bool isFirst, Hold holding = Hold::None) {
  counted = holding;
  if (const char *at = std::getenv("KERATIN_TEST_FAULT_AT")) {
    const bool isAll = std::strchr(at, 0x2b);
    if (isFirst && std::strchr(at, 'w'))
      return;
    CHECK(compileWithout(std::atol(at), isAll ? LONG_MAX : 1, isFirst) <= NoFailure);
    return;
  }
  const long total = allocationsOfCompile(isFirst);
  const bool isEvery = holding == Hold::None;
  REQUIRE((!isEvery || total > 10'000));
  const long samples =
      std::min<int64_t>(total, keratin::tests::fromEnvironment("KERATIN_TEST_FAULTS", 14));
  // Where in its part of all allocations a sample lies.
  const int64_t day = keratin::tests::dailySeed() / keratin::tests::kSeedsOfDay;
  const double place = double(day % 17) / 17;
  int met = 0;
  for (long i = 0; i < samples; ++i) {
    const long n = long((double(i) + place) * double(total) / double(samples));
    for (long count : {1L, LONG_MAX}) {
      INFO("allocation " << n << " of " << total << (count == 1 ? "" : " and all behind it"));
      int result = inChild([&] { return compileWithout(n, count, isFirst); });
      CHECK(result <= NoFailure);
      met += result == Good;
    }
  }
  CHECK((!isEvery || met > samples));
  counted = Hold::None;
}

} // namespace

TEST_CASE("An allocation that fails while a function is compiled fails the call alone", "[fault]") {
  sample(/*isFirst=*/false);
}

TEST_CASE("So it is while the first function of a process is compiled", "[fault]") {
  sample(/*isFirst=*/true);
}

// Whoever leaves a compilation leaves its locks locked, and variables with static storage begun:
// nothing that others come to may be among them.
TEST_CASE("So it is while a variable with static storage is made", "[fault]") {
  threadsAllowed = 0; // so that every child counts the same
  sample(/*isFirst=*/true, Hold::Variable);
  sample(/*isFirst=*/false, Hold::Variable);
  threadsAllowed = INT_MAX;
}

TEST_CASE("So it is under a lock", "[fault]") {
  threadsAllowed = 0;
  sample(/*isFirst=*/true, Hold::Lock);
  sample(/*isFirst=*/false, Hold::Lock);
  threadsAllowed = INT_MAX;
}

// Of those by operator new: what MLIR asks malloc for is had before (codegen::Reserve).
TEST_CASE("An allocation that fails while a graph is built leaves the graph whole", "[fault]") {
  counted = Hold::New;
  auto build = [](long n, long count) {
    Step first(0.125f);
    failures = count;
    untilFailure = n;
    bool failed = false;
    try {
      Step step(0.25f);
    } catch (const keratin::MemoryError &) {
      failed = true;
    } catch (const std::bad_alloc &) {
      failed = true;
    }
    const bool isMet = untilFailure < 0;
    untilFailure = -1;
    Step other(0.5f);
    if (!isHalf(Step::value(other.compile())))
      return int(WrongValue);
    return int(isMet || failed ? Good : NoFailure);
  };
  int total = 0;
  while (inChild([&] { return build(total, 1); }) == Good)
    total += 20;
  REQUIRE(total > 100);
  const int step =
      std::max<int>(1, total / int(keratin::tests::fromEnvironment("KERATIN_TEST_FAULTS", 40)));
  const int64_t day = keratin::tests::dailySeed() / keratin::tests::kSeedsOfDay;
  for (long n = day % step; n < total; n += step)
    for (long count : {1L, LONG_MAX}) {
      INFO("allocation " << n << " of " << total << (count == 1 ? "" : " and all behind it"));
      CHECK(inChild([&] { return build(n, count); }) <= NoFailure);
    }
  counted = Hold::None;
}

TEST_CASE("Without threads a function is compiled by one, to the same code", "[fault]") {
  for (int allowed : {0, 1}) {
    int result = inChild([&] {
      threadsAllowed = allowed;
      Step step(0.375f), same(0.5f);
      step.compile();
      return isHalf(Step::value(same.compile())) ? Good : WrongValue;
    });
    CHECK(result == Good);
  }
}

#endif
