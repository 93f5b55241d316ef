// Groups of columns, or of rows, of a sparse matrix that can be computed in one product, each of
// whose elements is then found in one place (Gebremedhin, Manne, Pothen, "What color is your
// Jacobian?", SIAM Review 2005).
#ifndef KERATIN_PASSES_SPARSITY_COLOURING_H
#define KERATIN_PASSES_SPARSITY_COLOURING_H

#include "passes/sparsity/SparsityPattern.h"

namespace keratin::passes {

// A colour, from 0, for each column or row.
struct Colouring {
  std::vector<int32_t> colours; // -1: in no product
  int64_t count = 0;            // of colours
};

// All in no product.
Colouring uncoloured(int64_t count);

// The order in which columns or rows get the least colour that is left: as they are, which suits
// bands, or those with most neighbours first.
enum class ColouringOrder { Natural, LargestFirst };

// No two columns of a colour have an entry in one row: distance 2 in the graph of rows and columns.
// In time linear in the entries times a 64th of the colours.
Colouring colourColumns(const SparsityPattern &pattern, ColouringOrder order);
// Of a symmetric matrix: neighbours have different colours, and any path of four vertices has three
// at least (a star colouring). Then of (i, j) and (j, i) one is alone in its row among the columns
// of its colour. In time linear in the entries times a 64th of the colours, too.
Colouring colourStars(const SparsityPattern &symmetric, ColouringOrder order);

// Columns and rows of the products of which all entries are found.
struct TwoWayColouring {
  Colouring columns, rows;

  int64_t count() const { return columns.count + rows.count; }
};

// Columns alone, rows alone, or columns and the rows that have many entries, or the other way
// round, whichever are fewest: a full row needs a colour for each column, but a product less where
// it is one of its own. In time linear in the entries times a 64th of the colours, and times the
// logarithm of what the fullest row or column has.
TwoWayColouring colourBothWays(const SparsityPattern &pattern);

// The one of both orders with fewer colours.
template <typename Colour> Colouring bestColouring(const SparsityPattern &pattern, Colour colour) {
  Colouring natural = colour(pattern, ColouringOrder::Natural);
  Colouring largest = colour(pattern, ColouringOrder::LargestFirst);
  return natural.count <= largest.count ? natural : largest;
}

// The same of rows, by the columns that they share.
Colouring bestColouringOfRows(const SparsityPattern &pattern);

// Where each entry of the matrix, in its order, is found in the products of the columns of each
// colour, which are [colour][row], and those of the rows behind them, [colour][column].
std::vector<int64_t> placesByBoth(const SparsityPattern &pattern, const TwoWayColouring &both);
// The same of a star colouring, [colour][row].
std::vector<int64_t> placesByStars(const SparsityPattern &symmetric, const Colouring &stars);

} // namespace keratin::passes

#endif // KERATIN_PASSES_SPARSITY_COLOURING_H
