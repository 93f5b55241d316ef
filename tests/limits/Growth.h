// Graphs of many shapes that grow with a number, made by K functions.
#ifndef KERATIN_TESTS_LIMITS_GROWTH_H
#define KERATIN_TESTS_LIMITS_GROWTH_H

#include <cstdint>
#include <vector>

namespace keratin::tests {

struct GrowingGraph {
  const char *name;
  int64_t size;           // that must be compiled in time
  void (*run)(int64_t n); // builds, compiles and calls it
};

const std::vector<GrowingGraph> &growingGraphs();

} // namespace keratin::tests

#endif // KERATIN_TESTS_LIMITS_GROWTH_H
