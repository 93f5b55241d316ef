// Orders of execution against the definition of a schedule, and against all orders where there are
// few enough of them.
#include "passes/memory/ScheduleOrder.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <numeric>
#include <random>

using namespace keratin::passes;

namespace {

using Order = std::vector<int64_t>;

Order givenOrder(const ScheduleProblem &problem) {
  Order order(problem.numSteps());
  std::iota(order.begin(), order.end(), 0);
  return order;
}

void checkOrder(const ScheduleProblem &problem, const Order &order) {
  REQUIRE(int64_t(order.size()) == problem.numSteps());
  Order sorted = order;
  std::sort(sorted.begin(), sorted.end());
  REQUIRE(sorted == givenOrder(problem));
  std::vector<int64_t> position(order.size());
  for (size_t i = 0; i < order.size(); ++i)
    position[order[i]] = i;
  int broken = 0;
  for (int64_t step = 0; step < problem.numSteps(); ++step)
    for (int64_t successor : problem.successors[step])
      broken += position[step] >= position[successor];
  REQUIRE(broken == 0);
}

// Step i makes value i, read by random later steps.
ScheduleProblem randomProblem(std::mt19937_64 &random, int64_t numSteps, int64_t reach) {
  auto upTo = [&](int64_t high) { return std::uniform_int_distribution<int64_t>(0, high)(random); };
  ScheduleProblem problem(numSteps);
  for (int64_t step = 0; step < numSteps; ++step) {
    ScheduleProblem::Value value{upTo(9) * upTo(9), step, {}};
    for (int64_t uses = upTo(3); uses > 0 && step + 1 < numSteps; --uses) {
      int64_t reader = std::min(numSteps - 1, step + 1 + upTo(reach));
      if (std::find(value.readers.begin(), value.readers.end(), reader) == value.readers.end())
        value.readers.push_back(reader);
    }
    problem.addValue(std::move(value));
  }
  return problem;
}

// The least peak over all orders that respect the edges.
int64_t bestPeak(const ScheduleProblem &problem) {
  Order order = givenOrder(problem);
  int64_t best = peakBytes(problem, order);
  do {
    std::vector<int64_t> position(order.size());
    for (size_t i = 0; i < order.size(); ++i)
      position[order[i]] = i;
    bool valid = true;
    for (int64_t step = 0; step < problem.numSteps(); ++step)
      for (int64_t successor : problem.successors[step])
        valid &= position[step] < position[successor];
    if (valid)
      best = std::min(best, peakBytes(problem, order));
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

} // namespace

TEST_CASE("the peak counts what a step makes and what is read later") {
  ScheduleProblem problem(4);
  problem.addValue({10, 0, {2}});
  problem.addValue({20, 1, {2, 3}});
  problem.addValue({5, 2, {3}});
  problem.addValue({100, 3, {}});
  CHECK(peakBytes(problem, {0, 1, 2, 3}) == 125);
  problem.values[3].bytes = 0;
  CHECK(peakBytes(problem, {0, 1, 2, 3}) == 35);
  CHECK(peakBytes(problem, {1, 0, 2, 3}) == 35);
}

TEST_CASE("branches run one after the other") {
  // Eight times a large value made and reduced, given breadth first.
  constexpr int64_t kBranches = 8;
  ScheduleProblem problem(2 * kBranches + 1);
  for (int64_t i = 0; i < kBranches; ++i) {
    problem.addValue({1000, i, {kBranches + i}});
    problem.addValue({1, kBranches + i, {2 * kBranches}});
  }
  CHECK(peakBytes(problem, givenOrder(problem)) == 1000 * kBranches + 1);
  Order order = scheduleForMemory(problem);
  checkOrder(problem, order);
  CHECK(peakBytes(problem, order) == 1000 + kBranches);
}

TEST_CASE("edges without values are respected, ties keep the given order") {
  ScheduleProblem problem(5);
  problem.addOrder(4, 0);
  CHECK(scheduleForMemory(problem) == Order{1, 2, 3, 4, 0});
  CHECK(scheduleForMemory(ScheduleProblem(0)).empty());
  CHECK(scheduleForMemory(ScheduleProblem(3)) == Order{0, 1, 2});
}

TEST_CASE("random small problems come close to the best order") {
  std::mt19937_64 random(21);
  double found = 0, best = 0;
  int optimal = 0;
  constexpr int kProblems = 300;
  for (int i = 0; i < kProblems; ++i) {
    ScheduleProblem problem = randomProblem(random, 7, 4);
    Order order = scheduleForMemory(problem);
    checkOrder(problem, order);
    int64_t peak = peakBytes(problem, order), least = bestPeak(problem);
    REQUIRE(peak >= least);
    found += double(peak);
    best += double(least);
    optimal += peak == least;
  }
  std::cout << "peak of schedules / best peak: " << found / best << ", best in " << optimal
            << " of " << kProblems << "\n";
  CHECK(found / best < 1.10);
}

TEST_CASE("random large problems") {
  std::mt19937_64 random(22);
  double found = 0, given = 0;
  for (int i = 0; i < 200; ++i) {
    ScheduleProblem problem = randomProblem(random, 300, i % 2 ? 20 : 200);
    Order order = scheduleForMemory(problem);
    checkOrder(problem, order);
    found += double(peakBytes(problem, order));
    given += double(peakBytes(problem, givenOrder(problem)));
  }
  std::cout << "peak of schedules / peak of the given order: " << found / given << "\n";
  CHECK(found < given);
}

TEST_CASE("ten thousand steps are ordered in a moment") {
  std::mt19937_64 random(23);
  ScheduleProblem problem = randomProblem(random, 10'000, 100);
  // One value that everything reads.
  ScheduleProblem::Value shared{7, 0, {}};
  for (int64_t step = 1; step < problem.numSteps(); ++step)
    shared.readers.push_back(step);
  problem.addValue(std::move(shared));
  auto begin = std::chrono::steady_clock::now();
  Order order = scheduleForMemory(problem);
  std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - begin;
  std::cout << "order of 10,000 steps: " << spent.count() << " ms\n";
  checkOrder(problem, order);
}
