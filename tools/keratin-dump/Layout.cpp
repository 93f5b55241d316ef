#include "tools/keratin-dump/Layout.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <queue>
#include <set>
#include <tuple>
#include <utility>

using namespace keratin::dump;

namespace {

constexpr double kGapX = 18, kGapY = 34;
constexpr double kPadding = 12, kTitle = 22; // of a group
constexpr int kPlaceSweeps = 9;
// For orders: rounds of a sweep down and one up, how many of them in vain end it, exchanges after
// each, and from how many places on all this is less.
constexpr int kOrderRounds = 24, kPatience = 6, kExchanges = 8, kManyItems = 6000;
// A longer edge is drawn straight across where there would be more places than this on the way:
// with them all, orders take too long.
constexpr int kMostBends = 6, kMostPlaces = 40000;
// Width to height that the page has about.
constexpr double kAspect = 1.8;

// A graph without groups.
struct Flat {
  std::vector<Box> boxes; // sizes given, places found
  std::vector<std::pair<int, int>> edges;
  std::vector<std::vector<Point>> bends;
  double width = 0, height = 0;
};

enum class Start { Program, WalkUp, WalkAround }; // of orders

class FlatLayout {
public:
  explicit FlatLayout(Flat &graph) : graph(graph), count(int(graph.boxes.size())) {}

  void run() {
    graph.bends.resize(graph.edges.size());
    if (!count)
      return;
    dropCycles();
    chooseLayers();
    routeEdges();
    orderLayers();
    place();
  }

private:
  // Keeps the edges of a depth-first search that do not go back to where it came from.
  void dropCycles() {
    std::vector<std::vector<int>> out(count); // edges
    for (size_t edge = 0; edge < graph.edges.size(); ++edge)
      if (graph.edges[edge].first != graph.edges[edge].second)
        out[graph.edges[edge].first].push_back(int(edge));
    users.resize(count);
    makers.resize(count);
    std::vector<char> state(count, 0); // 0: new, 1: on the path, 2: done
    for (int root = 0; root < count; ++root) {
      if (state[root])
        continue;
      std::vector<std::pair<int, size_t>> path{{root, 0}};
      state[root] = 1;
      while (!path.empty()) {
        auto &[node, next] = path.back();
        if (next == out[node].size()) {
          state[node] = 2;
          path.pop_back();
          continue;
        }
        int target = graph.edges[out[node][next++]].second;
        if (state[target] == 1)
          continue;
        users[node].push_back(target);
        makers[target].push_back(node);
        if (!state[target]) {
          state[target] = 1;
          path.push_back({target, 0});
        }
      }
    }
    // Makers first, else in the order given, which is that of the program: what is written together
    // stays together.
    std::vector<size_t> missing(count);
    std::priority_queue<int, std::vector<int>, std::greater<>> ready;
    for (int node = 0; node < count; ++node)
      if (!(missing[node] = makers[node].size()))
        ready.push(node);
    while (!ready.empty()) {
      int node = ready.top();
      ready.pop();
      inOrder.push_back(node);
      for (int user : users[node])
        if (!--missing[user])
          ready.push(user);
    }
  }

  void chooseLayers() {
    double area = 0, widest = 0;
    for (const Box &box : graph.boxes) {
      area += (box.width + kGapX) * (box.height + kGapY);
      widest = std::max(widest, box.width);
    }
    double most = std::max({std::sqrt(area * kAspect), widest, 600.0});
    layerOf.assign(count, 0);
    std::vector<double> used;
    auto put = [&](int node, int layer, bool mayPassOn) {
      double width = graph.boxes[node].width + kGapX;
      for (;; ++layer) {
        if (layer >= int(used.size()))
          used.resize(layer + 1, 0);
        if (!mayPassOn || used[layer] == 0 || used[layer] + width <= most)
          break;
      }
      used[layer] += width;
      layerOf[node] = layer;
    };
    for (int node : inOrder)
      if (!makers[node].empty()) {
        int layer = 1;
        for (int maker : makers[node])
          layer = std::max(layer, layerOf[maker] + 1);
        put(node, layer, true);
      }
    for (int node : inOrder)
      if (makers[node].empty() && users[node].empty())
        put(node, 0, true);
    // What has fewer makers than users stands near its users; makers that are themselves made of
    // one value from outside come along and do not count. Nodes without makers stand nowhere yet;
    // they go where they are used, in however full a layer.
    std::vector<char> comesAlong(count);
    for (int node : inOrder)
      comesAlong[node] =
          makers[node].empty() || (makers[node].size() == 1 && comesAlong[makers[node].front()]);
    for (int node : std::vector<int>(inOrder.rbegin(), inOrder.rend())) {
      if (users[node].empty())
        continue;
      int lowest = layerOf[users[node].front()] - 1;
      for (int user : users[node])
        lowest = std::min(lowest, layerOf[user] - 1);
      double width = graph.boxes[node].width + kGapX;
      if (makers[node].empty()) {
        layerOf[node] = std::max(lowest, 0);
        used[layerOf[node]] += width;
        continue;
      }
      size_t inner = std::count_if(makers[node].begin(), makers[node].end(),
                                   [&](int maker) { return !comesAlong[maker]; });
      if (inner >= users[node].size())
        continue;
      while (lowest > layerOf[node] && used[lowest] + width > most)
        --lowest;
      if (lowest > layerOf[node]) {
        used[layerOf[node]] -= width;
        used[lowest] += width;
        layerOf[node] = lowest;
      }
    }
    // Layers that nothing is in.
    std::vector<int> newLayer(used.size());
    int layers = 0;
    for (size_t layer = 0; layer < used.size(); ++layer)
      newLayer[layer] = used[layer] > 0.5 ? layers++ : layers;
    for (int &layer : layerOf)
      layer = newLayer[layer];
    this->layers.resize(layers);
  }

  // Edges that pass layers get an item of no width in each of them; those of one source share it.
  void routeEdges() {
    items = count;
    above.resize(count);
    below.resize(count);
    bendItems.resize(graph.edges.size());
    auto connect = [&](int upper, int lower) {
      below[upper].push_back(lower);
      above[lower].push_back(upper);
    };
    std::vector<int> lowest = layerOf; // that a line of each source leads to
    for (auto [from, to] : graph.edges)
      lowest[from] = std::max(lowest[from], layerOf[to]);
    int64_t places = 0;
    for (int node = 0; node < count; ++node)
      places += std::max(lowest[node] - layerOf[node] - 1, 0);
    const int mostBends = places > kMostPlaces ? kMostBends : int(layers.size());
    std::vector<std::vector<int>> passing(count); // items of each source, layer by layer
    for (size_t edge = 0; edge < graph.edges.size(); ++edge) {
      auto [from, to] = graph.edges[edge];
      int span = layerOf[to] - layerOf[from];
      if (span <= 0 || span - 1 > mostBends)
        continue; // pulls nothing
      std::vector<int> &passed = passing[from];
      while (int(passed.size()) < span - 1) {
        int item = items++;
        above.emplace_back();
        below.emplace_back();
        layerOf.push_back(layerOf[from] + int(passed.size()) + 1);
        connect(passed.empty() ? from : passed.back(), item);
        passed.push_back(item);
      }
      bendItems[edge].assign(passed.begin(), passed.begin() + span - 1);
      connect(span == 1 ? from : passed[span - 2], to);
    }
    for (int item = 0; item < items; ++item)
      layers[layerOf[item]].push_back(item);
  }

  double widthOf(int item) const { return item < count ? graph.boxes[item].width : 2; }
  double gapAfter(int item) const { return item < count ? kGapX : 4; }

  // The best order of many: sweeps down and up by where neighbours are, by their mean and by their
  // median, then neighbours that cross less the other way round change places. There are several
  // orders at the start, that of the program and those of walks along the lines.
  void orderLayers() {
    position.assign(items, 0);
    const std::vector<std::vector<int>> given = layers;
    const int rounds = items < kManyItems ? kOrderRounds : kOrderRounds / 4;
    for (Start start : {Start::Program, Start::WalkUp, Start::WalkAround}) {
      layers = start == Start::Program ? given : walk(given, start == Start::WalkAround);
      for (auto &layer : layers)
        renumber(layer);
      keepIfBest();
      int sinceBest = 0;
      for (int round = 0; round < rounds && bestCrossings && sinceBest < kPatience; ++round) {
        bool isMedian = round % 2;
        for (size_t i = 1; i < layers.size(); ++i)
          sortBy(layers[i], above, isMedian);
        for (size_t i = layers.size() - 1; i-- > 0;)
          sortBy(layers[i], below, isMedian);
        exchange();
        sinceBest = keepIfBest() ? 0 : sinceBest + 1;
      }
    }
    layers = std::move(best);
    for (auto &layer : layers)
      renumber(layer);
    for (auto &layer : layers)
      centerPassing(layer);
  }

  void renumber(const std::vector<int> &layer) {
    for (size_t k = 0; k < layer.size(); ++k)
      position[layer[k]] = int(k);
  }

  // Each layer in the order in which walks come by that start where nothing is below. They go up;
  // or first to what hangs below, then up, where lines of trees, either way up, do not cross.
  std::vector<std::vector<int>> walk(const std::vector<std::vector<int>> &given, bool isAround) {
    std::vector<std::vector<int>> walked(given.size());
    std::vector<char> seen(items);
    for (auto layer = given.rbegin(); layer != given.rend(); ++layer)
      for (int root : *layer) {
        std::vector<int> open;
        if (!isAround || below[root].empty())
          open.push_back(root);
        while (!open.empty()) {
          int item = open.back();
          open.pop_back();
          if (std::exchange(seen[item], 1))
            continue;
          walked[layerOf[item]].push_back(item);
          open.insert(open.end(), above[item].rbegin(), above[item].rend());
          if (isAround)
            open.insert(open.end(), below[item].rbegin(), below[item].rend());
        }
      }
    return walked;
  }

  // Of items that hang on one, the line that goes on hangs in the middle, as far as it crosses no
  // more there: at an end of each layer it would drift far to one side.
  void centerPassing(std::vector<int> &layer) {
    auto hangOnOne = [&](int a, int b) { return above[a].size() == 1 && above[a] == above[b]; };
    for (size_t first = 0, end; first < layer.size(); first = end) {
      for (end = first + 1; end < layer.size() && hangOnOne(layer[first], layer[end]);)
        ++end;
      auto isPassing = [&](int item) { return item >= count; };
      size_t at = size_t(std::find_if(layer.begin() + first, layer.begin() + end, isPassing) -
                         layer.begin());
      if (at == end)
        continue;
      const std::vector<int> own = placesOf(below[layer[at]]);
      for (size_t middle = (first + end) / 2; at != middle;) {
        size_t next = at < middle ? at + 1 : at - 1;
        const std::vector<int> other = placesOf(below[layer[next]]);
        const auto &[left, right] = at < next ? std::tie(own, other) : std::tie(other, own);
        if (crossingsOf(right, left) > crossingsOf(left, right))
          break;
        std::swap(layer[at], layer[next]);
        at = next;
      }
    }
    renumber(layer);
  }

  // What has no neighbours there keeps its place.
  void sortBy(std::vector<int> &layer, const std::vector<std::vector<int>> &near, bool isMedian) {
    std::vector<std::pair<double, int>> keyed;
    for (int item : layer)
      if (!near[item].empty())
        keyed.push_back({isMedian ? medianOf(near[item]) : meanOf(near[item]), item});
    std::sort(keyed.begin(), keyed.end(), [&](const auto &a, const auto &b) {
      return std::pair(a.first, position[a.second]) < std::pair(b.first, position[b.second]);
    });
    size_t next = 0;
    for (int &item : layer)
      if (!near[item].empty())
        item = keyed[next++].second;
    renumber(layer);
  }
  double meanOf(const std::vector<int> &near) const {
    double sum = 0;
    for (int other : near)
      sum += position[other];
    return sum / double(near.size());
  }
  double medianOf(const std::vector<int> &near) const {
    std::vector<int> places = placesOf(near);
    size_t middle = places.size() / 2;
    return places.size() % 2 ? places[middle] : (places[middle - 1] + places[middle]) / 2.0;
  }
  std::vector<int> placesOf(const std::vector<int> &near) const {
    std::vector<int> places;
    for (int other : near)
      places.push_back(position[other]);
    std::sort(places.begin(), places.end());
    return places;
  }

  // Pairs of which the left one's neighbour is right of the right one's.
  static int64_t crossingsOf(const std::vector<int> &left, const std::vector<int> &right) {
    int64_t count = 0;
    size_t smaller = 0;
    for (int place : left) {
      while (smaller < right.size() && right[smaller] < place)
        ++smaller;
      count += int64_t(smaller);
    }
    return count;
  }

  void exchange() {
    bool isBetter = true;
    for (int pass = 0; isBetter && pass < kExchanges; ++pass) {
      isBetter = false;
      for (auto &layer : layers) {
        if (layer.size() < 2)
          continue;
        auto up = placesOf(above[layer[0]]), down = placesOf(below[layer[0]]);
        for (size_t k = 0; k + 1 < layer.size(); ++k) {
          auto nextUp = placesOf(above[layer[k + 1]]), nextDown = placesOf(below[layer[k + 1]]);
          if (crossingsOf(nextUp, up) + crossingsOf(nextDown, down) <
              crossingsOf(up, nextUp) + crossingsOf(down, nextDown)) {
            std::swap(layer[k], layer[k + 1]);
            isBetter = true;
          } else {
            up = std::move(nextUp);
            down = std::move(nextDown);
          }
        }
        renumber(layer);
      }
    }
  }

  bool keepIfBest() {
    int64_t crossings = 0;
    for (size_t i = 0; i + 1 < layers.size(); ++i)
      crossings += crossingsBelow(i);
    if (bestCrossings >= 0 && crossings >= bestCrossings)
      return false;
    bestCrossings = crossings;
    best = layers;
    return true;
  }

  // Between a layer and the next: inversions, counted in a tree of sums.
  int64_t crossingsBelow(size_t upper) const {
    std::vector<int64_t> sums(layers[upper + 1].size() + 1, 0);
    int64_t count = 0, before = 0;
    for (int item : layers[upper]) {
      std::vector<int> places = placesOf(below[item]);
      for (int place : places) {
        int64_t notRight = 0;
        for (size_t at = size_t(place) + 1; at; at &= at - 1)
          notRight += sums[at];
        count += before - notRight;
      }
      for (int place : places)
        for (size_t at = size_t(place) + 1; at < sums.size(); at += at & (~at + 1))
          ++sums[at];
      before += int64_t(places.size());
    }
    return count;
  }

  void place() {
    center.assign(items, 0);
    for (const auto &layer : layers) {
      double width = 0;
      for (int item : layer)
        width += widthOf(item) + gapAfter(item);
      double x = -width / 2;
      for (int item : layer) {
        center[item] = x + widthOf(item) / 2;
        x += widthOf(item) + gapAfter(item);
      }
    }
    for (int sweep = 0; sweep < kPlaceSweeps; ++sweep) {
      bool down = sweep % 2 == 0;
      for (size_t i = 0; i < layers.size(); ++i)
        pull(layers[down ? i : layers.size() - 1 - i], down);
    }
    finish();
  }

  // Each item wants to be at the mean of its neighbours. Items that want to be in the same place
  // form a block that is centred where its members want it on average.
  void pull(const std::vector<int> &layer, bool down) {
    struct Block {
      double sum, weight, width; // sum of wishes for the left end
      size_t first;
      double left() const { return sum / weight; }
    };
    std::vector<Block> blocks;
    for (size_t k = 0; k < layer.size(); ++k) {
      int item = layer[k];
      const auto &near = down ? above[item] : below[item];
      double wish = center[item], weight = 0.1;
      if (!near.empty()) {
        double total = 0;
        wish = 0;
        for (int other : near) {
          // What nothing makes follows its users, else a chain would drift towards its constants.
          double pull = down && above[other].empty() ? 0.05 : 1;
          wish += center[other] * pull;
          total += pull;
        }
        wish /= total;
        weight = above[item].empty() ? 0.05 : 1 + 0.2 * total;
      }
      double width = widthOf(item) + gapAfter(item);
      blocks.push_back({(wish - widthOf(item) / 2) * weight, weight, width, k});
      while (blocks.size() > 1) {
        Block &left = blocks[blocks.size() - 2], &right = blocks.back();
        if (left.left() + left.width <= right.left())
          break;
        left.sum += right.sum - left.width * right.weight;
        left.weight += right.weight;
        left.width += right.width;
        blocks.pop_back();
      }
    }
    for (size_t b = 0; b < blocks.size(); ++b) {
      double x = blocks[b].left();
      size_t end = b + 1 < blocks.size() ? blocks[b + 1].first : layer.size();
      for (size_t k = blocks[b].first; k < end; ++k) {
        center[layer[k]] = x + widthOf(layer[k]) / 2;
        x += widthOf(layer[k]) + gapAfter(layer[k]);
      }
    }
  }

  void finish() {
    double least = 0, y = 0;
    for (int item = 0; item < items; ++item)
      least = item ? std::min(least, center[item] - widthOf(item) / 2)
                   : center[item] - widthOf(item) / 2;
    std::vector<double> middle(layers.size());
    for (size_t i = 0; i < layers.size(); ++i) {
      double height = 0;
      for (int item : layers[i])
        if (item < count)
          height = std::max(height, graph.boxes[item].height);
      for (int item : layers[i])
        if (item < count) {
          Box &box = graph.boxes[item];
          box.x = center[item] - box.width / 2 - least;
          box.y = y + (height - box.height) / 2;
          graph.width = std::max(graph.width, box.x + box.width);
        }
      middle[i] = y + height / 2;
      y += height + kGapY;
    }
    graph.height = y - kGapY;
    for (size_t edge = 0; edge < graph.edges.size(); ++edge)
      for (int item : bendItems[edge]) {
        Point point{center[item] - least, middle[layerOf[item]]};
        graph.width = std::max(graph.width, point.x);
        graph.bends[edge].push_back(point);
      }
  }

  Flat &graph;
  int count; // boxes; items beyond are bends
  int items = 0;
  std::vector<int> inOrder, layerOf, position;
  std::vector<std::vector<int>> users, makers;
  std::vector<std::vector<int>> layers, above, below;
  std::vector<std::vector<int>> bendItems; // of each edge
  std::vector<std::vector<int>> best;      // layers with so many crossings
  int64_t bestCrossings = -1;
  std::vector<double> center;
};

} // namespace

LayoutResult keratin::dump::layOut(const LayoutInput &input) {
  LayoutResult result;
  result.nodes.resize(input.nodes.size());
  result.groups.resize(input.groups);
  result.bends.resize(input.edges.size());

  // Each group by itself.
  std::vector<std::vector<int>> members(input.groups);
  std::vector<int> placeInGroup(input.nodes.size(), 0);
  for (size_t i = 0; i < input.nodes.size(); ++i)
    if (int group = input.nodes[i].group; group >= 0) {
      placeInGroup[i] = int(members[group].size());
      members[group].push_back(int(i));
    }
  std::vector<Flat> inner(input.groups);
  std::vector<std::vector<int>> innerEdges(input.groups);
  for (int group = 0; group < input.groups; ++group)
    for (int node : members[group])
      inner[group].boxes.push_back({0, 0, input.nodes[node].width, input.nodes[node].height});
  for (size_t edge = 0; edge < input.edges.size(); ++edge) {
    auto [from, to] = input.edges[edge];
    int group = input.nodes[from].group;
    if (group >= 0 && group == input.nodes[to].group) {
      inner[group].edges.push_back({placeInGroup[from], placeInGroup[to]});
      innerEdges[group].push_back(int(edge));
    }
  }

  // Then the groups and the other nodes, in the order in which they first stand.
  Flat outer;
  std::vector<int> outerOf(input.nodes.size(), -1), outerOfGroup(input.groups, -1);
  for (size_t i = 0; i < input.nodes.size(); ++i) {
    int group = input.nodes[i].group;
    if (group < 0) {
      outerOf[i] = int(outer.boxes.size());
      outer.boxes.push_back({0, 0, input.nodes[i].width, input.nodes[i].height});
      continue;
    }
    if (outerOfGroup[group] < 0) {
      FlatLayout(inner[group]).run();
      outerOfGroup[group] = int(outer.boxes.size());
      outer.boxes.push_back({0, 0, std::max(inner[group].width, 150.0) + 2 * kPadding,
                             inner[group].height + 2 * kPadding + kTitle});
    }
    outerOf[i] = outerOfGroup[group];
  }
  std::set<std::pair<int, int>> seen;
  std::vector<int> outerEdge(input.edges.size(), -1);
  for (size_t edge = 0; edge < input.edges.size(); ++edge) {
    std::pair<int, int> ends{outerOf[input.edges[edge].first], outerOf[input.edges[edge].second]};
    if (ends.first == ends.second || !seen.insert(ends).second)
      continue;
    outerEdge[edge] = int(outer.edges.size());
    outer.edges.push_back(ends);
  }
  FlatLayout(outer).run();

  for (int group = 0; group < input.groups; ++group) {
    if (outerOfGroup[group] < 0)
      continue;
    Box &box = result.groups[group] = outer.boxes[outerOfGroup[group]];
    double dx = box.x + (box.width - inner[group].width) / 2, dy = box.y + kPadding + kTitle;
    for (size_t k = 0; k < members[group].size(); ++k) {
      Box place = inner[group].boxes[k];
      place.x += dx;
      place.y += dy;
      result.nodes[members[group][k]] = place;
    }
    for (size_t k = 0; k < innerEdges[group].size(); ++k)
      for (Point point : inner[group].bends[k])
        result.bends[innerEdges[group][k]].push_back({point.x + dx, point.y + dy});
  }
  for (size_t i = 0; i < input.nodes.size(); ++i)
    if (input.nodes[i].group < 0)
      result.nodes[i] = outer.boxes[outerOf[i]];
  for (size_t edge = 0; edge < input.edges.size(); ++edge)
    if (outerEdge[edge] >= 0)
      result.bends[edge] = outer.bends[outerEdge[edge]];
  result.width = outer.width;
  result.height = outer.height;
  return result;
}
