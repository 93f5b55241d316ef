// Which elements of a matrix may differ from zero.
#ifndef KERATIN_PASSES_SPARSITY_SPARSITYPATTERN_H
#define KERATIN_PASSES_SPARSITY_SPARSITYPATTERN_H

#include <cstdint>
#include <span>
#include <vector>

namespace keratin::passes {

// By rows: row i has the columns indices[starts[i]] to indices[starts[i + 1] - 1], ascending.
struct SparsityPattern {
  int64_t rows = 0, columns = 0;
  std::vector<int64_t> starts{0};
  std::vector<uint32_t> indices;

  int64_t entries() const { return int64_t(indices.size()); }
  std::span<const uint32_t> row(int64_t i) const {
    return {indices.data() + starts[i], size_t(starts[i + 1] - starts[i])};
  }
  SparsityPattern transposed() const;
  // Of a square one: with (j, i) for each (i, j).
  SparsityPattern symmetrized() const;
};

} // namespace keratin::passes

#endif // KERATIN_PASSES_SPARSITY_SPARSITYPATTERN_H
