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

Colouring keratin::passes::uncoloured(int64_t count) {
  return {std::vector<int32_t>(count, -1), 0};
}

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

// Of the rows that have more entries than so many, or of the others; the rest is empty.
static SparsityPattern rowsOf(const SparsityPattern &pattern, int64_t most, bool areFuller) {
  SparsityPattern result{pattern.rows, pattern.columns, {0}, {}};
  for (int64_t i = 0; i < pattern.rows; ++i) {
    const auto row = pattern.row(i);
    if ((int64_t(row.size()) > most) == areFuller)
      result.indices.insert(result.indices.end(), row.begin(), row.end());
    result.starts.push_back(int64_t(result.indices.size()));
  }
  return result;
}

Colouring keratin::passes::bestColouringOfRows(const SparsityPattern &pattern) {
  return bestColouring(pattern.transposed(), colourColumns);
}

// What one of the rows has at most: no fewer colours of columns will do.
static int64_t fullestRow(const SparsityPattern &pattern) {
  size_t most = 0;
  for (int64_t i = 0; i < pattern.rows; ++i)
    most = std::max(most, pattern.row(i).size());
  return int64_t(most);
}

static int64_t fullestColumn(const SparsityPattern &pattern) {
  std::vector<int64_t> counts(pattern.columns);
  for (uint32_t j : pattern.indices)
    ++counts[j];
  return counts.empty() ? 0 : *std::ranges::max_element(counts);
}

// Columns, and the rows that have more entries than half as many as the fullest, a quarter, ….
static TwoWayColouring colourColumnsAndFullRows(const SparsityPattern &pattern) {
  TwoWayColouring best{bestColouring(pattern, colourColumns), uncoloured(pattern.rows)};
  for (int64_t most = fullestRow(pattern) / 2; most > 0; most /= 2) {
    const SparsityPattern full = rowsOf(pattern, most, true), rest = rowsOf(pattern, most, false);
    if (fullestRow(rest) + fullestColumn(full) >= best.count())
      continue;
    TwoWayColouring next{bestColouring(rest, colourColumns), bestColouringOfRows(full)};
    if (next.count() >= best.count())
      continue;
    for (int64_t i = 0; i < pattern.rows; ++i)
      if (full.row(i).empty())
        next.rows.colours[i] = -1;
    best = std::move(next);
  }
  return best;
}

TwoWayColouring keratin::passes::colourBothWays(const SparsityPattern &pattern) {
  TwoWayColouring best = colourColumnsAndFullRows(pattern);
  TwoWayColouring turned = colourColumnsAndFullRows(pattern.transposed());
  if (turned.count() < best.count())
    best = {std::move(turned.rows), std::move(turned.columns)};
  return best;
}

namespace {

// How many columns of a row have each colour.
class RowColours {
public:
  explicit RowColours(const Colouring &columns) : columns(columns), counts(columns.count) {}

  void enter(std::span<const uint32_t> row) {
    for (uint32_t j : row)
      if (columns.colours[j] >= 0)
        ++counts[columns.colours[j]];
  }
  bool isAlone(uint32_t j) const {
    return columns.colours[j] >= 0 && counts[columns.colours[j]] == 1;
  }
  void leave(std::span<const uint32_t> row) {
    for (uint32_t j : row)
      if (columns.colours[j] >= 0)
        counts[columns.colours[j]] = 0;
  }

private:
  const Colouring &columns;
  std::vector<uint32_t> counts;
};

} // namespace

std::vector<int64_t> keratin::passes::placesByStars(const SparsityPattern &symmetric,
                                                    const Colouring &stars) {
  std::vector<int64_t> places;
  places.reserve(symmetric.entries());
  RowColours inRow(stars);
  for (int64_t i = 0; i < symmetric.rows; ++i) {
    inRow.enter(symmetric.row(i));
    for (uint32_t j : symmetric.row(i))
      places.push_back(inRow.isAlone(j) ? stars.colours[j] * symmetric.rows + i
                                        : stars.colours[i] * symmetric.rows + int64_t(j));
    inRow.leave(symmetric.row(i));
  }
  return places;
}

std::vector<int64_t> keratin::passes::placesByBoth(const SparsityPattern &pattern,
                                                   const TwoWayColouring &both) {
  std::vector<int64_t> places;
  places.reserve(pattern.entries());
  const int64_t ofColumns = both.columns.count * pattern.rows;
  RowColours inRow(both.columns);
  for (int64_t i = 0; i < pattern.rows; ++i) {
    inRow.enter(pattern.row(i));
    for (uint32_t j : pattern.row(i))
      places.push_back(inRow.isAlone(j)
                           ? both.columns.colours[j] * pattern.rows + i
                           : ofColumns + both.rows.colours[i] * pattern.columns + int64_t(j));
    inRow.leave(pattern.row(i));
  }
  return places;
}
