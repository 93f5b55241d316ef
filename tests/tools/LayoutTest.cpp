// Layouts of graphs: what must hold of every picture, on random graphs and on hard ones.
#include "tools/keratin-dump/Layout.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <numeric>
#include <random>

using namespace keratin::dump;

namespace {

bool overlap(const Box &a, const Box &b) {
  return a.x < b.x + b.width - 0.01 && b.x < a.x + a.width - 0.01 && a.y < b.y + b.height - 0.01 &&
         b.y < a.y + a.height - 0.01;
}

bool contains(const Box &outer, const Box &inner) {
  return inner.x >= outer.x && inner.y >= outer.y &&
         inner.x + inner.width <= outer.x + outer.width &&
         inner.y + inner.height <= outer.y + outer.height;
}

void checkPicture(const LayoutInput &input, const LayoutResult &result) {
  REQUIRE(result.nodes.size() == input.nodes.size());
  REQUIRE(result.bends.size() == input.edges.size());
  const Box all{0, 0, result.width + 0.01, result.height + 0.01};
  for (size_t i = 0; i < input.nodes.size(); ++i) {
    REQUIRE(std::isfinite(result.nodes[i].x));
    REQUIRE(contains(all, result.nodes[i]));
    if (input.nodes[i].group >= 0)
      REQUIRE(contains(result.groups[input.nodes[i].group], result.nodes[i]));
    for (size_t j = 0; j < i; ++j)
      REQUIRE_FALSE(overlap(result.nodes[i], result.nodes[j]));
    for (size_t g = 0; g < result.groups.size(); ++g)
      if (input.nodes[i].group != int(g) && result.groups[g].width > 0)
        REQUIRE_FALSE(overlap(result.groups[g], result.nodes[i]));
  }
  for (size_t g = 0; g < result.groups.size(); ++g)
    for (size_t h = 0; h < g; ++h)
      REQUIRE_FALSE(overlap(result.groups[g], result.groups[h]));
}

// Groups are runs of neighbours, as kernels are.
LayoutInput randomGraph(unsigned seed, int count, int groups) {
  std::mt19937 random(seed);
  LayoutInput input;
  input.groups = groups;
  for (int i = 0; i < count; ++i) {
    int group = groups ? int(random() % 2 ? int64_t(i) * groups / count : -1) : -1;
    input.nodes.push_back({60.0 + random() % 100, 20.0 + random() % 30, group});
    for (unsigned k = random() % 4; i && k; --k)
      input.edges.push_back({int(i - 1 - random() % std::min(i, random() % 8 ? 6 : i)), i});
  }
  return input;
}

// How often lines cross that have no end in common, as far as layouts say where they run.
int crossings(const LayoutInput &input, const LayoutResult &result) {
  std::vector<std::vector<Point>> lines;
  for (size_t edge = 0; edge < input.edges.size(); ++edge) {
    const Box &from = result.nodes[input.edges[edge].first];
    const Box &to = result.nodes[input.edges[edge].second];
    lines.push_back({{from.x + from.width / 2, from.y + from.height / 2}});
    lines.back().insert(lines.back().end(), result.bends[edge].begin(), result.bends[edge].end());
    lines.back().push_back({to.x + to.width / 2, to.y + to.height / 2});
  }
  auto side = [](Point a, Point b, Point c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
  };
  int count = 0;
  for (size_t i = 0; i < lines.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      auto [from, to] = input.edges[i];
      if (from == input.edges[j].first || to == input.edges[j].second)
        continue;
      for (size_t k = 0; k + 1 < lines[i].size(); ++k)
        for (size_t l = 0; l + 1 < lines[j].size(); ++l) {
          Point a = lines[i][k], b = lines[i][k + 1], c = lines[j][l], d = lines[j][l + 1];
          count += side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0;
        }
    }
  return count;
}

// The same graph, told in another order.
LayoutInput shuffled(const LayoutInput &input, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<int> placeOf(input.nodes.size());
  std::iota(placeOf.begin(), placeOf.end(), 0);
  std::shuffle(placeOf.begin(), placeOf.end(), random);
  LayoutInput result = input;
  for (size_t i = 0; i < input.nodes.size(); ++i)
    result.nodes[placeOf[i]] = input.nodes[i];
  for (auto &[from, to] : result.edges) {
    from = placeOf[from];
    to = placeOf[to];
  }
  std::shuffle(result.edges.begin(), result.edges.end(), random);
  return result;
}

} // namespace

TEST_CASE("nothing overlaps, and groups hold their nodes") {
  for (unsigned seed = 0; seed < 40; ++seed) {
    INFO("seed " << seed);
    LayoutInput input = randomGraph(seed, 10 + int(seed) * 4, int(seed % 5) * 3);
    checkPicture(input, layOut(input));
  }
}

TEST_CASE("operands stand above their users") {
  LayoutInput input = randomGraph(7, 300, 0);
  LayoutResult result = layOut(input);
  for (auto [from, to] : input.edges) {
    REQUIRE(result.nodes[from].y + result.nodes[from].height < result.nodes[to].y);
  }
  for (size_t edge = 0; edge < input.edges.size(); ++edge) {
    double y = result.nodes[input.edges[edge].first].y;
    for (Point bend : result.bends[edge]) {
      REQUIRE(bend.y > y);
      y = bend.y;
    }
  }
}

TEST_CASE("a chain with weights at its side hangs straight down") {
  LayoutInput input;
  int previous = -1;
  std::vector<int> chain;
  for (int i = 0; i < 60; ++i) {
    input.nodes.push_back({80, 40, -1}); // two weights, and the op that takes them
    input.nodes.push_back({80, 40, -1});
    input.nodes.push_back({80, 40, -1});
    int op = int(input.nodes.size()) - 1;
    input.edges.push_back({op - 2, op});
    input.edges.push_back({op - 1, op});
    if (previous >= 0)
      input.edges.push_back({previous, op});
    chain.push_back(previous = op);
  }
  LayoutResult result = layOut(input);
  checkPicture(input, result);
  CHECK(std::abs(result.nodes[chain.front()].x - result.nodes[chain.back()].x) < 1200);
  CHECK(result.width < 1800);
  // Weights stand just above what takes them.
  for (int op : chain)
    CHECK(result.nodes[op].y - result.nodes[op - 1].y < 100);
}

TEST_CASE("lines of trees do not cross") {
  for (unsigned seed = 0; seed < 40; ++seed)
    for (bool growsDown : {false, true}) {
      INFO("seed " << seed);
      std::mt19937 random(seed);
      LayoutInput input;
      for (int i = 0; i < 40; ++i) {
        input.nodes.push_back({70, 30, -1});
        int other = i - 1 - int(random() % std::max(std::min(i, 9), 1));
        if (i)
          input.edges.push_back(growsDown ? std::pair(other, i) : std::pair(i, other));
      }
      input = shuffled(input, seed);
      LayoutResult result = layOut(input);
      checkPicture(input, result);
      CHECK(crossings(input, result) == 0);
    }
}

TEST_CASE("what can be drawn without crossings nearly is, in whatever order it is told") {
  int crossed = 0, lines = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    // Chains side by side, tied to the next one now and then, at the same height or from further
    // up.
    std::mt19937 random(seed);
    LayoutInput input;
    const int chains = 6, length = 12;
    for (int i = 0; i < chains * length; ++i) {
      int chain = i % chains, step = i / chains;
      input.nodes.push_back({60, 30, -1});
      if (step)
        input.edges.push_back({i - chains, i});
      if (step && chain && random() % 3 == 0)
        input.edges.push_back({i - chains - 1, i});
    }
    input = shuffled(input, seed);
    LayoutResult result = layOut(input);
    crossed += crossings(input, result);
    lines += int(input.edges.size());
  }
  INFO(crossed << " crossings of " << lines << " lines");
  CHECK(crossed <= lines / 20);
}

TEST_CASE("a value that is used far below pulls its line along") {
  // Down a chain whose ops all have an operand from the side; without a place on each layer the
  // long line would cross those.
  LayoutInput input;
  for (int i = 0; i < 40; ++i)
    input.nodes.push_back({60, 30, -1});
  for (int i = 2; i < 40; i += 2) {
    input.edges.push_back({i - 2, i});
    input.edges.push_back({i - 1, i});
  }
  input.edges.push_back({0, 38});
  for (unsigned seed = 0; seed < 10; ++seed) {
    LayoutInput told = shuffled(input, seed);
    CHECK(crossings(told, layOut(told)) == 0);
  }
}

TEST_CASE("wide graphs become tall") {
  LayoutInput input;
  for (int i = 0; i < 1000; ++i)
    input.nodes.push_back({100, 40, -1});
  for (int i = 1; i < 1000; ++i)
    input.edges.push_back({0, i});
  LayoutResult result = layOut(input);
  checkPicture(input, result);
  CHECK(result.width < 8000); // one layer would be 118000
  CHECK(result.height < 6000);
}

TEST_CASE("cycles, loops, nothing") {
  CHECK(layOut({}).nodes.empty());
  LayoutInput input;
  for (int i = 0; i < 3; ++i)
    input.nodes.push_back({50, 20, -1});
  input.edges = {{0, 1}, {1, 2}, {2, 0}, {1, 1}, {0, 1}};
  checkPicture(input, layOut(input));
  // Two groups that need each other.
  input.groups = 2;
  input.nodes = {{50, 20, 0}, {50, 20, 1}, {50, 20, 0}};
  input.edges = {{0, 1}, {1, 2}};
  checkPicture(input, layOut(input));
}

TEST_CASE("thousands of nodes take a moment") {
  for (int groups : {0, 300}) {
    LayoutInput input = randomGraph(3, 4000, groups);
    // Processor time: others may be at work on the machine, and sanitizers take some, too.
    std::clock_t start = std::clock();
    LayoutResult result = layOut(input);
    CHECK(double(std::clock() - start) / CLOCKS_PER_SEC < 20);
    CHECK(result.nodes.size() == 4000);
  }
}
