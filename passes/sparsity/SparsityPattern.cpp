#include "passes/sparsity/SparsityPattern.h"

#include <algorithm>
#include <iterator>

using namespace keratin::passes;

SparsityPattern SparsityPattern::transposed() const {
  SparsityPattern result{columns, rows, std::vector<int64_t>(columns + 1), {}};
  for (uint32_t j : indices)
    ++result.starts[j + 1];
  for (int64_t j = 0; j < columns; ++j)
    result.starts[j + 1] += result.starts[j];
  result.indices.resize(indices.size());
  std::vector<int64_t> next(result.starts.begin(), result.starts.end() - 1);
  for (int64_t i = 0; i < rows; ++i)
    for (uint32_t j : row(i))
      result.indices[next[j]++] = uint32_t(i);
  return result;
}

SparsityPattern SparsityPattern::symmetrized() const {
  const SparsityPattern other = transposed();
  SparsityPattern result{rows, columns, {0}, {}};
  result.indices.reserve(indices.size());
  for (int64_t i = 0; i < rows; ++i) {
    std::ranges::set_union(row(i), other.row(i), std::back_inserter(result.indices));
    result.starts.push_back(result.entries());
  }
  return result;
}
