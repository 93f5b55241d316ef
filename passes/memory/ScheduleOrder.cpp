#include "passes/memory/ScheduleOrder.h"

#include <algorithm>
#include <cassert>
#include <queue>

using namespace keratin::passes;

void ScheduleProblem::addValue(Value value) {
  for (int64_t reader : value.readers)
    addOrder(value.producer, reader);
  values.push_back(std::move(value));
}

int64_t keratin::passes::peakBytes(const ScheduleProblem &problem,
                                   const std::vector<int64_t> &order) {
  std::vector<int64_t> position(problem.numSteps());
  for (size_t i = 0; i < order.size(); ++i)
    position[order[i]] = i;
  // What each position adds, and what is gone after it.
  std::vector<int64_t> made(order.size(), 0), freed(order.size(), 0);
  for (const ScheduleProblem::Value &value : problem.values) {
    int64_t last = position[value.producer];
    made[last] += value.bytes;
    for (int64_t reader : value.readers)
      last = std::max(last, position[reader]);
    freed[last] += value.bytes;
  }
  int64_t live = 0, peak = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    live += made[i];
    peak = std::max(peak, live);
    live -= freed[i];
  }
  return peak;
}

namespace {

// What decides between steps that need more memory than they free. The given order has a locality
// that greed for bytes destroys; but it may also be the order that needs improvement most.
enum class Costly { LeastFirst, AsGiven };

// Runs ready steps by falling score. Scores only grow, so an entry of the queue is stale exactly if
// its score is not the step's.
class ListScheduler {
public:
  ListScheduler(const std::vector<std::vector<int64_t>> &successors, std::vector<int64_t> scores,
                bool earlierFirst, Costly costly)
      : successors(successors), scores(std::move(scores)), earlierFirst(earlierFirst),
        costly(costly), missing(successors.size(), 0), done(successors.size(), false) {
    for (const std::vector<int64_t> &list : successors)
      for (int64_t successor : list)
        ++missing[successor];
  }

  void raise(int64_t step, int64_t bytes) {
    if (bytes == 0 || done[step])
      return;
    scores[step] += bytes;
    if (missing[step] == 0)
      push(step);
  }
  bool isDone(int64_t step) const { return done[step]; }

  // Calls afterStep(step) after each, which may raise scores of others.
  template <typename AfterStep> std::vector<int64_t> run(AfterStep afterStep) {
    std::vector<int64_t> order;
    order.reserve(successors.size());
    for (size_t step = 0; step < successors.size(); ++step)
      if (missing[step] == 0)
        push(step);
    while (!ready.empty()) {
      Entry entry = ready.top();
      ready.pop();
      if (done[entry.step] || entry.score != score(entry.step))
        continue;
      done[entry.step] = true;
      order.push_back(entry.step);
      for (int64_t successor : successors[entry.step])
        if (--missing[successor] == 0)
          push(successor);
      afterStep(entry.step);
    }
    assert(order.size() == successors.size() && "the edges have a cycle");
    return order;
  }

private:
  struct Entry {
    int64_t score;
    int64_t tie;
    int64_t step;
    bool operator<(const Entry &other) const {
      return score != other.score ? score < other.score : tie < other.tie;
    }
  };
  int64_t score(int64_t step) const {
    return costly == Costly::AsGiven ? std::max<int64_t>(scores[step], -1) : scores[step];
  }
  void push(int64_t step) { ready.push({score(step), earlierFirst ? -step : step, step}); }

  const std::vector<std::vector<int64_t>> &successors;
  std::vector<int64_t> scores;
  bool earlierFirst;
  Costly costly;
  std::vector<int64_t> missing; // predecessors that have not run
  std::vector<bool> done;
  std::priority_queue<Entry> ready;
};

// From the start: a step scores what it frees less what it makes.
std::vector<int64_t> scheduleForwards(const ScheduleProblem &problem, Costly costly) {
  int64_t numSteps = problem.numSteps();
  std::vector<int64_t> scores(numSteps, 0);
  std::vector<std::vector<size_t>> read(numSteps); // values that a step reads
  std::vector<int64_t> unread(problem.values.size());
  for (size_t v = 0; v < problem.values.size(); ++v) {
    const ScheduleProblem::Value &value = problem.values[v];
    unread[v] = value.readers.size();
    if (!value.readers.empty())
      scores[value.producer] -= value.bytes;
    for (int64_t reader : value.readers) {
      read[reader].push_back(v);
      if (unread[v] == 1)
        scores[reader] += value.bytes;
    }
  }
  ListScheduler scheduler(problem.successors, std::move(scores), /*earlierFirst=*/true, costly);
  return scheduler.run([&](int64_t step) {
    for (size_t v : read[step])
      if (--unread[v] == 1)
        for (int64_t reader : problem.values[v].readers)
          scheduler.raise(reader, problem.values[v].bytes);
  });
}

// From the end: undoing a step takes away what it makes and needs what it reads, unless a later
// step reads it too.
std::vector<int64_t> scheduleBackwards(const ScheduleProblem &problem, Costly costly) {
  int64_t numSteps = problem.numSteps();
  std::vector<int64_t> scores(numSteps, 0);
  std::vector<std::vector<int64_t>> predecessors(numSteps);
  for (int64_t step = 0; step < numSteps; ++step)
    for (int64_t successor : problem.successors[step])
      predecessors[successor].push_back(step);
  std::vector<std::vector<size_t>> read(numSteps);
  std::vector<bool> needed(problem.values.size(), false);
  for (size_t v = 0; v < problem.values.size(); ++v) {
    const ScheduleProblem::Value &value = problem.values[v];
    if (!value.readers.empty())
      scores[value.producer] += value.bytes;
    for (int64_t reader : value.readers) {
      read[reader].push_back(v);
      scores[reader] -= value.bytes;
    }
  }
  ListScheduler scheduler(predecessors, std::move(scores), /*earlierFirst=*/false, costly);
  std::vector<int64_t> order = scheduler.run([&](int64_t step) {
    for (size_t v : read[step]) {
      if (needed[v])
        continue;
      needed[v] = true;
      for (int64_t reader : problem.values[v].readers)
        scheduler.raise(reader, problem.values[v].bytes);
    }
  });
  std::reverse(order.begin(), order.end());
  return order;
}

} // namespace

std::vector<int64_t> keratin::passes::scheduleForMemory(const ScheduleProblem &problem) {
  std::vector<int64_t> best;
  int64_t bestPeak = 0;
  auto attempt = [&](std::vector<int64_t> order) {
    int64_t peak = peakBytes(problem, order);
    if (!best.empty() && peak >= bestPeak)
      return;
    best = std::move(order);
    bestPeak = peak;
  };
  for (Costly costly : {Costly::AsGiven, Costly::LeastFirst}) {
    attempt(scheduleForwards(problem, costly));
    attempt(scheduleBackwards(problem, costly));
  }
  return best;
}
