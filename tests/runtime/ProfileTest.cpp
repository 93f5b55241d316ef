// Profiles: what is recorded, by whom, and that nothing is where nobody asked.
#include "tests/runtime/FunctionBuilder.h"

#include <atomic>
#include <map>
#include <set>
#include <thread>

using namespace keratin::testing;

namespace {

constexpr int64_t units = 1000, grain = 10;
std::atomic<int64_t> done{0};

void work(keratin_context_t *, const int64_t *, int64_t begin, int64_t end) { done += end - begin; }

// As compiled for profiles: two kernels, of which the second is run in chunks.
void entry(keratin_context_t *context, void *const *, const int64_t *) {
  for (int32_t kernel = 0; kernel < 2; ++kernel) {
    if (context->functions->profile)
      context->functions->profile(context, kernel, 0);
    if (kernel == 0)
      work(context, nullptr, 0, units);
    else
      context->functions->parallel_for(context, work, nullptr, units, grain);
    if (context->functions->profile)
      context->functions->profile(context, kernel, 1);
  }
}

struct Function {
  explicit Function(bool profiled = true) : builder("f", entry) {
    if (profiled) {
      builder.descriptor.num_kernels = 2;
      builder.descriptor.kernels = kernels;
    }
    REQUIRE(keratin_executable_create(builder.build(), &executable, nullptr) == KERATIN_OK);
  }
  ~Function() { keratin_executable_destroy(executable); }
  bool call() const {
    return keratin_invoke(executable, nullptr, 0, nullptr, 0, nullptr, 0, nullptr) == KERATIN_OK;
  }

  const keratin_kernel_desc_t kernels[2] = {{"tanh", "net.cc:1", {}}, {"sum", "", {}}};
  FunctionBuilder builder;
  keratin_executable_t *executable = nullptr;
};

struct Threads {
  explicit Threads(int count) : before(keratin_num_threads()) { keratin_set_num_threads(count); }
  ~Threads() { keratin_set_num_threads(before); }
  int before;
};

} // namespace

TEST_CASE("a profile has the call, its kernels and their chunks") {
  for (int count : {1, 3}) {
    Threads threads(count);
    Function function;
    std::vector<keratin_profile_event_t> events(10000);
    REQUIRE(keratin_profile_start(events.data(), int64_t(events.size()), nullptr) == KERATIN_OK);
    done = 0;
    CHECK(function.call());
    CHECK(done == 2 * units);
    int64_t dropped = -1;
    events.resize(size_t(keratin_profile_stop(&dropped)));
    CHECK(dropped == 0);
    std::multiset<int32_t> wholes;
    std::map<int64_t, int64_t> runs;
    int64_t begin = 0, end = 0;
    for (const keratin_profile_event_t &event : events)
      if (event.kernel < 0) {
        begin = event.begin;
        end = event.end;
      }
    for (const keratin_profile_event_t &event : events) {
      CHECK(event.begin <= event.end);
      CHECK((begin <= event.begin && event.end <= end));
      CHECK((event.thread >= 0 && event.thread < count));
      if (event.begin_unit < 0) {
        wholes.insert(event.kernel);
        continue;
      }
      CHECK(event.kernel == 1);
      CHECK(event.begin_unit % grain == 0);
      CHECK(runs.insert({event.begin_unit, event.end_unit}).second);
    }
    CHECK(wholes == std::multiset<int32_t>{-1, 0, 1});
    // Runs of chunks, one behind the other; a single one where nobody helps.
    int64_t covered = 0;
    for (auto [first, behind] : runs) {
      CHECK(first == covered);
      covered = behind;
    }
    CHECK(covered == units);
    CHECK((count > 1 || runs.size() == 1));
  }
}

TEST_CASE("nothing is recorded of calls before and after, and of kernels that say nothing") {
  Function function, silent(/*profiled=*/false);
  std::vector<keratin_profile_event_t> events(1000);
  CHECK(function.call());
  CHECK(keratin_profile_stop(nullptr) == 0);
  REQUIRE(keratin_profile_start(events.data(), 1000, nullptr) == KERATIN_OK);
  CHECK(silent.call());
  CHECK(keratin_profile_stop(nullptr) == 1);
  CHECK(events[0].kernel == -1);
  CHECK(std::string(events[0].function->name) == "f");
  CHECK(function.call());
  CHECK(keratin_profile_stop(nullptr) == 0);
}

TEST_CASE("events without room are counted") {
  Threads threads(1);
  Function function;
  constexpr int64_t eventsOfCall = 4; // it, two kernels, the units of the second
  std::vector<keratin_profile_event_t> events(70);
  REQUIRE(keratin_profile_start(events.data(), 70, nullptr) == KERATIN_OK);
  for (int i = 0; i < 25; ++i)
    CHECK(function.call());
  int64_t dropped = 0;
  CHECK(keratin_profile_stop(&dropped) == 70);
  CHECK(dropped == 25 * eventsOfCall - 70);
  REQUIRE(keratin_profile_start(nullptr, 0, nullptr) == KERATIN_OK);
  CHECK(function.call());
  CHECK(keratin_profile_stop(&dropped) == 0);
  CHECK(dropped == eventsOfCall);
}

TEST_CASE("threads that call at once record side by side") {
  Threads threads(2);
  Function function;
  constexpr int callers = 8, calls = 50;
  std::vector<keratin_profile_event_t> events(callers * calls * (units / grain + 3) + 64 * 32);
  REQUIRE(keratin_profile_start(events.data(), int64_t(events.size()), nullptr) == KERATIN_OK);
  std::atomic<int> failed{0}; // checks are for one thread
  std::vector<std::thread> all;
  for (int i = 0; i < callers; ++i)
    all.emplace_back([&] {
      for (int k = 0; k < calls; ++k)
        failed += !function.call();
    });
  for (std::thread &thread : all)
    thread.join();
  CHECK(failed == 0);
  int64_t dropped = -1;
  int64_t count = keratin_profile_stop(&dropped);
  CHECK(dropped == 0);
  int64_t wholes = 0, covered = 0;
  for (int64_t i = 0; i < count; ++i)
    if (events[size_t(i)].begin_unit < 0)
      ++wholes;
    else
      covered += events[size_t(i)].end_unit - events[size_t(i)].begin_unit;
  CHECK(wholes == callers * calls * 3);
  CHECK(covered == callers * calls * units);
}

TEST_CASE("a profile needs memory and has no second beside it") {
  keratin_status_t status;
  CHECK(keratin_profile_start(nullptr, 5, &status) == KERATIN_INVALID_ARGUMENT);
  CHECK(std::string(status.message) == "profile: no memory for events is given");
  keratin_profile_event_t event;
  CHECK(keratin_profile_start(&event, -1, &status) == KERATIN_INVALID_ARGUMENT);
  REQUIRE(keratin_profile_start(&event, 1, &status) == KERATIN_OK);
  CHECK(keratin_profile_start(&event, 1, &status) == KERATIN_FAILED_PRECONDITION);
  CHECK(std::string(status.message) == "profile: one is being recorded");
  keratin_profile_stop(nullptr);
}
