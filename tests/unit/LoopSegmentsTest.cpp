#include "passes/loops/LoopSegments.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace keratin::passes;

TEST_CASE("a loop divided once keeps about twice the root of its steps") {
  LoopMemory loop{1000, 64, 64};
  CHECK(bytesKept(loop, {}) == 64000);
  Segments segments = divide(loop, 1);
  REQUIRE(segments.size() == 1);
  CHECK(1000 % segments[0] == 0);
  CHECK(bytesKept(loop, segments) <= 1.15 * 2 * std::sqrt(1000.0) * 64);
}

TEST_CASE("segments are longer where states are large, and shorter where steps keep much") {
  CHECK(divide({10000, 400, 4}, 1) == Segments{1000});
  CHECK(divide({10000, 4, 400}, 1) == Segments{10});
}

TEST_CASE("the more often a loop is divided, the less it keeps") {
  LoopMemory loop{10000, 64, 256};
  double before = bytesKept(loop, {});
  for (unsigned levels = 1; levels <= 3; ++levels) {
    Segments segments = divide(loop, levels);
    REQUIRE(segments.size() == levels);
    for (size_t i = 1; i < segments.size(); ++i)
      CHECK(segments[i] < segments[i - 1]);
    CHECK(bytesKept(loop, segments) < 0.75 * before);
    before = bytesKept(loop, segments);
  }
}

TEST_CASE("a loop stays whole where a division saves little") {
  CHECK(divide({3, 64, 64}, 3).empty());
  CHECK(divide({100, 64000, 64}, 3).empty());
  CHECK(divide({1, 64, 64}, 3).empty());
  CHECK(divide({0, 64, 64}, 3).empty());
}

TEST_CASE("a prime number of steps is divided with some left over") {
  Segments segments = divide({997, 64, 64}, 1);
  REQUIRE(segments.size() == 1);
  CHECK(segments[0] == 32);
}

TEST_CASE("loops stay whole while they fit") {
  std::vector<LoopMemory> loops{{100, 4, 40}, {100, 4, 400}};
  CHECK(divideWithin(loops, 44000) == std::vector<Segments>{{}, {}});
}

TEST_CASE("the loop that keeps most is divided first") {
  std::vector<LoopMemory> loops{{100, 4, 40}, {100, 4, 400}};
  std::vector<Segments> segments = divideWithin(loops, 6000);
  CHECK(segments[0].empty());
  CHECK(segments[1].size() == 1);
  segments = divideWithin(loops, 0);
  CHECK_FALSE(segments[0].empty());
  CHECK(segments[1].size() > 1);
}

TEST_CASE("a loop of unknown length is divided in advance") {
  // A third of the bytes for a segment of each.
  std::vector<LoopMemory> loops{{std::nullopt, 8, 10}, {std::nullopt, 8, 25}, {10, 8, 10}};
  CHECK(divideWithin(loops, 3000) == std::vector<Segments>{{50}, {20}, {}});
  CHECK(divideWithin(loops, 0)[0] == Segments{8});
}

TEST_CASE("a long loop in the steps of a short one is divided itself") {
  // Four steps around, 1,000 inside.
  std::vector<LoopMemory> loops{{1000, 8, 40, 1}, {4, 8, 10, -1}};
  std::vector<Segments> segments = divideWithin(loops, 20000);
  CHECK(segments[0].size() == 1);
  CHECK(segments[1].empty());
  // Of an unknown number, too.
  loops[1].steps = std::nullopt;
  segments = divideWithin(loops, 60000);
  CHECK_FALSE(segments[0].empty());
  CHECK(segments[1].size() == 1);
}

TEST_CASE("a long loop around a short one is divided itself") {
  std::vector<LoopMemory> loops{{4, 8, 40, 1}, {1000, 8, 10, -1}};
  std::vector<Segments> segments = divideWithin(loops, 20000);
  CHECK(segments[0].empty());
  CHECK(segments[1].size() == 1);
}

TEST_CASE("loops of which nothing is kept stay whole") {
  std::vector<LoopMemory> loops{{std::nullopt, 8, 0}, {1000, 8, 0}, {1000, 8, 40}};
  std::vector<Segments> segments = divideWithin(loops, 0);
  CHECK(segments[0].empty());
  CHECK(segments[1].empty());
  CHECK_FALSE(segments[2].empty());
}
