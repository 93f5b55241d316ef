#include "passes/fusion/GroupGraph.h"

#include <catch2/catch.hpp>

#include <random>

using keratin::passes::GroupGraph;

TEST_CASE("A path through a third group is a detour") {
  GroupGraph graph;
  int a = graph.add({}), b = graph.add({a}), c = graph.add({a, b});
  CHECK(graph.hasDetour(a, c));
  CHECK_FALSE(graph.hasDetour(a, b));
  CHECK_FALSE(graph.hasDetour(b, c));
}

TEST_CASE("Merging hands over producers and readers") {
  GroupGraph graph;
  int a = graph.add({}), b = graph.add({a}), c = graph.add({b}), d = graph.add({b, c});
  graph.merge(b, c);
  CHECK_FALSE(graph.isAlive(b));
  CHECK(graph.producers(c) == llvm::ArrayRef<int>{a});
  CHECK(graph.readers(c) == llvm::ArrayRef<int>{d});
  CHECK(graph.producers(d) == llvm::ArrayRef<int>{c});
}

TEST_CASE("A merge may close a path that did not exist before") {
  // a -> b, c -> d: no path from a to d until b and c are one group.
  GroupGraph graph;
  int a = graph.add({}), c = graph.add({}), b = graph.add({a, c}), d = graph.add({c, a});
  graph.merge(c, b);
  CHECK(graph.hasDetour(a, d));
}

// Whether the consumer can be reached from the producer through other groups, by looking at all.
static bool reaches(const GroupGraph &graph, int producer, int consumer) {
  std::vector<int> work;
  std::set<int> seen;
  for (int reader : graph.readers(producer))
    if (reader != consumer)
      work.push_back(reader);
  while (!work.empty()) {
    int group = work.back();
    work.pop_back();
    if (group == consumer)
      return true;
    if (seen.insert(group).second)
      work.insert(work.end(), graph.readers(group).begin(), graph.readers(group).end());
  }
  return false;
}

TEST_CASE("Random merges agree with a search of the whole graph") {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    GroupGraph graph;
    std::vector<int> alive;
    for (int step = 0; step < 60; ++step) {
      std::vector<int> producers;
      for (int i = 0; i < 3 && !alive.empty(); ++i)
        producers.push_back(alive[random() % alive.size()]);
      int id = graph.add(producers);
      alive.push_back(id);
      // Any edge of the graph, not only those of the newest group.
      int consumer = alive[random() % alive.size()];
      std::vector<int> sources(graph.producers(consumer).begin(), graph.producers(consumer).end());
      // And one that may not be read.
      sources.push_back(alive[random() % alive.size()]);
      for (int producer : sources) {
        // A merge may have moved the consumer to the front.
        if (!graph.isAlive(producer) || !graph.standsBefore(producer, consumer))
          continue;
        INFO("seed " << seed << " step " << step << ": " << producer << " into " << consumer);
        bool detour = graph.hasDetour(producer, consumer);
        REQUIRE(detour == reaches(graph, producer, consumer));
        if (detour || random() % 2)
          continue;
        graph.merge(producer, consumer);
        alive.erase(std::find(alive.begin(), alive.end(), producer));
      }
    }
  }
}
