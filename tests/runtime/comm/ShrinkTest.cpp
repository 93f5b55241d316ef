// Ranks that are left of a job when others are lost, and go on without them.
#include "tests/runtime/comm/Ranks.h"
#include "tests/support/NoExit.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <signal.h>
#include <sys/wait.h>

using namespace keratin::tests;
using Catch::Matchers::Contains;

namespace {

Outcome shrink(keratin_group_t *group) {
  keratin_status_t status = {};
  keratin_group_shrink(group, &status);
  return outcome(status);
}

// What is wrong with the sum of what all ranks have; "": nothing. Along an axis each has its rank.
std::string checkSum(keratin_group_t *group, int64_t count, keratin_axis_t axis = {}) {
  const int32_t rank = keratin_group_rank(group), size = keratin_group_size(group);
  std::vector<float> data(size_t(count), float(rank + 1));
  keratin_collective_t wanted =
      collective(KERATIN_ALL_REDUCE, KERATIN_DTYPE_FLOAT32, data.data(), count, data.data(), count);
  wanted.axis = axis;
  if (Outcome end = run(group, wanted); end.code != KERATIN_OK)
    return end.message;
  float sum = 0;
  for (int32_t other = 0; other < size; ++other)
    if (!axis.count || other / axis.stride / axis.count == rank / axis.stride / axis.count)
      if (!axis.count || other % axis.stride == rank % axis.stride)
        sum += float(other + 1);
  for (float each : data)
    if (each != sum)
      return "the sum is " + std::to_string(each) + " and not " + std::to_string(sum);
  return "";
}

int statusOf(pid_t process) {
  int status = -1;
  waitpid(process, &status, 0);
  return status;
}

} // namespace

TEST_CASE("those that are left of a job go on, one after the other") {
  // Each rank is lost when the job has as many ranks as it says, and then the last of them.
  std::vector<std::string> wrong =
      onRanks<std::string>(5, [](keratin_group_t *group, int first) -> std::string {
        for (int left = 5; left > 1; --left) {
          const bool isLost = first == left - 1;
          if (std::string problem = checkSum(group, 300000); problem != "")
            return problem;
          if (isLost)
            return "";
          if (Outcome end = barrier(group); end.code != KERATIN_UNAVAILABLE)
            return "nobody missed rank " + std::to_string(left - 1) + ": " + end.message;
          if (Outcome end = shrink(group); end.code != KERATIN_OK)
            return end.message;
          if (keratin_group_size(group) != left - 1 || keratin_group_rank(group) != first)
            return "rank " + std::to_string(keratin_group_rank(group)) + " of " +
                   std::to_string(keratin_group_size(group));
        }
        return checkSum(group, 10);
      });
  for (const std::string &each : wrong)
    CHECK(each == "");
}

TEST_CASE("ranks keep their order, and meet along axes that are those of their new number") {
  std::vector<std::string> wrong =
      onRanks<std::string>(6, [](keratin_group_t *group, int first) -> std::string {
        for (keratin_axis_t axis : {keratin_axis_t{3, 2}, {2, 1}})
          if (std::string problem = checkSum(group, 5000, axis); problem != "")
            return problem;
        if (first == 1 || first == 4)
          return "";
        while (barrier(group).code == KERATIN_OK)
          ;
        if (Outcome end = shrink(group); end.code != KERATIN_OK)
          return end.message;
        if (keratin_group_size(group) == 5) { // one was gone before the other
          while (barrier(group).code == KERATIN_OK)
            ;
          if (Outcome end = shrink(group); end.code != KERATIN_OK)
            return end.message;
        }
        const int expected = first == 0 ? 0 : first < 4 ? first - 1 : 3;
        if (keratin_group_size(group) != 4 || keratin_group_rank(group) != expected)
          return "rank " + std::to_string(keratin_group_rank(group));
        for (keratin_axis_t axis : {keratin_axis_t{2, 2}, {2, 1}, {4, 1}})
          if (std::string problem = checkSum(group, 5000, axis); problem != "")
            return problem;
        return "";
      });
  for (const std::string &each : wrong)
    CHECK(each == "");
}

TEST_CASE("an axis that all ranks are along is shorter") {
  std::vector<std::string> told =
      onRanks<std::string>(3, [](keratin_group_t *group, int rank) -> std::string {
        const keratin_mesh_axis_t data[] = {{"data", 3}};
        keratin_status_t status = {};
        keratin_group_arrange(group, data, 1, &status);
        if (rank == 2)
          return "";
        while (barrier(group).code == KERATIN_OK)
          ;
        if (Outcome end = shrink(group); end.code != KERATIN_OK)
          return end.message;
        return checkSum(group, 100, {2, 1});
      });
  for (const std::string &each : told)
    CHECK(each == "");
}

namespace {

// What each rank of a mesh of data x model says when these are lost, one after the other.
std::vector<std::string> saidInMesh(std::vector<int32_t> sizes, std::vector<int> lost) {
  const int ranks = std::accumulate(sizes.begin(), sizes.end(), 1, std::multiplies<>());
  std::vector<std::atomic<bool>> isGone(lost.size());
  return onRanks<std::string>(ranks, [&](keratin_group_t *group, int first) -> std::string {
    const char *const names[] = {"data", "model", "inner"};
    std::vector<keratin_mesh_axis_t> mesh;
    for (size_t i = 0; i < sizes.size(); ++i)
      mesh.push_back({names[i], sizes[i]});
    keratin_status_t status = {};
    if (keratin_group_arrange(group, mesh.data(), int32_t(mesh.size()), &status) != KERATIN_OK)
      return status.message;
    for (size_t i = 0; i < lost.size(); ++i) {
      if (lost[i] == first) {
        isGone[i] = true;
        return "lost";
      }
      while (!isGone[i])
        std::this_thread::yield();
      while (barrier(group).code == KERATIN_OK)
        ;
      if (Outcome end = shrink(group); end.code != KERATIN_OK) {
        const Outcome after = barrier(group);
        // Who comes to be lost later is not waited for.
        for (size_t later = i + 1; later < lost.size(); ++later)
          isGone[later] = isGone[later] || lost[later] == first;
        return end.message + "; " + after.message;
      }
    }
    const int32_t inner = ranks / sizes[0];
    if (std::string problem = checkSum(group, 1000, {inner, 1}); problem != "")
      return problem;
    const int32_t places = keratin_group_size(group) / inner;
    if (std::string problem = checkSum(group, 1000, {places, inner}); problem != "")
      return problem;
    return std::to_string(keratin_group_rank(group)) + " of " +
           std::to_string(keratin_group_size(group));
  });
}

const std::string left = "this rank leaves the job: of the 2 ranks at its place along the axis "
                         "'data' 1 are lost; those at other places go on; this process has left "
                         "the group";

} // namespace

TEST_CASE("of several axes the first is shorter, by the places at which a rank is lost") {
  CHECK(saidInMesh({4, 2}, {2}) == std::vector<std::string>{"0 of 6", "1 of 6", "lost", left,
                                                            "2 of 6", "3 of 6", "4 of 6",
                                                            "5 of 6"});
  CHECK(saidInMesh({3, 2}, {1, 4}) ==
        std::vector<std::string>{left, "lost", "0 of 2", "1 of 2", "lost", left});
  // A place that is lost as a whole.
  CHECK(saidInMesh({3, 1, 1}, {1}) == std::vector<std::string>{"0 of 2", "lost", "1 of 2"});
}

TEST_CASE("where each place along the first axis has lost a rank none is left") {
  const std::vector<std::string> said = saidInMesh({1, 3}, {1});
  for (int rank : {0, 2})
    CHECK(said[size_t(rank)] ==
          "this rank leaves the job: of the 3 ranks at its place along the axis 'data' 1 are lost; "
          "and at each other one, too: needed a new start; this process has left the group");
}

TEST_CASE("where nobody is lost all ranks are left") {
  std::vector<std::string> wrong = onRanks<std::string>(3, [](keratin_group_t *group, int) {
    const Outcome end = shrink(group);
    return end.code == KERATIN_OK ? checkSum(group, 100) : end.message;
  });
  for (const std::string &each : wrong)
    CHECK(each == "");
}

TEST_CASE("a rank that is late is told that the others go on, and may go with them") {
  std::atomic<bool> isAlone{true};
  std::vector<std::string> told =
      onRanks<std::string>(2, [&](keratin_group_t *group, int rank) -> std::string {
        if (rank == 1) {
          while (isAlone)
            std::this_thread::yield();
          Outcome end;
          while (end.code == KERATIN_OK)
            end = barrier(group);
          const Outcome after = shrink(group);
          return after.code == KERATIN_OK ? end.message + checkSum(group, 100) : after.message;
        }
        keratin_group_set_timeout(group, 0.05);
        const Outcome late = barrier(group), missed = shrink(group);
        keratin_group_set_timeout(group, 60);
        isAlone = false;
        const Outcome after = shrink(group);
        return after.code == KERATIN_OK
                   ? late.message + "; " + missed.message + checkSum(group, 100)
                   : after.message;
      });
  CHECK(told[0] == "barrier on rank 0 of 2: rank 1 has not come in time "
                   "(KERATIN_COLLECTIVE_TIMEOUT); rank 1, which is not lost, has not come in time "
                   "to go on with those that are left (KERATIN_COLLECTIVE_TIMEOUT)");
  CHECK_THAT(told[1],
             Contains("rank 0 is gone: it goes on with the ranks that have lost one (shrink)"));
}

TEST_CASE("an engine that cannot, and a group that was left, say so") {
  std::vector<std::string> told = onCountedRanks<std::string>(
      2, [](keratin_group_t *group, int, CountingEngine &) { return shrink(group).message; });
  for (const std::string &each : told)
    CHECK(each == "counting: not implemented: going on without ranks that are lost "
                  "(keratin_comm_t::shrink)");
  keratin_group_t *group = join(newJob(), 0, 1);
  keratin_group_leave(group);
  CHECK(shrink(group).message == "this process has left the group");
  keratin_group_destroy(group);
  CHECK(shrink(nullptr).code == KERATIN_INVALID_ARGUMENT);
}

// Collectives one after the other, until there are ranks no more but one.
static int survive(const std::string &job, int rank, int size) {
  keratin_group_t *group = join(job, rank, size);
  if (!group)
    return 1;
  int result = 0;
  while (result == 0 && keratin_group_size(group) > 1) {
    const int32_t before = keratin_group_size(group);
    const std::string problem =
        checkSum(group, 40000) + (size % 2 ? "" : checkSum(group, 5000, {before, 1}));
    if (problem.find("the sum is") != std::string::npos)
      result = 2;
    else if (problem != "" && shrink(group).code != KERATIN_OK)
      result = 3;
  }
  keratin_group_destroy(group);
  return result;
}

TEST_CASE("ranks that are killed at any time leave a job that goes on") {
  std::mt19937 draw(17);
  for (int round = 0; round < 6; ++round) {
    const int size = 3 + round % 2;
    const std::string job = newJob();
    std::vector<pid_t> processes;
    for (int rank = 0; rank < size; ++rank) {
      const pid_t child = fork();
      if (child == 0)
        endProcess(survive(job, rank, size));
      processes.push_back(child);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    // All but one, each while the others may be at a collective or going on.
    const int kept = int(draw() % unsigned(size));
    for (int rank = 0; rank < size; ++rank)
      if (rank != kept) {
        kill(processes[size_t(rank)], SIGKILL);
        std::this_thread::sleep_for(std::chrono::microseconds(draw() % 60000));
      }
    for (int rank = 0; rank < size; ++rank) {
      const int status = statusOf(processes[size_t(rank)]);
      if (rank == kept)
        CHECK(status == 0);
      else
        CHECK(WTERMSIG(status) == SIGKILL);
    }
  }
}
