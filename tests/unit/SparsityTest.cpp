// Sets, patterns and colourings against their definitions, on random matrices.
#include "passes/sparsity/Colouring.h"
#include "passes/sparsity/IndexSets.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <set>

using namespace keratin::passes;

namespace {

using Members = std::set<uint32_t>;

Members membersOf(const IndexSets &sets, IndexSets::Id id) {
  auto members = sets.members(id);
  REQUIRE(std::is_sorted(members.begin(), members.end()));
  return {members.begin(), members.end()};
}

SparsityPattern patternOf(int64_t rows, int64_t columns,
                          const std::set<std::pair<int64_t, int64_t>> &places) {
  SparsityPattern pattern{rows, columns, {0}, {}};
  auto next = places.begin();
  for (int64_t i = 0; i < rows; ++i) {
    for (; next != places.end() && next->first == i; ++next)
      pattern.indices.push_back(uint32_t(next->second));
    pattern.starts.push_back(pattern.entries());
  }
  return pattern;
}

SparsityPattern randomPattern(std::mt19937 &random, int64_t rows, int64_t columns, int64_t count) {
  std::set<std::pair<int64_t, int64_t>> places;
  for (int64_t k = 0; k < count && rows && columns; ++k)
    places.emplace(random() % rows, random() % columns);
  return patternOf(rows, columns, places);
}

SparsityPattern banded(int64_t size, int64_t width) {
  std::set<std::pair<int64_t, int64_t>> places;
  for (int64_t i = 0; i < size; ++i)
    for (int64_t j = std::max<int64_t>(0, i - width); j <= std::min(size - 1, i + width); ++j)
      places.emplace(i, j);
  return patternOf(size, size, places);
}

// A different number at each entry; of a symmetric pattern a symmetric matrix.
double element(int64_t i, int64_t j, bool isSymmetric) {
  if (isSymmetric && i > j)
    std::swap(i, j);
  return 1 + double(i) * 1000 + double(j);
}

// The products of the columns and of the rows of each colour hold each entry where the places say.
void checkRecovery(const SparsityPattern &pattern, const TwoWayColouring &both,
                   const std::vector<int64_t> &places, bool isSymmetric) {
  REQUIRE(int64_t(both.columns.colours.size()) == pattern.columns);
  REQUIRE(int64_t(both.rows.colours.size()) == pattern.rows);
  const int64_t ofColumns = both.columns.count * pattern.rows;
  std::vector<double> products(ofColumns + both.rows.count * pattern.columns);
  for (int64_t i = 0; i < pattern.rows; ++i)
    for (uint32_t j : pattern.row(i)) {
      if (int64_t colour = both.columns.colours[j]; colour >= 0)
        products[colour * pattern.rows + i] += element(i, j, isSymmetric);
      if (int64_t colour = both.rows.colours[i]; colour >= 0)
        products[ofColumns + colour * pattern.columns + j] += element(i, j, isSymmetric);
    }
  REQUIRE(int64_t(places.size()) == pattern.entries());
  bool isRight = true;
  for (int64_t i = 0; i < pattern.rows; ++i)
    for (int64_t k = pattern.starts[i]; k < pattern.starts[i + 1]; ++k)
      isRight &= products[places[k]] == element(i, pattern.indices[k], isSymmetric);
  CHECK(isRight);
}

void checkRecovery(const SparsityPattern &pattern, const TwoWayColouring &both) {
  checkRecovery(pattern, both, placesByBoth(pattern, both), false);
}

} // namespace

TEST_CASE("unions are those of the members, and equal sets have equal numbers", "[sparsity]") {
  std::mt19937 random(1);
  for (int64_t count : {1, 5, 63, 64, 65, 4000}) {
    IndexSets sets(count, 1 << 24);
    std::map<Members, IndexSets::Id> numbers{{{}, 0}};
    std::vector<IndexSets::Id> made{0};
    for (int64_t i = 0; i < count; ++i) {
      made.push_back(IndexSets::single(i));
      numbers[{uint32_t(i)}] = made.back();
    }
    for (int step = 0; step < 300; ++step) {
      std::vector<IndexSets::Id> ids(random() % 5);
      Members expected;
      for (IndexSets::Id &id : ids) {
        id = made[random() % made.size()];
        for (uint32_t member : membersOf(sets, id))
          expected.insert(member);
      }
      IndexSets::Id found = ids.size() == 2 ? sets.unionOf(ids[0], ids[1]) : sets.unionOf(ids);
      REQUIRE(membersOf(sets, found) == expected);
      REQUIRE(numbers.try_emplace(expected, found).first->second == found);
      made.push_back(found);
    }
    CHECK_FALSE(sets.isFull());
  }
}

TEST_CASE("sets beyond the limit are not made", "[sparsity]") {
  IndexSets sets(100, 150);
  std::vector<IndexSets::Id> ids;
  for (int64_t i = 0; i < 100; ++i)
    ids.push_back(IndexSets::single(i));
  std::vector<IndexSets::Id> copy = ids;
  IndexSets::Id all = sets.unionOf(copy);
  CHECK_FALSE(sets.isFull());
  CHECK(sets.members(all).size() == 100);
  ids.pop_back();
  sets.unionOf(ids);
  CHECK(sets.isFull());
}

TEST_CASE("patterns are transposed and made symmetric", "[sparsity]") {
  SparsityPattern pattern = patternOf(2, 3, {{0, 1}, {0, 2}, {1, 1}});
  SparsityPattern turned = pattern.transposed();
  CHECK(turned.starts == std::vector<int64_t>{0, 0, 2, 3});
  CHECK(turned.indices == std::vector<uint32_t>{0, 1, 0});
  SparsityPattern both = patternOf(3, 3, {{0, 1}, {2, 2}}).symmetrized();
  CHECK(both.starts == std::vector<int64_t>{0, 1, 2, 3});
  CHECK(both.indices == std::vector<uint32_t>{1, 0, 2});
}

TEST_CASE("entries are found in the products of columns and of rows", "[sparsity]") {
  std::mt19937 random(2);
  for (int turn = 0; turn < 200; ++turn) {
    const int64_t rows = random() % 40, columns = random() % 40;
    SparsityPattern pattern = randomPattern(random, rows, columns, random() % 120);
    SparsityPattern turned = pattern.transposed();
    for (ColouringOrder order : {ColouringOrder::Natural, ColouringOrder::LargestFirst}) {
      checkRecovery(pattern, {colourColumns(pattern, order), uncoloured(rows)});
      checkRecovery(pattern, {uncoloured(columns), colourColumns(turned, order)});
    }
  }
}

TEST_CASE("full rows and columns have products of their own", "[sparsity]") {
  std::mt19937 random(4);
  for (int turn = 0; turn < 400; ++turn) {
    const int64_t rows = 1 + random() % 40, columns = 1 + random() % 40;
    std::set<std::pair<int64_t, int64_t>> places;
    for (int64_t k = random() % 80; k > 0; --k)
      places.emplace(random() % rows, random() % columns);
    for (int64_t row = random() % 4; row > 0; --row)
      for (int64_t i = random() % rows, j = 0; j < columns; j += 1 + random() % 3)
        places.emplace(i, j);
    for (int64_t column = random() % 4; column > 0; --column)
      for (int64_t j = random() % columns, i = 0; i < rows; i += 1 + random() % 3)
        places.emplace(i, j);
    const SparsityPattern pattern = patternOf(rows, columns, places);
    const TwoWayColouring both = colourBothWays(pattern);
    checkRecovery(pattern, both);
    CHECK(both.count() <= bestColouring(pattern, colourColumns).count);
    CHECK(both.count() <= bestColouring(pattern.transposed(), colourColumns).count);
  }
}

TEST_CASE("entries of symmetric matrices are found by a star colouring", "[sparsity]") {
  std::mt19937 random(3);
  for (int turn = 0; turn < 400; ++turn) {
    const int64_t size = 1 + random() % 40;
    SparsityPattern pattern = randomPattern(random, size, size, random() % 150).symmetrized();
    for (ColouringOrder order : {ColouringOrder::Natural, ColouringOrder::LargestFirst}) {
      Colouring stars = colourStars(pattern, order);
      // No path of four vertices has two colours.
      auto colourOf = [&](int64_t v) { return stars.colours[v]; };
      bool isStar = true;
      for (int64_t b = 0; b < size; ++b)
        for (uint32_t c : pattern.row(b)) {
          isStar &= b == c || colourOf(b) != colourOf(c);
          for (uint32_t a : pattern.row(b))
            for (uint32_t d : pattern.row(c))
              isStar &= a == b || b == c || c == d || a == c || b == d || a == d ||
                        colourOf(a) != colourOf(c) || colourOf(b) != colourOf(d);
        }
      CHECK(isStar);
      checkRecovery(pattern, {stars, uncoloured(size)}, placesByStars(pattern, stars), true);
    }
  }
}

TEST_CASE("known structures need few colours", "[sparsity]") {
  CHECK(bestColouring(banded(1000, 0), colourColumns).count == 1);
  CHECK(bestColouring(banded(1000, 1), colourColumns).count == 3);
  CHECK(bestColouring(banded(1000, 4), colourColumns).count == 9);
  CHECK(bestColouring(banded(1000, 1), colourStars).count == 3);
  // One row and one column are full: two colours by symmetry, as many as columns without.
  std::set<std::pair<int64_t, int64_t>> arrow;
  for (int64_t i = 0; i < 1000; ++i)
    arrow.insert({{i, i}, {0, i}, {i, 0}});
  CHECK(bestColouring(patternOf(1000, 1000, arrow), colourStars).count == 2);
  CHECK(bestColouring(patternOf(1000, 1000, arrow), colourColumns).count == 1000);
  // With its row alone, the first column needs a product, and the others one.
  CHECK(colourBothWays(patternOf(1000, 1000, arrow)).count() == 3);
  CHECK(colourBothWays(banded(1000, 4)).columns.count == 9);
  CHECK(colourBothWays(banded(1000, 4)).rows.count == 0);
}

TEST_CASE("colouring takes time by the entries", "[sparsity]") {
  // Quadratic in a full row or column this would take minutes.
  std::set<std::pair<int64_t, int64_t>> arrow;
  const int64_t size = 200'000;
  for (int64_t i = 0; i < size; ++i)
    arrow.insert({{i, i}, {0, i}, {i, 0}});
  SparsityPattern pattern = patternOf(size, size, arrow);
  CHECK(bestColouring(pattern, colourStars).count == 2);
  CHECK(colourBothWays(pattern).count() == 3);
  CHECK(bestColouring(banded(size, 3), colourColumns).count == 7);
}
