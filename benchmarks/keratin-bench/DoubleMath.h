// Matrix products in plain double precision: what results are checked against.
#ifndef KERATIN_BENCHMARKS_DOUBLEMATH_H
#define KERATIN_BENCHMARKS_DOUBLEMATH_H

#include <algorithm>
#include <cstdint>
#include <vector>

namespace keratin::bench {

// a[m, k] * b[k, n].
inline std::vector<double> multiply(const std::vector<double> &a, const std::vector<double> &b,
                                    int64_t m, int64_t n, int64_t k) {
  std::vector<double> c(size_t(m * n));
  // Four rows at a time, as most of b comes from afar.
  constexpr int64_t group = 4;
  for (int64_t i = 0; i < m; i += group)
    for (int64_t l = 0; l < k; ++l)
      for (int64_t r = i; r < std::min(m, i + group); ++r)
        for (int64_t j = 0; j < n; ++j)
          c[size_t(r * n + j)] += a[size_t(r * k + l)] * b[size_t(l * n + j)];
  return c;
}

inline std::vector<double> transposed(const std::vector<double> &a, int64_t rows, int64_t columns) {
  std::vector<double> result(a.size());
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      result[size_t(j * rows + i)] = a[size_t(i * columns + j)];
  return result;
}

} // namespace keratin::bench

#endif // KERATIN_BENCHMARKS_DOUBLEMATH_H
