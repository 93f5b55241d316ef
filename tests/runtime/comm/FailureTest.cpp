// Ranks that disagree, fail, are lost or do not come: what the others are told, and that nobody
// waits for ever.
#include "tests/runtime/comm/Ranks.h"
#include "tests/support/NoExit.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

using namespace keratin::tests;
using Catch::Matchers::Contains;

namespace {

// What each of several ranks is told of the collective that it asks for.
std::vector<Outcome>
onTwoRanks(const std::function<keratin_collective_t(int rank, std::vector<float> &data)> &wanted) {
  return onRanks<Outcome>(2, [&](keratin_group_t *group, int rank) {
    std::vector<float> data(64);
    Outcome first = run(group, wanted(rank, data));
    // The group goes on after a disagreement.
    if (barrier(group).code != KERATIN_OK)
      first.message += " and the group is broken";
    return first;
  });
}

void checkAll(const std::vector<Outcome> &outcomes, const std::string &message) {
  for (const Outcome &each : outcomes) {
    CHECK(each.code == KERATIN_ABORTED);
    CHECK_THAT(each.message, Contains(message));
    CHECK_THAT(each.message, !Contains("broken"));
  }
}

// Runs the work of a rank in a process of its own.
template <typename Work> pid_t inProcess(Work work) {
  pid_t child = fork();
  if (child == 0)
    endProcess(work());
  return child;
}

int statusOf(pid_t process) {
  int status = -1;
  waitpid(process, &status, 0);
  return status;
}

keratin_collective_t reduce(std::vector<float> &data, int64_t count, const char *name = "loss") {
  return collective(KERATIN_ALL_REDUCE, KERATIN_DTYPE_FLOAT32, data.data(), count, data.data(),
                    count, name);
}

} // namespace

TEST_CASE("ranks that do not do the same are told what each does") {
  checkAll(onTwoRanks([](int rank, auto &data) { return reduce(data, rank ? 5 : 6); }),
           "all_reduce 'loss': rank 0 has 6 elements and rank 1 has 5");
  checkAll(onTwoRanks([](int rank, auto &data) { return reduce(data, 5, rank ? "a" : "b"); }),
           "rank 0 is at all_reduce 'b' and rank 1 at all_reduce 'a': all ranks start the same "
           "collectives in the same order");
  checkAll(onTwoRanks([](int rank, auto &data) {
             keratin_collective_t made = reduce(data, 5);
             made.kind = rank ? KERATIN_BARRIER : KERATIN_ALL_REDUCE;
             return made;
           }),
           "rank 0 is at all_reduce 'loss' and rank 1 at barrier 'loss'");
  checkAll(onTwoRanks([](int rank, auto &data) {
             keratin_collective_t made = reduce(data, 5);
             made.dtype = rank ? KERATIN_DTYPE_INT32 : KERATIN_DTYPE_FLOAT32;
             return made;
           }),
           "all_reduce 'loss': rank 0 has float32 and rank 1 has int32");
  checkAll(onTwoRanks([](int rank, auto &data) {
             keratin_collective_t made = reduce(data, 5);
             made.reduction = rank ? KERATIN_REDUCE_MAX : KERATIN_REDUCE_MIN;
             return made;
           }),
           "rank 0 asks for the min and rank 1 for the max");
  checkAll(onTwoRanks([](int rank, auto &data) {
             return collective(KERATIN_ALL_GATHER, KERATIN_DTYPE_FLOAT32, data.data(), 5,
                               data.data() + 32, rank ? 10 : 11);
           }),
           "all_gather: rank 0 has room for 11 elements; all ranks together send 10");
  checkAll(onTwoRanks([](int rank, auto &data) {
             return collective(KERATIN_REDUCE_SCATTER, KERATIN_DTYPE_FLOAT32, data.data(),
                               rank ? 10 : 11, data.data() + 32, 5);
           }),
           "reduce_scatter: rank 0 sends 11 elements; all ranks together receive 10");
  checkAll(onTwoRanks([](int rank, auto &data) {
             keratin_collective_t made = collective(KERATIN_BROADCAST, KERATIN_DTYPE_FLOAT32,
                                                    data.data(), 5, data.data(), 5);
             made.from = rank;
             return made;
           }),
           "broadcast: from rank 0 for rank 0, from rank 1 for rank 1");
  auto permute = [](std::vector<float> &data, int to, int from, int64_t sent) {
    keratin_collective_t made =
        collective(KERATIN_PERMUTE, KERATIN_DTYPE_FLOAT32, data.data(), sent, data.data() + 32, 5);
    made.to = to;
    made.from = from;
    return made;
  };
  checkAll(onTwoRanks([&](int rank, auto &data) { return permute(data, rank ? -1 : 1, -1, 5); }),
           "permute: rank 0 sends to rank 1, which receives from rank -1");
  checkAll(onTwoRanks([&](int rank, auto &data) { return permute(data, -1, rank ? 0 : -1, 5); }),
           "permute: rank 1 receives from rank 0, which sends to rank -1");
  checkAll(onTwoRanks([&](int rank, auto &data) {
             return permute(data, rank ? -1 : 1, rank ? 0 : -1, 6);
           }),
           "permute: rank 0 sends 6 elements to rank 1, which receives 5");
}

TEST_CASE("a wrong argument fails on the rank that gives it, and names it to the others") {
  auto check = [](const std::function<void(keratin_collective_t &)> &spoil,
                  const std::string &message) {
    std::vector<Outcome> outcomes = onTwoRanks([&](int rank, auto &data) {
      keratin_collective_t made = reduce(data, 4);
      if (rank == 1)
        spoil(made);
      return made;
    });
    CHECK(outcomes[1].code == KERATIN_INVALID_ARGUMENT);
    CHECK_THAT(outcomes[1].message, Contains(message));
    CHECK(outcomes[0].code == KERATIN_ABORTED);
    CHECK_THAT(outcomes[0].message, Contains("rank 1 has failed: ") && Contains(message));
    CHECK_THAT(outcomes[0].message + outcomes[1].message, !Contains("broken"));
  };
  check([](auto &c) { c.kind = 99; }, "there is no collective of the kind 99");
  check([](auto &c) { c.dtype = 77; }, "77 is no dtype");
  check([](auto &c) { c.send_elements = -1; }, "-1 elements to send and 4 to receive; both must");
  check([](auto &c) { c.receive_elements = INT64_MAX / 2; }, "both must be from 0 to");
  check([](auto &c) { c.send = nullptr; }, "all_reduce 'loss': send is NULL");
  check([](auto &c) { c.receive = nullptr; }, "receive is NULL");
  check([](auto &c) { c.reduction = 5; }, "there is no reduction of the number 5");
  check(
      [](auto &c) {
        c.reduction = KERATIN_REDUCE_MEAN;
        c.dtype = KERATIN_DTYPE_INT32;
      },
      "the mean of int32; needed floats");
  check([](auto &c) { c.send_elements = 3; },
        "3 elements to send and 4 to receive; they must be as many");
  check(
      [](auto &c) {
        c.kind = KERATIN_BROADCAST;
        c.from = 2;
      },
      "from rank 2; there are ranks 0 to 1");
  check(
      [](auto &c) {
        c.kind = KERATIN_PERMUTE;
        c.to = 2;
      },
      "to rank 2; there are ranks 0 to 1, and -1 for none");
  check(
      [](auto &c) {
        c.kind = KERATIN_ALL_TO_ALL;
        c.send_elements = c.receive_elements = 3;
      },
      "3 elements are not 2 equal parts");
}

TEST_CASE("a rank that has failed tells the others, and all go on") {
  std::vector<Outcome> outcomes = onRanks<Outcome>(3, [&](keratin_group_t *group, int rank) {
    std::vector<float> data(4, 1);
    Outcome first;
    if (rank == 2)
      keratin_group_fail(group, "gather: index 7 is outside of 5 rows");
    else
      first = run(group, reduce(data, 4));
    if (run(group, reduce(data, 4)).code != KERATIN_OK || data[0] != 3)
      first.message += " broken";
    return first;
  });
  for (int rank : {0, 1}) {
    CHECK(outcomes[rank].code == KERATIN_ABORTED);
    CHECK(outcomes[rank].message == "all_reduce 'loss' on rank " + std::to_string(rank) +
                                        " of 3: rank 2 has failed: gather: index 7 is outside of "
                                        "5 rows");
  }
  CHECK(outcomes[2].message.empty());
}

TEST_CASE("axes of a mesh that do not fit, and what goes wrong on one of them, are known to all") {
  auto onFour = [](const std::function<void(keratin_collective_t &, int rank)> &change) {
    return onRanks<Outcome>(4, [&](keratin_group_t *group, int rank) {
      std::vector<float> data(4, 1);
      keratin_collective_t wanted = reduce(data, 4);
      wanted.axis = {2, 2};
      change(wanted, rank);
      Outcome first = run(group, wanted);
      keratin_collective_t again = reduce(data, 4);
      again.axis = {2, 2};
      if (run(group, again).code != KERATIN_OK)
        first.message += " and the group is broken";
      return first;
    });
  };
  checkAll(onFour([](auto &c, int rank) { c.axis.stride = rank == 3 ? 1 : 2; }),
           "all_reduce 'loss': rank 0 means 2 ranks, 2 apart and rank 3 means 2 ranks, 1 apart; an "
           "axis is the same for all");
  checkAll(onFour([](auto &c, int rank) { c.axis.count = rank == 2 ? 0 : 2; }),
           "rank 0 means 2 ranks, 2 apart and rank 2 means all ranks; an axis");
  checkAll(
      onFour([](auto &c, int rank) { c.send_elements = c.receive_elements = rank == 3 ? 3 : 4; }),
      "all_reduce 'loss': rank 1 has 4 elements and rank 3 has 3");
  checkAll(onFour([](auto &c, int rank) {
             c.kind = KERATIN_ALL_GATHER;
             c.send_elements = 2;
             c.receive_elements = rank == 2 ? 3 : 4;
           }),
           "rank 2 has room for 3 elements; all ranks of its axis together send 4");
  std::vector<Outcome> outcomes = onFour([](auto &c, int rank) { c.axis.count = rank ? 2 : 3; });
  CHECK(outcomes[0].message == "all_reduce 'loss': 3 ranks, 2 apart; the 4 ranks are not arranged "
                               "so");
  CHECK_THAT(outcomes[3].message, Contains("rank 0 has failed: all_reduce 'loss': 3 ranks"));
}

TEST_CASE("an engine that has no axes says so on all ranks, which go on") {
  std::vector<Outcome> outcomes =
      onCountedRanks<Outcome>(4, [&](keratin_group_t *group, int, CountingEngine &) {
        std::vector<float> data(4, 1);
        keratin_collective_t wanted = reduce(data, 4);
        wanted.axis = {2, 1};
        Outcome first = run(group, wanted);
        if (barrier(group).code != KERATIN_OK)
          first.message += " and the group is broken";
        return first;
      });
  for (int rank = 0; rank < 4; ++rank) {
    CHECK(outcomes[rank].code == KERATIN_UNIMPLEMENTED);
    CHECK(outcomes[rank].message ==
          "all_reduce 'loss' on rank " + std::to_string(rank) +
              " of 4: counting: not implemented: messages among some of the ranks "
              "(keratin_comm_t::split)");
  }
}

TEST_CASE("a rank that is killed is missed by those of other axes, too") {
  for (int last : {0, 1, 7}) {
    std::string job = newJob();
    std::vector<pid_t> processes;
    for (int rank = 0; rank < 4; ++rank)
      processes.push_back(inProcess([&] {
        keratin_group_t *group = join(job, rank, 4);
        std::vector<float> data(300000);
        Outcome end;
        for (int i = 0; end.code == KERATIN_OK && i < 1000; ++i) {
          if (rank == 3 && i == last)
            kill(getpid(), SIGKILL);
          keratin_collective_t wanted = reduce(data, int64_t(data.size()));
          wanted.axis = {2, 1};
          end = run(group, wanted);
        }
        bool isTold = end.code == KERATIN_UNAVAILABLE &&
                      end.message.find("rank 3 is gone") != std::string::npos;
        keratin_group_destroy(group);
        return isTold ? 0 : 1;
      }));
    for (int rank = 0; rank < 3; ++rank)
      CHECK(statusOf(processes[rank]) == 0);
    CHECK(WTERMSIG(statusOf(processes[3])) == SIGKILL);
  }
}

TEST_CASE("many ranks hear of each other by neighbours, and gather where they are not all alike") {
  for (auto [size, steps] : {std::pair(17, 5), {24, 5}, {33, 6}})
    for (int odd : {0, size / 2, size - 1}) {
      std::vector<Outcome> outcomes = onCountedRanks<Outcome>(
          size, [&, size = size, steps = steps](keratin_group_t *group, int rank,
                                                CountingEngine &engine) {
            std::vector<float> data(4, 1);
            std::string wrong;
            auto expect = [&](const char *what, const Outcome &found, const std::string &message,
                              int steps, int gathers) {
              if (found.message.find(message) == std::string::npos ||
                  found.message.empty() != message.empty())
                wrong += std::string(what) + " was told '" + found.message + "'; ";
              if (engine.moves[KERATIN_MOVE_SHIFT] != steps ||
                  engine.moves[KERATIN_MOVE_GATHER] != gathers)
                wrong += std::string(what) + " took " +
                         std::to_string(engine.moves[KERATIN_MOVE_SHIFT]) + " steps and " +
                         std::to_string(engine.moves[KERATIN_MOVE_GATHER]) + " gathers; ";
            };
            const std::string name = std::to_string(odd);
            expect("the first", barrier(group), "", 0, 1);
            expect("an all_reduce", run(group, reduce(data, 4)), "", steps, 2);
            if (data != std::vector<float>(4, float(size)))
              wrong += "the sum; ";
            expect("who differs", run(group, reduce(data, rank == odd ? 3 : 4)),
                   odd ? "rank 0 has 4 elements and rank " + name + " has 3"
                       : "rank 0 has 3 elements and rank 1 has 4",
                   2 * steps, 3);
            if (rank == odd)
              keratin_group_fail(group, "no more");
            else
              expect("who fails", barrier(group), "rank " + name + " has failed: no more",
                     3 * steps, 4);
            // The same mistake on all ranks.
            keratin_collective_t mistake = reduce(data, 4);
            mistake.send_elements = 3;
            expect("a mistake", run(group, mistake), "3 elements to send and 4 to receive",
                   4 * steps, 4);
            // Parts of different lengths, which are right.
            std::vector<float> all(size_t(4 * size - 1));
            expect("an all_gather",
                   run(group, collective(KERATIN_ALL_GATHER, KERATIN_DTYPE_FLOAT32, data.data(),
                                         rank == odd ? 3 : 4, all.data(), int64_t(all.size()))),
                   "", 5 * steps, 6);
            expect("the last", barrier(group), "", 6 * steps, 6);
            return Outcome{0, wrong};
          });
      for (const Outcome &each : outcomes)
        CHECK(each.message == "");
    }
}

TEST_CASE("a rank that does not come in time breaks the group") {
  std::atomic<bool> isOver{false};
  std::vector<Outcome> outcomes = onRanks<Outcome>(2, [&](keratin_group_t *group, int rank) {
    Outcome first;
    if (rank == 1) {
      while (!isOver)
        std::this_thread::yield();
      return first;
    }
    keratin_group_set_timeout(group, 0.05);
    first = barrier(group);
    Outcome second = barrier(group);
    CHECK_THAT(second.message, Contains("the group is broken since an earlier collective: rank 1"));
    isOver = true;
    return first;
  });
  CHECK(outcomes[0].message ==
        "barrier on rank 0 of 2: rank 1 has not come in time (KERATIN_COLLECTIVE_TIMEOUT)");
}

TEST_CASE("ranks may be processes") {
  std::string job = newJob();
  std::vector<pid_t> processes;
  for (int rank = 0; rank < 3; ++rank)
    processes.push_back(inProcess([&] {
      keratin_group_t *group = join(job, rank, 3);
      std::vector<float> data(700000, float(rank));
      bool isRight = group && run(group, reduce(data, int64_t(data.size()))).code == KERATIN_OK &&
                     data[0] == 3 && data.back() == 3;
      keratin_group_destroy(group);
      return isRight ? 0 : 1;
    }));
  for (pid_t process : processes)
    CHECK(statusOf(process) == 0);
}

TEST_CASE("a rank that is killed is missed at once, at each of many collectives") {
  for (int last : {0, 1, 7, 40}) {
    std::string job = newJob();
    pid_t victim = inProcess([&] {
      keratin_group_t *group = join(job, 1, 2);
      std::vector<float> data(300000);
      for (int i = 0; i < last; ++i)
        run(group, reduce(data, int64_t(data.size())));
      kill(getpid(), SIGKILL);
      return 0;
    });
    keratin_group_t *group = join(job, 0, 2);
    REQUIRE(group);
    std::vector<float> data(300000);
    Outcome end;
    int passed = 0;
    for (; end.code == KERATIN_OK && passed < 1000; ++passed)
      end = run(group, reduce(data, int64_t(data.size())));
    CHECK(passed == last + 1);
    CHECK(end.code == KERATIN_UNAVAILABLE);
    CHECK_THAT(end.message, Contains("rank 1 is gone"));
    keratin_group_destroy(group);
    CHECK(WTERMSIG(statusOf(victim)) == SIGKILL);
  }
}

TEST_CASE("a child of a rank is told that the group is not its own") {
  std::string job = newJob();
  keratin_group_t *group = join(job, 0, 1);
  REQUIRE(group);
  CHECK(statusOf(inProcess([&] {
          keratin_request_t *request = nullptr;
          keratin_collective_t wanted = collective(KERATIN_BARRIER, 0, nullptr, 0, nullptr, 0);
          keratin_status_t status = {};
          keratin_group_start(group, &wanted, &request, &status);
          bool isTold = std::strstr(status.message, "keratin_group_start: the group belongs to");
          keratin_group_run(group, &wanted, &status);
          isTold &=
              std::strstr(status.message, "keratin_group_run: the group belongs to") != nullptr;
          keratin_group_destroy(group);
          return isTold ? 0 : 1;
        })) == 0);
  CHECK(barrier(group).code == KERATIN_OK);
  keratin_group_destroy(group);
}

// --- Joining -------------------------------------------------------------------------------------

TEST_CASE("who waits for ranks that do not come is told which") {
  Outcome why;
  CHECK(!join(newJob(), 0, 2, 0.05, &why));
  CHECK(why.message == "shared memory: rank 1 of 2 has not come in time");
  CHECK(!join(newJob(), 1, 2, 0.05, &why));
  CHECK(why.message == "shared memory: rank 0 of 2 has not come in time");
}

TEST_CASE("ranks of different jobs, or twice the same, do not meet") {
  std::string job = newJob();
  std::thread first([&] {
    keratin_group_t *group = join(job, 0, 3);
    CHECK(group);
    keratin_group_destroy(group);
  });
  Outcome why;
  CHECK(!join(job, 1, 4, 10, &why));
  CHECK(why.message == "shared memory: rank 0 is of a job of 3 ranks, rank 1 of one of 4");
  std::thread second([&] {
    keratin_group_t *group = join(job, 1, 3);
    CHECK(group);
    keratin_group_destroy(group);
  });
  // Either of the two that say to be rank 1 is told, or the one that comes first.
  std::thread third([&] {
    usleep(50000);
    Outcome twice;
    CHECK(!join(job, 1, 3, 10, &twice));
    CHECK(twice.message == "shared memory: there is a rank 1 already");
    keratin_group_t *group = join(job, 2, 3);
    CHECK(group);
    keratin_group_destroy(group);
  });
  first.join();
  second.join();
  third.join();
}

static std::string pathOf(const std::string &job) {
  return "/dev/shm/keratin-" + std::to_string(geteuid()) + "-" + job;
}

TEST_CASE("what a job left that ended while it began is no hindrance") {
  std::string job = newJob();
  pid_t dead = inProcess([&] {
    std::thread([&] { join(job, 0, 2); }).detach();
    while (access(pathOf(job).c_str(), F_OK) != 0)
      usleep(1000);
    usleep(20000);
    kill(getpid(), SIGKILL);
    return 0;
  });
  statusOf(dead);
  REQUIRE(access(pathOf(job).c_str(), F_OK) == 0);
  std::thread other([&] {
    keratin_group_t *group = join(job, 1, 2);
    CHECK((group && barrier(group).code == KERATIN_OK));
    keratin_group_destroy(group);
  });
  usleep(20000);
  keratin_group_t *group = join(job, 0, 2);
  CHECK((group && barrier(group).code == KERATIN_OK));
  other.join();
  keratin_group_destroy(group);
  CHECK(access(pathOf(job).c_str(), F_OK) != 0);
}

TEST_CASE("a file that others may write is not trusted") {
  std::string job = newJob();
  int file = open(pathOf(job).c_str(), O_CREAT | O_RDWR, 0600);
  fchmod(file, 0666);
  Outcome why;
  CHECK(!join(job, 1, 2, 1, &why));
  CHECK_THAT(why.message, Contains("is not a file of this user alone"));
  close(file);
  unlink(pathOf(job).c_str());
  symlink("/etc/passwd", pathOf(job).c_str());
  CHECK(!join(job, 1, 2, 1, &why));
  CHECK_THAT(why.message, Contains("cannot be opened"));
  unlink(pathOf(job).c_str());
}

TEST_CASE("wrong names and numbers of ranks") {
  Outcome why;
  for (const char *job : {"", "a/b", "../x", "a b"}) {
    CHECK(!join(job, 0, 1, 1, &why));
    CHECK_THAT(why.message, Contains("needed are 1 to 100 letters, digits, '.', '_' and '-'"));
  }
  CHECK(!join(std::string(101, 'a'), 0, 1, 1, &why));
  CHECK(why.code == KERATIN_INVALID_ARGUMENT);
  CHECK(!join("x", 2, 2, 1, &why));
  CHECK_THAT(why.message, Contains("rank 2 of 2; there may be 1 to 1024 ranks, from 0 on"));
  CHECK(!join("x", 0, 1, 0, &why));
  CHECK_THAT(why.message, Contains("seconds must be above 0"));
}
