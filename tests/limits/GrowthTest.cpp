// Graphs that are wide, long, deep or of high order, compiled and called by K functions in a
// process with ten seconds of processor time and two gigabytes: sizes at which work that grows
// faster than the graph does not end in time. Slow machines have more time: that in which they
// compile one of these graphs over and over.
//
// Where KERATIN_TEST_EVERY says so, a part of them, another one each day.
//
// KERATIN_GROWTH=name runs those whose names contain it; KERATIN_GROWTH_PERCENT=200 twice the size;
// KERATIN_GROWTH_MESSAGES=1 says what each takes.
#include "tests/limits/Growth.h"
#include "tests/support/LimitedProcess.h"
#include "tests/support/TestEnvironment.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

using namespace keratin;

static int runGraph(const tests::GrowingGraph &graph, int64_t size) {
  try {
    graph.run(size);
    return 0;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s: %s\n", graph.name, error.what());
    return 1;
  }
}

// Seconds for each graph: what a small one takes here tells how fast the machine is, and how much
// code its vectors need. The largest takes 12 times as long; neighbours that come and go may double
// what either takes.
static double timeForGraphs() {
  constexpr double kShare = 50;
  auto isYardstick = [](const tests::GrowingGraph &graph) {
    return graph.name == std::string("layers");
  };
  const auto &graphs = tests::growingGraphs();
  auto yardstick = std::find_if(graphs.begin(), graphs.end(), isYardstick);
  REQUIRE(yardstick != graphs.end());
  tests::LimitedRun run =
      tests::runLimited([&] { return runGraph(*yardstick, yardstick->size); }, 1000);
  REQUIRE(run.code == 0);
  return std::max(10.0, kShare * run.seconds);
}

TEST_CASE("Large graphs are compiled within ten seconds and two gigabytes", "[growth]") {
  const char *only = std::getenv("KERATIN_GROWTH");
  const int64_t percent = tests::fromEnvironment("KERATIN_GROWTH_PERCENT", 100);
  const double seconds = timeForGraphs();
  tests::Sample sample;
  for (const tests::GrowingGraph &graph : tests::growingGraphs()) {
    if (only && std::string(graph.name).find(only) == std::string::npos)
      continue;
    if (!sample.takesNext())
      continue;
    int64_t size = graph.size * percent / 100;
    tests::LimitedRun run = tests::runLimited([&] { return runGraph(graph, size); }, seconds);
    INFO(graph.name << ", size " << size << ": " << run.text());
    if (std::getenv("KERATIN_GROWTH_MESSAGES"))
      std::fprintf(stderr, "%-40s %7lld  %s\n", graph.name, (long long)size, run.text().c_str());
    CHECK(run.ended);
    CHECK(run.code == 0);
  }
}
