#include "tools/keratin-dump/Layout.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <set>

using namespace keratin::dump;

namespace {

constexpr double kGapX = 18, kGapY = 34;
constexpr double kPadding = 12, kTitle = 22; // of a group
constexpr int kOrderSweeps = 8, kPlaceSweeps = 9;
// A longer edge is drawn straight across: what goes round everything else is not read anyway.
constexpr int kMostBends = 6;
// Width to height that the page has about.
constexpr double kAspect = 1.8;

// A graph without groups.
struct Flat {
  std::vector<Box> boxes; // sizes given, places found
  std::vector<std::pair<int, int>> edges;
  std::vector<std::vector<Point>> bends;
  double width = 0, height = 0;
};

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

  // Edges that pass layers get an item of no width in each of them.
  void routeEdges() {
    items = count;
    above.resize(count);
    below.resize(count);
    bendItems.resize(graph.edges.size());
    auto connect = [&](int upper, int lower) {
      below[upper].push_back(lower);
      above[lower].push_back(upper);
    };
    for (size_t edge = 0; edge < graph.edges.size(); ++edge) {
      auto [from, to] = graph.edges[edge];
      int span = layerOf[to] - layerOf[from];
      if (span <= 0)
        continue;
      int upper = from;
      if (span - 1 <= kMostBends)
        for (int layer = layerOf[from] + 1; layer < layerOf[to]; ++layer) {
          int item = items++;
          above.emplace_back();
          below.emplace_back();
          layerOf.push_back(layer);
          bendItems[edge].push_back(item);
          connect(upper, item);
          upper = item;
        }
      else
        continue; // pulls nothing
      connect(upper, to);
    }
    for (int item = 0; item < items; ++item)
      layers[layerOf[item]].push_back(item);
  }

  double widthOf(int item) const { return item < count ? graph.boxes[item].width : 2; }
  double gapAfter(int item) const { return item < count ? kGapX : 4; }

  void orderLayers() {
    position.assign(items, 0);
    for (auto &layer : layers)
      renumber(layer);
    for (int sweep = 0; sweep < kOrderSweeps; ++sweep) {
      bool down = sweep % 2 == 0;
      for (size_t i = 0; i < layers.size(); ++i) {
        auto &layer = layers[down ? i : layers.size() - 1 - i];
        std::vector<std::pair<double, int>> keyed;
        for (int item : layer) {
          const auto &near = down ? above[item] : below[item];
          double sum = 0;
          for (int other : near)
            sum += relative(other);
          keyed.push_back({near.empty() ? relative(item) : sum / double(near.size()), item});
        }
        std::sort(keyed.begin(), keyed.end(), [&](const auto &a, const auto &b) {
          return std::pair(a.first, position[a.second]) < std::pair(b.first, position[b.second]);
        });
        for (size_t k = 0; k < layer.size(); ++k)
          layer[k] = keyed[k].second;
        renumber(layer);
      }
    }
  }

  void renumber(const std::vector<int> &layer) {
    for (size_t k = 0; k < layer.size(); ++k)
      position[layer[k]] = int(k);
  }
  // Places in layers of different lengths are compared by their share.
  double relative(int item) const {
    return (position[item] + 0.5) / double(layers[layerOf[item]].size());
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
