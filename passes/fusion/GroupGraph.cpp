#include "passes/fusion/GroupGraph.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace keratin::passes {

int GroupGraph::add(ArrayRef<int> producers) {
  int id = nodes.size();
  Node &node = nodes.emplace_back();
  node.rank = id;
  for (int producer : producers) {
    node.producers.insert(producer);
    nodes[producer].readers.insert(id);
  }
  return id;
}

GroupGraph::Groups GroupGraph::behind(int producer, int consumer) const {
  Groups found;
  auto visit = [&](int group) {
    for (int reader : nodes[group].readers)
      if (nodes[reader].rank < nodes[consumer].rank)
        found.insert(reader);
  };
  visit(producer);
  for (size_t i = 0; i < found.size(); ++i)
    visit(found[i]);
  return found;
}

GroupGraph::Groups GroupGraph::before(int producer, int consumer) const {
  Groups found;
  auto visit = [&](int group) {
    for (int source : nodes[group].producers)
      if (nodes[source].rank > nodes[producer].rank)
        found.insert(source);
  };
  visit(consumer);
  for (size_t i = 0; i < found.size(); ++i)
    visit(found[i]);
  return found;
}

bool GroupGraph::hasDetour(int producer, int consumer) const {
  // From both ends, an edge at a time: a value that all read has many readers and a late one has
  // much behind it, but rarely are both so.
  struct Search {
    Groups found;
    int node = 0, edge = 0;
  } down, up;
  down.found.insert(producer);
  up.found.insert(consumer);
  auto step = [&](Search &search, const Search &other, auto &&edgesOf, auto &&isBetween) {
    int group = search.found[search.node];
    ArrayRef<int> edges = edgesOf(group);
    if (search.edge == int(edges.size())) {
      ++search.node;
      search.edge = 0;
      return false;
    }
    int next = edges[search.edge++];
    bool direct = other.found.front() == next && search.found.front() == group;
    if (direct || !isBetween(next))
      return false;
    search.found.insert(next);
    return other.found.contains(next);
  };
  auto toReaders = [&](int group) { return readers(group); };
  auto toProducers = [&](int group) { return producers(group); };
  auto notLate = [&](int group) { return nodes[group].rank <= nodes[consumer].rank; };
  auto notEarly = [&](int group) { return nodes[group].rank >= nodes[producer].rank; };
  while (down.node < int(down.found.size()) && up.node < int(up.found.size()))
    if (step(down, up, toReaders, notLate) || step(up, down, toProducers, notEarly))
      return true;
  return false;
}

void GroupGraph::merge(int producer, int consumer) {
  // The same places, taken by what the consumer needs, the merged group, what needs the producer.
  Groups first = before(producer, consumer), last = behind(producer, consumer);
  auto byRank = [&](int a, int b) { return nodes[a].rank < nodes[b].rank; };
  SmallVector<int> order(first.begin(), first.end()), tail(last.begin(), last.end());
  sort(order, byRank);
  sort(tail, byRank);
  SmallVector<int> ranks{nodes[producer].rank, nodes[consumer].rank};
  for (int group : concat<int>(order, tail))
    ranks.push_back(nodes[group].rank);
  sort(ranks);
  order.push_back(consumer);
  append_range(order, tail);
  for (auto [group, rank] : zip(order, ranks)) // the last place stays empty
    nodes[group].rank = rank;

  Node &from = nodes[producer], &to = nodes[consumer];
  for (int source : from.producers) {
    nodes[source].readers.remove(producer);
    nodes[source].readers.insert(consumer);
    to.producers.insert(source);
  }
  for (int reader : from.readers) {
    nodes[reader].producers.remove(producer);
    if (reader == consumer)
      continue;
    nodes[reader].producers.insert(consumer);
    to.readers.insert(reader);
  }
  from = Node{{}, {}, -1, false};
}

} // namespace keratin::passes
