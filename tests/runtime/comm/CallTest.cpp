// Calls of all ranks: functions with collectives, as compiled code makes them.
#include "tests/runtime/comm/Ranks.h"

#include <catch2/catch.hpp>
#include <condition_variable>
#include <cstring>
#include <mutex>

using namespace keratin::tests;
using Catch::Matchers::Contains;

namespace {

// What a call does between the start of its messages and the wait for them.
thread_local std::function<void()> meanwhile;
// keratin_rank_message_t::axis of the second message.
thread_local int64_t axisOfSecond = 0;

// w is updated in place by the sum of x, of all ranks, behind a check; y is that of a second
// message, which may be along an axis.
void entry(keratin_context_t *context, void *const *buffers, const int64_t *sizes) {
  const auto *x = static_cast<const float *>(buffers[0]);
  auto *w = static_cast<float *>(buffers[1]), *y = static_cast<float *>(buffers[2]);
  float own = 0, all = 0, again = 0;
  for (int64_t i = 0; i < sizes[0]; ++i)
    own += x[i];
  if (own < 0)
    context->functions->fail(context, 1);
  keratin_rank_message_t wanted = {
      &own, &all, KERATIN_ALL_REDUCE, KERATIN_REDUCE_SUM, KERATIN_DTYPE_FLOAT32, 1, 1, 0, nullptr,
      0,    0};
  context->functions->start_collective(context, &wanted);
  if (own == 500) // before the second
    context->functions->fail(context, 1);
  if (own == 501) // before anything is waited for
    return context->functions->fail(context, 1);
  keratin_rank_message_t second = {
      &own,    &again, KERATIN_ALL_REDUCE, KERATIN_REDUCE_SUM, KERATIN_DTYPE_FLOAT32, 1, 1, 3,
      nullptr, 0,      axisOfSecond};
  context->functions->start_collective(context, &second);
  if (meanwhile)
    meanwhile();
  context->functions->wait_collective(context);
  if (own == 998) // under way is the second
    return context->functions->fail(context, 2);
  context->functions->wait_collective(context);
  if (own == 999) // after the last collective
    context->functions->fail(context, 2);
  context->functions->agree(context);
  if (context->failed_site)
    return;
  *y = again;
  *w += all;
}

const int64_t anyLength[] = {-1};
const keratin_tensor_desc_t input = {"x", KERATIN_DTYPE_FLOAT32, 1, anyLength, "", nullptr, {}};
const keratin_tensor_desc_t scalar = {"w", KERATIN_DTYPE_FLOAT32, 0, nullptr, "", nullptr, {}};
const keratin_symbol_desc_t symbol = {KERATIN_SYMBOL_INPUT_DIM, 0, 0, "batch"};
const keratin_update_desc_t update = {0, 1};
const keratin_site_t sites[] = {{KERATIN_INTERNAL, "all_reduce; at net.cc:3"},
                                {KERATIN_OUT_OF_RANGE, "sum: below 0"},
                                {KERATIN_OUT_OF_RANGE, "sum: too large"},
                                {KERATIN_INTERNAL, "all_reduce; at net.cc:4"}};

keratin_function_desc_t describe() {
  keratin_function_desc_t f = {};
  f.abi_version = KERATIN_ABI_VERSION;
  f.name = "total";
  f.num_inputs = f.num_variables = f.num_outputs = f.num_updates = 1;
  f.inputs = &input;
  f.variables = f.outputs = &scalar;
  f.updates = &update;
  f.num_symbols = 1;
  f.symbols = &symbol;
  f.num_sites = 4;
  f.sites = sites;
  f.arena_slot = -1;
  f.entry = entry;
  f.num_collectives = 2;
  return f;
}
const keratin_function_desc_t function = describe();

const char *const axisNames[] = {"data", "model"};
const keratin_message_axes_t axes = {2, axisNames, {}};
const keratin_function_desc_t functionOfMesh = [] {
  keratin_function_desc_t f = describe();
  f.axes = &axes;
  return f;
}();

// One rank's function and its variable.
class Total {
public:
  explicit Total(keratin_group_t *group, const keratin_function_desc_t &described = function) {
    keratin_executable_create(&described, &executable, nullptr);
    keratin_status_t status = {};
    if (group)
      keratin_executable_set_group(executable, group, &status);
    made = outcome(status);
    keratin_session_create(&session, nullptr);
    const float zero = 0;
    keratin_variable_create(session, KERATIN_DTYPE_FLOAT32, 0, nullptr, &zero, &w, nullptr);
  }
  ~Total() {
    keratin_variable_release(w);
    keratin_session_destroy(session);
    keratin_executable_destroy(executable);
  }

  Outcome call(std::vector<float> x, int32_t dtype = KERATIN_DTYPE_FLOAT32) {
    const int64_t dims[] = {int64_t(x.size())};
    keratin_tensor_t in = {x.data(), dtype, 1, dims, nullptr, nullptr};
    keratin_tensor_t out = {&y, KERATIN_DTYPE_FLOAT32, 0, nullptr, nullptr, nullptr};
    keratin_status_t status = {};
    keratin_invoke(executable, &w, 1, &in, 1, &out, 1, &status);
    return outcome(status);
  }
  float variable() const {
    float value = -1;
    keratin_variable_read(w, &value, sizeof(value), nullptr);
    return value;
  }
  float y = -1;
  Outcome made;

private:
  keratin_executable_t *executable = nullptr;
  keratin_session_t *session = nullptr;
  keratin_variable_t *w = nullptr;
};

} // namespace

TEST_CASE("a function with collectives and without a group is that of one rank") {
  Total total(nullptr);
  CHECK(total.call({1, 2, 3}).message == "");
  CHECK(total.y == 6);
  CHECK(total.variable() == 6);
  CHECK_THAT(total.call({-1}).message, Contains("sum: below 0"));
  CHECK(total.variable() == 6);
}

TEST_CASE("all ranks get the sum of all parts, and update by it") {
  std::vector<float> sums = onRanks<float>(3, [](keratin_group_t *group, int rank) {
    Total total(group);
    for (int call = 0; call < 10; ++call)
      if (total.call(std::vector<float>(size_t(rank), 2)).code)
        return -1.f;
    return total.y + total.variable();
  });
  CHECK(sums == std::vector<float>(3, 6 + 60));
}

namespace {

// What ranks are told of a call in which one of them does something else; the next is right.
std::vector<Outcome> withOneWrong(const std::function<Outcome(Total &total, int rank)> &call) {
  return onRanks<Outcome>(3, [&](keratin_group_t *group, int rank) {
    Total total(group);
    Outcome first = call(total, rank);
    if (total.variable() != 0)
      first.message += " and updated";
    if (total.call({1}).code || total.variable() != 3)
      first.message += " and out of step";
    return first;
  });
}

void checkTold(const std::vector<Outcome> &outcomes, int wrong, const std::string &own,
               const std::string &others) {
  for (int rank = 0; rank < 3; ++rank) {
    INFO("rank " << rank);
    CHECK(outcomes[rank].code != KERATIN_OK);
    CHECK_THAT(outcomes[rank].message, Contains(rank == wrong ? own : others));
    CHECK_THAT(outcomes[rank].message, !Contains("and updated") && !Contains("out of step"));
  }
}

} // namespace

TEST_CASE("what a kernel finds on one rank fails the call on all") {
  checkTold(
      withOneWrong([](Total &total, int rank) { return total.call({rank == 2 ? -1.f : 1.f}); }), 2,
      "sum: below 0", "rank 2 has failed: sum: below 0");
}

TEST_CASE("so does what it finds behind the last collective") {
  checkTold(
      withOneWrong([](Total &total, int rank) { return total.call({rank == 1 ? 999.f : 1.f, 0}); }),
      1, "sum: too large", "rank 1 has failed: sum: too large");
}

// On the other ranks the first message is sound, and what is behind the failure is not sent.
TEST_CASE("what fails between a start and its wait fails on all ranks, and leaves nothing behind") {
  for (float early : {500.f, 501.f})
    checkTold(
        withOneWrong([&](Total &total, int rank) { return total.call({rank == 2 ? early : 1.f}); }),
        2, "sum: below 0", "rank 2 has failed: sum: below 0");
  checkTold(
      withOneWrong([](Total &total, int rank) { return total.call({rank == 0 ? 998.f : 1.f}); }), 0,
      "sum: too large", "rank 0 has failed: sum: too large");
}

TEST_CASE("ranks that fail at different messages all fail, each for its own reason") {
  std::vector<Outcome> outcomes = withOneWrong([](Total &total, int rank) {
    return total.call({rank == 0 ? -1.f : rank == 1 ? 500.f : 998.f});
  });
  CHECK_THAT(outcomes[0].message, Contains("sum: below 0"));
  CHECK_THAT(outcomes[1].message, Contains("sum: below 0"));
  CHECK_THAT(outcomes[2].message, Contains("rank 0 has failed: sum: below 0"));
  for (const Outcome &each : outcomes)
    CHECK_THAT(each.message, !Contains("and updated") && !Contains("out of step"));
}

TEST_CASE("each message of a call is along its own axis, and fails on all ranks") {
  const keratin_mesh_axis_t mesh[] = {{"data", 2}, {"model", 2}};
  auto check = [&](int64_t axis, int wrong) {
    return onRanks<Outcome>(4, [&](keratin_group_t *group, int rank) {
      keratin_group_arrange(group, mesh, 2, nullptr);
      axisOfSecond = axis;
      Total total(group, functionOfMesh);
      Outcome first = total.call({rank == wrong ? -1.f : float(rank)});
      Outcome second = total.call({float(rank)});
      const int other = axis == 0 ? -1 : axis == 1 ? (rank + 2) % 4 : rank ^ 1;
      if (second.code != KERATIN_OK || total.y != float(axis == 0 ? 6 : rank + other) ||
          total.variable() != (wrong < 0 ? 12 : 6))
        first.message += " and all is wrong";
      return first;
    });
  };
  for (int64_t axis : {0, 1, 2}) {
    for (const Outcome &each : check(axis, -1))
      CHECK(each.message == "");
    std::vector<Outcome> outcomes = check(axis, 3);
    for (int rank = 0; rank < 3; ++rank)
      CHECK_THAT(outcomes[rank].message,
                 Contains("rank 3 has failed: sum: below 0") && !Contains("wrong"));
    CHECK_THAT(outcomes[3].message, Contains("sum: below 0") && !Contains("wrong"));
  }
}

TEST_CASE("axes that there are not") {
  auto arranged = [](std::vector<keratin_mesh_axis_t> mesh) {
    return onRanks<Outcome>(
               4,
               [&](keratin_group_t *group, int) {
                 keratin_status_t status = {};
                 if (!mesh.empty())
                   keratin_group_arrange(group, mesh.data(), int32_t(mesh.size()), &status);
                 return status.code ? outcome(status) : Total(group, functionOfMesh).made;
               })[2]
        .message;
  };
  CHECK(arranged({}) == "function 'total' has what ranks do along the axis 'data' of a mesh; the "
                        "axes of the 4 ranks are none");
  CHECK(arranged({{"rows", 2}, {"data", 2}}) ==
        "function 'total' has what ranks do along the axis 'model' of a mesh; the axes of the 4 "
        "ranks are 'rows', 'data'");
  CHECK(arranged({{"data", 3}, {"model", 2}}) ==
        "a mesh of data 3 x model 2 is 6 ranks; there are 4");
  CHECK(arranged({{"data", 4}, {"data", 1}}) == "two axes are named 'data'");
  CHECK(arranged({{"data", 0}}) == "an axis 'data' of 0 ranks; needed at least 1");
  CHECK(arranged({{"data", 4}, {"", 1}}) ==
        "axis 1 of the mesh has no name, or one with control characters");
  CHECK(arranged({{"data", 2}, {"model", 2}}) == "");
}

namespace {

// An engine whose moves wait until it is opened.
class Gate {
public:
  explicit Gate(keratin_comm_t *engine)
      : engine(engine), table{sizeof(table),
                              KERATIN_COMM_ABI_VERSION,
                              "gate",
                              this,
                              engine->rank,
                              engine->size,
                              move,
                              [](void *self) {
                                keratin_comm_t *inner = static_cast<Gate *>(self)->engine;
                                inner->close(inner->user);
                              },
                              engine->gathers_at_once,
                              0,
                              nullptr,
                              nullptr} {}

  keratin_comm_t *comm() { return &table; }
  void open() {
    std::lock_guard<std::mutex> lock(mutex);
    isOpen = true;
    changed.notify_all();
  }
  std::atomic<int> asked{0}, moved{0};
  std::atomic<bool> isLate{false}; // nobody has opened it

private:
  static keratin_status_code_t move(void *self, const keratin_move_t *wanted,
                                    keratin_status_t *status) {
    auto &gate = *static_cast<Gate *>(self);
    ++gate.asked;
    std::unique_lock<std::mutex> lock(gate.mutex);
    if (!gate.changed.wait_for(lock, std::chrono::seconds(30), [&] { return gate.isOpen; }))
      gate.isLate = true;
    lock.unlock();
    keratin_status_code_t code = gate.engine->move(gate.engine->user, wanted, status);
    ++gate.moved;
    return code;
  }

  keratin_comm_t *engine;
  keratin_comm_t table;
  std::mutex mutex;
  std::condition_variable changed;
  bool isOpen = false;
};

} // namespace

TEST_CASE("a call goes on while its messages are under way") {
  std::string job = newJob();
  std::vector<std::thread> ranks;
  std::vector<Outcome> outcomes(2);
  std::vector<float> sums(2);
  std::atomic<int> movedBefore{0}, late{0};
  for (int rank = 0; rank < 2; ++rank)
    ranks.emplace_back([&, rank] {
      keratin_comm_t *engine = nullptr;
      keratin_comm_open_shared(job.c_str(), rank, 2, 60, &engine, nullptr);
      Gate gate(engine);
      keratin_group_t *group = nullptr;
      keratin_group_create(gate.comm(), &group, nullptr);
      {
        Total total(group);
        meanwhile = [&] { // no move can be over before this has been reached
          while (gate.asked == 0 && !gate.isLate)
            std::this_thread::yield();
          movedBefore += gate.moved;
          gate.open();
        };
        outcomes[rank] = total.call({1, 2});
        meanwhile = nullptr;
        sums[rank] = total.y;
      }
      late += gate.isLate;
      keratin_group_destroy(group);
    });
  for (std::thread &rank : ranks)
    rank.join();
  for (const Outcome &each : outcomes)
    CHECK(each.message == "");
  CHECK(sums == std::vector<float>{6, 6});
  CHECK(late == 0);
  CHECK(movedBefore == 0);
}

TEST_CASE("a call that is refused before it begins is told to the others") {
  checkTold(withOneWrong([](Total &total, int rank) {
              return total.call({1}, rank == 0 ? KERATIN_DTYPE_FLOAT64 : KERATIN_DTYPE_FLOAT32);
            }),
            0, "float64", "rank 0 has failed: ");
}

TEST_CASE("a group that was left fails calls, and nothing waits") {
  std::vector<Outcome> outcomes = onRanks<Outcome>(2, [&](keratin_group_t *group, int) {
    Total total(group);
    keratin_group_leave(group);
    return total.call({1});
  });
  for (const Outcome &each : outcomes)
    CHECK_THAT(each.message, Contains("this process has left the group"));
}
