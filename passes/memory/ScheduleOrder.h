// Orders of execution that keep few bytes alive. No MLIR here; tested on numbers.
#ifndef KERATIN_PASSES_MEMORY_SCHEDULEORDER_H
#define KERATIN_PASSES_MEMORY_SCHEDULEORDER_H

#include <cstdint>
#include <vector>

namespace keratin::passes {

// Steps 0 … numSteps - 1, in the order in which they are given.
struct ScheduleProblem {
  // Something in the arena: there from the step that makes it to the last that reads it.
  struct Value {
    int64_t bytes = 0; // below 2^48
    int64_t producer = 0;
    std::vector<int64_t> readers; // without duplicates and without the producer
  };

  explicit ScheduleProblem(int64_t numSteps) : successors(numSteps) {}
  int64_t numSteps() const { return successors.size(); }
  // `before` must run before `after`. Readers need no such edge, they imply it.
  void addOrder(int64_t before, int64_t after) { successors[before].push_back(after); }
  void addValue(Value value);

  std::vector<std::vector<int64_t>> successors; // acyclic
  std::vector<Value> values;
};

// The largest number of bytes alive at one step. Precondition: the order holds each step once.
int64_t peakBytes(const ScheduleProblem &problem, const std::vector<int64_t> &order);

// An order that respects all edges, the best of four: forwards, always the step that frees most
// bytes among those that are ready, and where none frees more than it takes, the one that takes
// least, or the first in the given order; and both from the end backwards. Ties keep the given
// order. Takes n log n time in steps and readers.
std::vector<int64_t> scheduleForMemory(const ScheduleProblem &problem);

} // namespace keratin::passes

#endif // KERATIN_PASSES_MEMORY_SCHEDULEORDER_H
