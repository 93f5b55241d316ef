#include "passes/sparsity/Colouring.h"

#include <algorithm>
#include <bit>
#include <numeric>

using namespace keratin::passes;

namespace {

// A set of colours, as bits: as long as its largest, since most have few.
class ColourSet {
public:
  bool contains(int64_t colour) const {
    return colour / 64 < int64_t(words.size()) && words[colour / 64] >> colour % 64 & 1;
  }
  void insert(int64_t colour) {
    if (colour / 64 >= int64_t(words.size()))
      words.resize(colour / 64 + 1);
    words[colour / 64] |= uint64_t(1) << colour % 64;
  }
  void operator|=(const ColourSet &other) {
    if (other.words.size() > words.size())
      words.resize(other.words.size());
    for (size_t i = 0; i < other.words.size(); ++i)
      words[i] |= other.words[i];
  }
  int32_t leastAbsent() const {
    size_t i = 0;
    while (i < words.size() && words[i] == ~uint64_t(0))
      ++i;
    return int32_t(i * 64 + (i < words.size() ? std::countr_one(words[i]) : 0));
  }
  void clear() { words.clear(); }

private:
  std::vector<uint64_t> words;
};

} // namespace

// Of the rows of the pattern.
static std::vector<int64_t> inOrder(const SparsityPattern &pattern, ColouringOrder order) {
  std::vector<int64_t> result(pattern.rows);
  std::iota(result.begin(), result.end(), 0);
  if (order == ColouringOrder::LargestFirst)
    std::ranges::sort(result, [&](int64_t i, int64_t j) {
      const size_t ofI = pattern.row(i).size(), ofJ = pattern.row(j).size();
      return ofI != ofJ ? ofI > ofJ : i < j;
    });
  return result;
}

static Colouring uncoloured(int64_t count) { return {std::vector<int32_t>(count, -1), 0}; }

Colouring keratin::passes::colourColumns(const SparsityPattern &pattern, ColouringOrder order) {
  const SparsityPattern byColumns = pattern.transposed();
  Colouring result = uncoloured(pattern.columns);
  std::vector<ColourSet> ofRow(pattern.rows);
  ColourSet forbidden;
  for (int64_t column : inOrder(byColumns, order)) {
    forbidden.clear();
    for (uint32_t row : byColumns.row(column))
      forbidden |= ofRow[row];
    const int32_t colour = result.colours[column] = forbidden.leastAbsent();
    result.count = std::max<int64_t>(result.count, colour + 1);
    for (uint32_t row : byColumns.row(column))
      ofRow[row].insert(colour);
  }
  return result;
}

namespace {

// What is known of the neighbours of the vertices, so that each path of four vertices is found at
// the last of them to be coloured, without walking along it.
class StarColouring {
public:
  explicit StarColouring(const SparsityPattern &graph)
      : graph(graph), result(uncoloured(graph.rows)), once(graph.rows), twice(graph.rows),
        hubs(graph.rows) {}

  Colouring run(ColouringOrder order) {
    for (int64_t vertex : inOrder(graph, order))
      colour(vertex);
    return std::move(result);
  }

private:
  int32_t colourOf(uint32_t vertex) const { return result.colours[vertex]; }

  template <typename Visit> void forEachColoured(int64_t vertex, Visit visit) const {
    for (uint32_t neighbour : graph.row(vertex))
      if (neighbour != vertex && colourOf(neighbour) >= 0)
        visit(neighbour);
  }

  void colour(int64_t v) {
    forbidden.clear();
    forEachColoured(v, [&](uint32_t w) {
      forbidden.insert(colourOf(w));
      // v - w - x - y, of w's colour again at y.
      forbidden |= hubs[w];
      // x - w - v - y, of w's colour again at y.
      if (twice[v].contains(colourOf(w)))
        forbidden |= once[w];
    });
    const int32_t c = result.colours[v] = forbidden.leastAbsent();
    result.count = std::max<int64_t>(result.count, c + 1);
    forEachColoured(v, [&](uint32_t w) {
      if (twice[v].contains(colourOf(w)))
        hubs[w].insert(c);
    });
    for (uint32_t w : graph.row(v))
      if (w != v)
        addNeighbour(w, v, c);
  }

  // v, which has got its colour, is next to w.
  void addNeighbour(uint32_t w, int64_t v, int32_t c) {
    if (!once[w].contains(c)) {
      once[w].insert(c);
      return;
    }
    const bool isSecond = !twice[w].contains(c);
    twice[w].insert(c);
    if (colourOf(w) < 0)
      return; // told when it gets its colour
    hubs[v].insert(colourOf(w));
    if (isSecond)
      forEachColoured(w, [&](uint32_t u) {
        if (colourOf(u) == c)
          hubs[u].insert(colourOf(w));
      });
  }

  const SparsityPattern &graph;
  Colouring result;
  // Of each vertex, the colours that one neighbour has at least, and two;
  std::vector<ColourSet> once, twice;
  // those of the neighbours that have another neighbour of the vertex's own colour.
  std::vector<ColourSet> hubs;
  ColourSet forbidden;
};

} // namespace

Colouring keratin::passes::colourStars(const SparsityPattern &symmetric, ColouringOrder order) {
  return StarColouring(symmetric).run(order);
}

std::vector<int64_t> keratin::passes::placesByColumns(const SparsityPattern &pattern,
                                                      const Colouring &columns) {
  std::vector<int64_t> places;
  places.reserve(pattern.entries());
  for (int64_t i = 0; i < pattern.rows; ++i)
    for (uint32_t j : pattern.row(i))
      places.push_back(columns.colours[j] * pattern.rows + i);
  return places;
}

std::vector<int64_t> keratin::passes::placesByRows(const SparsityPattern &pattern,
                                                   const Colouring &rows) {
  std::vector<int64_t> places;
  places.reserve(pattern.entries());
  for (int64_t i = 0; i < pattern.rows; ++i)
    for (uint32_t j : pattern.row(i))
      places.push_back(rows.colours[i] * pattern.columns + j);
  return places;
}

std::vector<int64_t> keratin::passes::placesByStars(const SparsityPattern &symmetric,
                                                    const Colouring &stars) {
  std::vector<int64_t> places;
  places.reserve(symmetric.entries());
  // How many columns of each colour the row has.
  std::vector<uint32_t> inRow(stars.count);
  for (int64_t i = 0; i < symmetric.rows; ++i) {
    for (uint32_t j : symmetric.row(i))
      ++inRow[stars.colours[j]];
    for (uint32_t j : symmetric.row(i)) {
      const bool isAlone = inRow[stars.colours[j]] == 1;
      places.push_back(isAlone ? stars.colours[j] * symmetric.rows + i
                               : stars.colours[i] * symmetric.rows + int64_t(j));
    }
    for (uint32_t j : symmetric.row(i))
      inRow[stars.colours[j]] = 0;
  }
  return places;
}
