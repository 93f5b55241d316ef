// Things in the order of a key, by their indices.
#ifndef KERATIN_PASSES_MEMORY_INDEXORDER_H
#define KERATIN_PASSES_MEMORY_INDEXORDER_H

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace keratin::passes {

// All indices, by ascending key; equal keys stay in order.
template <typename Key> void sortBy(std::vector<size_t> &indices, Key key) {
  std::iota(indices.begin(), indices.end(), 0);
  std::sort(indices.begin(), indices.end(),
            [&](size_t a, size_t b) { return std::pair(key(a), a) < std::pair(key(b), b); });
}

} // namespace keratin::passes

#endif // KERATIN_PASSES_MEMORY_INDEXORDER_H
