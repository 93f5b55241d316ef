#include "runtime/cpu/ThreadPool.h"
#include "runtime/cpu/Scratch.h"
#include "tests/support/NoExit.h"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <climits>
#include <cmath>
#include <dlfcn.h>
#include <filesystem>
#include <mutex>
#include <set>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <ucontext.h>
#include <unistd.h>
#include <vector>

using namespace keratin::runtime;

// ThreadSanitizer does not follow threads made after a fork, and has a pthread_create of its own.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ // as GCC has it
#endif
#if !__has_feature(thread_sanitizer) && !__has_feature(address_sanitizer)
#define KERATIN_THREADS_CAN_FAIL
#endif
#endif

#ifdef KERATIN_THREADS_CAN_FAIL
// How many more threads the system grants.
static std::atomic<int> threadsAllowed{INT_MAX};

extern "C" int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                              void *(*start)(void *), void *argument) {
  static auto *real =
      reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  if (threadsAllowed.fetch_sub(1) <= 0) {
    ++threadsAllowed;
    return EAGAIN;
  }
  return real(thread, attributes, start, argument);
}
#endif

// A call whose kernels need no scratch.
static keratin_context_t plainContext = {};

namespace {

struct Threads {
  explicit Threads(int count) : before(keratin_num_threads()) { keratin_set_num_threads(count); }
  ~Threads() { keratin_set_num_threads(before); }
  int before;
};

// What a kernel notes of its calls: the chunks of each.
struct Record {
  std::mutex mutex;
  std::multiset<std::pair<int64_t, int64_t>> chunks;
  int64_t calls = 0;
};

// Arguments: the record and the grain.
void note(keratin_context_t *, const int64_t *argv, int64_t begin, int64_t end) {
  auto &record = *reinterpret_cast<Record *>(argv[0]);
  int64_t grain = argv[1] > 0 ? argv[1] : end - begin;
  std::lock_guard lock(record.mutex);
  ++record.calls;
  // Whatever begins amid a chunk is no chunk that a test expects.
  for (; begin < end; begin += grain)
    record.chunks.insert({begin, std::min(begin + grain, end)});
}

// Partial sums a chunk, combined in order.
float reduce(const std::vector<float> &values, int64_t grain) {
  std::vector<float> partial(values.size() / size_t(grain) + 1);
  auto kernel = [](keratin_context_t *, const int64_t *argv, int64_t begin, int64_t end) {
    for (int64_t chunk = begin; chunk < end; chunk += argv[2]) {
      float sum = 0;
      for (int64_t i = chunk; i < std::min(chunk + argv[2], end); ++i)
        sum += std::sin(reinterpret_cast<const float *>(argv[0])[i]);
      reinterpret_cast<float *>(argv[1])[chunk / argv[2]] = sum;
    }
  };
  int64_t argv[] = {int64_t(values.data()), int64_t(partial.data()), grain};
  parallelFor(&plainContext, kernel, argv, int64_t(values.size()), grain);
  float sum = 0;
  for (float part : partial)
    sum += part;
  return sum;
}

} // namespace

TEST_CASE("calls are whole chunks, for any number of threads") {
  for (int count : {1, 2, 4}) {
    Threads threads(count);
    CHECK(keratin_num_threads() == count);
    for (int64_t units : {0, 1, 5, 64, 1000})
      for (int64_t grain : {1, 3, 64, 5000}) {
        Record record;
        int64_t argv[] = {int64_t(&record), grain};
        parallelFor(&plainContext, note, argv, units, grain);
        std::multiset<std::pair<int64_t, int64_t>> expected;
        for (int64_t begin = 0; begin < units; begin += grain)
          expected.insert({begin, std::min(begin + grain, units)});
        CHECK(record.chunks == expected);
        // Runs of chunks come in one call: all of them where nobody helps.
        int64_t chunks = int64_t(expected.size());
        CHECK(record.calls <= (count == 1 ? 1 : chunks > 200 ? chunks / 4 : chunks));
      }
  }
}

TEST_CASE("a grain that is not positive means one chunk") {
  Record record;
  int64_t argv[] = {int64_t(&record), 0};
  parallelFor(&plainContext, note, argv, 10, 0);
  CHECK(record.chunks == std::multiset<std::pair<int64_t, int64_t>>{{0, 10}});
}

TEST_CASE("more chunks than one dispatch holds are all run once") {
  Threads threads(2);
  constexpr int64_t units = 200'003;
  std::vector<std::atomic<uint8_t>> hits(units);
  auto kernel = [](keratin_context_t *, const int64_t *argv, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      reinterpret_cast<std::atomic<uint8_t> *>(argv[0])[i].fetch_add(1);
  };
  int64_t argv[] = {int64_t(hits.data())};
  parallelFor(&plainContext, kernel, argv, units, 1);
  int64_t wrong = 0;
  for (auto &hit : hits)
    wrong += hit != 1;
  CHECK(wrong == 0);
}

TEST_CASE("a chunked reduction has the same bits for 1, 2 and 4 threads, run after run") {
  std::vector<float> values(20'000);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = float(i) * 0.37f;
  float first = 0;
  {
    Threads threads(1);
    first = reduce(values, 129);
  }
  for (int count : {2, 4}) {
    Threads threads(count);
    for (int run = 0; run < 200; ++run)
      REQUIRE(reduce(values, 129) == first);
  }
}

TEST_CASE("many short regions, with pauses that let workers park") {
  Threads threads(2);
  std::atomic<int64_t> sum{0};
  auto kernel = [](keratin_context_t *, const int64_t *argv, int64_t begin, int64_t end) {
    reinterpret_cast<std::atomic<int64_t> *>(argv[0])->fetch_add(end - begin);
  };
  int64_t argv[] = {int64_t(&sum)};
  constexpr int regions = 5000;
  for (int i = 0; i < regions; ++i) {
    parallelFor(&plainContext, kernel, argv, 7, 1);
    if (i % 500 == 0)
      usleep(2000);
  }
  CHECK(sum == 7 * regions);
}

TEST_CASE("regions inside regions, and of several threads at once, all complete") {
  Threads threads(4);
  std::atomic<int64_t> sum{0};
  auto outer = [](keratin_context_t *, const int64_t *argv, int64_t begin, int64_t end) {
    auto inner = [](keratin_context_t *, const int64_t *argv, int64_t begin, int64_t end) {
      reinterpret_cast<std::atomic<int64_t> *>(argv[0])->fetch_add(end - begin);
    };
    for (int64_t i = begin; i < end; ++i)
      parallelFor(&plainContext, inner, argv, 10, 1);
  };
  int64_t argv[] = {int64_t(&sum)};
  std::vector<std::thread> team;
  for (int t = 0; t < 8; ++t)
    team.emplace_back([&] {
      for (int i = 0; i < 50; ++i)
        parallelFor(&plainContext, outer, argv, 6, 1);
    });
  for (std::thread &thread : team)
    thread.join();
  CHECK(sum == 8 * 50 * 6 * 10);
}

TEST_CASE("the number of threads may change while regions run") {
  Threads threads(2);
  std::atomic<bool> stop{false};
  std::atomic<int64_t> wrong{0};
  std::thread user([&] {
    while (!stop) {
      Record record;
      int64_t argv[] = {int64_t(&record), 1};
      parallelFor(&plainContext, note, argv, 12, 1);
      wrong += record.chunks.size() != 12;
    }
  });
  for (int i = 0; i < 100; ++i)
    keratin_set_num_threads(1 + i % 4);
  stop = true;
  user.join();
  CHECK(wrong == 0);
}

#if defined(__x86_64__)
TEST_CASE("the host's handler sees what a kernel's instruction raises, in any thread") {
  static std::atomic<int> seen, seenElsewhere;
  static pthread_t caller;
  seen = seenElsewhere = 0;
  caller = pthread_self();
  struct sigaction action = {}, before = {};
  action.sa_flags = SA_SIGINFO;
  action.sa_sigaction = [](int, siginfo_t *, void *context) {
    ++seen;
    if (!pthread_equal(pthread_self(), caller))
      ++seenElsewhere;
    constexpr int bytesOfUd2 = 2;
    static_cast<ucontext_t *>(context)->uc_mcontext.gregs[REG_RIP] += bytesOfUd2;
  };
  sigaction(SIGILL, &action, &before);
  Threads threads(4);
  auto kernel = [](keratin_context_t *, const int64_t *argv, int64_t begin, int64_t end) {
    // Who came first waits, so that others take the rest.
    auto &here = *reinterpret_cast<std::atomic<int64_t> *>(argv[0]);
    here += end - begin;
    for (int patience = 1'000'000; here < 4 && patience > 0; --patience)
      std::this_thread::yield();
    asm volatile("ud2" ::: "memory");
  };
  std::atomic<int64_t> here{0};
  int64_t argv[] = {int64_t(&here)};
  parallelFor(&plainContext, kernel, argv, 4, 1);
  sigaction(SIGILL, &before, nullptr);
  CHECK(here == 4);
  CHECK(seen >= 2);
  CHECK(seenElsewhere >= 1);
}
#endif

TEST_CASE("a host's pool gets every chunk") {
  int64_t seen = 0;
  keratin_thread_pool_t host = {
      [](void *user, void (*task)(void *, int64_t), void *data, int64_t chunks) {
        *static_cast<int64_t *>(user) += chunks;
        for (int64_t chunk = chunks; chunk-- > 0;)
          task(data, chunk);
      },
      &seen};
  keratin_set_thread_pool(&host);
  Record record;
  int64_t argv[] = {int64_t(&record), 4};
  parallelFor(&plainContext, note, argv, 10, 4);
  keratin_set_thread_pool(nullptr);
  CHECK(seen == 3);
  CHECK(record.calls == 3);
  CHECK(record.chunks == std::multiset<std::pair<int64_t, int64_t>>{{0, 4}, {4, 8}, {8, 10}});
}

#ifndef __SANITIZE_THREAD__
TEST_CASE("the child of a fork has a pool of its own") {
  Threads threads(2);
  Record before;
  int64_t argv[] = {int64_t(&before), 1};
  parallelFor(&plainContext, note, argv, 8, 1);
  pid_t child = fork();
  if (child == 0) {
    Record record;
    int64_t childArgv[] = {int64_t(&record), 1};
    for (int i = 0; i < 100; ++i)
      parallelFor(&plainContext, note, childArgv, 8, 1);
    keratin::tests::endProcess(record.chunks.size() == 800 ? 0 : 1);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}
#endif

#ifndef __SANITIZE_THREAD__
// Runs in the process that the next test starts, in which nobody has used the pool.
TEST_CASE("a child of a fork is free of what another thread held just then", "[.fork]") {
  std::atomic<bool> stop{false};
  std::thread other([&] {
    while (!stop)
      keratin_set_num_threads(2);
  });
  int status = 0;
  for (int i = 0; i < 500 && status == 0; ++i) {
    pid_t child = fork();
    if (child == 0) {
      rlimit seconds{2, 2}; // who waits for a thread that is not there uses them up
      setrlimit(RLIMIT_CPU, &seconds);
      keratin_set_num_threads(3);
      keratin::tests::endProcess(0);
    }
    REQUIRE(waitpid(child, &status, 0) == child);
  }
  stop = true;
  other.join();
  CHECK(status == 0);
}

TEST_CASE("so it is in a program that has just begun") {
  pid_t child = fork();
  if (child == 0) {
    execl("/proc/self/exe", "runtime_tests", "[.fork]", nullptr);
    keratin::tests::endProcess(127);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}
#endif

// The numbers of this process's threads, the calling one's among them.
static std::set<std::string> liveThreads() {
  std::set<std::string> numbers;
  for (const auto &thread : std::filesystem::directory_iterator("/proc/self/task"))
    numbers.insert(thread.path().filename());
  return numbers;
}

// Whether so many threads have begun since and live. Of a thread that has been joined the kernel
// may take a moment to clear away what it was; those of earlier tests are not counted, be they
// there yet or not.
static bool hasThreadsSince(const std::set<std::string> &before, int64_t count) {
  for (int attempt = 0; attempt < 60'000; ++attempt) {
    const std::set<std::string> now = liveThreads();
    auto isNew = [&](const std::string &number) { return before.count(number) == 0; };
    if (std::count_if(now.begin(), now.end(), isNew) == count)
      return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

TEST_CASE("the pool's threads end with the last executable") {
  const std::set<std::string> before = liveThreads();
  Threads threads(4);
  Record record;
  int64_t argv[] = {int64_t(&record), 1};
  auto region = [&] { parallelFor(&plainContext, note, argv, 64, 1); };
  for (int round = 0; round < 20; ++round) {
    addPoolUser();
    addPoolUser();
    region();
    CHECK(hasThreadsSince(before, 3));
    removePoolUser();
    CHECK(hasThreadsSince(before, 3));
    region();
    removePoolUser();
    CHECK(hasThreadsSince(before, 0));
  }
  CHECK(keratin_num_threads() == 4);
}

TEST_CASE("executables come and go while others run regions") {
  Threads threads(3);
  std::atomic<int64_t> wrong{0};
  std::vector<std::thread> team;
  for (int t = 0; t < 4; ++t)
    team.emplace_back([&] {
      for (int i = 0; i < 300; ++i) {
        addPoolUser();
        Record record;
        int64_t argv[] = {int64_t(&record), 1};
        parallelFor(&plainContext, note, argv, 12, 1);
        wrong += record.chunks.size() != 12;
        removePoolUser();
      }
    });
  for (std::thread &thread : team)
    thread.join();
  CHECK(wrong == 0);
}

#ifndef __SANITIZE_THREAD__
TEST_CASE("a child of a fork may drop what its parent had threads for") {
  Threads threads(3);
  addPoolUser();
  Record record;
  int64_t argv[] = {int64_t(&record), 1};
  parallelFor(&plainContext, note, argv, 64, 1);
  pid_t child = fork();
  if (child == 0) {
    removePoolUser(); // nobody to wait for
    keratin_set_num_threads(2);
    keratin::tests::endProcess(0);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  removePoolUser();
}
#endif

#ifdef KERATIN_THREADS_CAN_FAIL
TEST_CASE("where the system refuses threads, a region runs with those it has") {
  std::vector<float> values(20'000);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = float(i) * 0.37f;
  float expected = reduce(values, 129);
  for (int allowed : {0, 1, 2}) {
    Threads threads(1);
    threadsAllowed = allowed;
    keratin_set_num_threads(4);
    const std::set<std::string> before = liveThreads();
    for (int run = 0; run < 50; ++run)
      REQUIRE(reduce(values, 129) == expected);
    CHECK(hasThreadsSince(before, allowed));
    threadsAllowed = INT_MAX;
  }
}
#endif

TEST_CASE("chunks of a region have scratch of their own") {
  constexpr int slots = 3;
  Threads threads(slots);
  std::vector<int64_t> memory(slots);
  keratin::runtime::Scratch scratch;
  scratch.set(memory.data(), sizeof(int64_t), slots);
  keratin_context_t call = {};
  call.host = &scratch;
  std::atomic<int64_t> wrong{0};
  int64_t argv[] = {int64_t(&wrong)};
  auto kernel = [](keratin_context_t *context, const int64_t *arguments, int64_t begin, int64_t) {
    // Whoever shares the slot would overwrite the number in between.
    auto *mine = static_cast<std::atomic<int64_t> *>(context->scratch);
    mine->store(begin);
    for (int i = 0; i < 200; ++i)
      if (mine->load() != begin)
        ++*reinterpret_cast<std::atomic<int64_t> *>(arguments[0]);
  };
  for (int repeat = 0; repeat < 50; ++repeat)
    parallelFor(&call, kernel, argv, 64, 1);
  CHECK(wrong == 0);
}

// As a kernel that keeps what it has packed.
TEST_CASE("a thread finds the scratch of a region as its last run of units has left it") {
  constexpr int slots = 3;
  Threads threads(slots);
  std::vector<int64_t> memory(slots);
  Scratch scratch;
  scratch.set(memory.data(), sizeof(int64_t), slots);
  keratin_context_t call = {};
  call.host = &scratch;
  std::atomic<int64_t> wrong{0}, first{0}, later{0};
  int64_t argv[] = {int64_t(&wrong), int64_t(&first), int64_t(&later)};
  auto kernel = [](keratin_context_t *context, const int64_t *arguments, int64_t, int64_t end) {
    auto count = [&](int i) { ++*reinterpret_cast<std::atomic<int64_t> *>(arguments[i]); };
    auto *left = static_cast<int64_t *>(context->scratch);
    count(context->units_done == 0 ? 1 : 2);
    if (context->units_done != 0 && *left != context->units_done)
      count(0);
    *left = end;
  };
  constexpr int regions = 50;
  for (int repeat = 0; repeat < regions; ++repeat)
    parallelFor(&call, kernel, argv, 64, 1);
  CHECK(wrong == 0);
  // Once for each thread that takes part.
  CHECK(first >= regions);
  CHECK(first <= slots * regions);
  CHECK(later > 0);
}
