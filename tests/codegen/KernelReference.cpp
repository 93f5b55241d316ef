#include "tests/codegen/KernelReference.h"

#include <cmath>

using namespace keratin::tests;

std::vector<Terms> keratin::tests::timesMatrix(const std::vector<double> &row,
                                               const std::vector<double> &matrix, int64_t columns) {
  std::vector<double> sums(columns), sizes(columns);
  double *sum = sums.data(), *size = sizes.data();
  for (size_t k = 0; k < row.size(); ++k) {
    const double left = row[k], *right = matrix.data() + int64_t(k) * columns;
    for (int64_t n = 0; n < columns; ++n) {
      const double product = left * right[n];
      sum[n] += product;
      size[n] += std::abs(product);
    }
  }
  std::vector<Terms> result;
  for (int64_t n = 0; n < columns; ++n)
    result.push_back({sum[n], size[n], int64_t(row.size())});
  return result;
}

namespace {
struct Convolution {
  const std::vector<SlidingWindow> &windows;
  const std::vector<int64_t> &places;
  int64_t channels, xStride, filterStride;
  Terms terms = {};

  // Of the windows from the j-th on.
  void addTaps(size_t j, const double *x, const double *filter) {
    if (j == windows.size()) {
      for (int64_t c = 0; c < channels; ++c) {
        const double term = x[c * xStride] * filter[c * filterStride];
        terms.sum += term;
        terms.size += std::abs(term);
      }
      terms.count += channels;
      return;
    }
    const SlidingWindow &w = windows[j];
    for (int64_t tap = 0; tap < w.filter; ++tap) {
      const int64_t z = places[j] * w.stride - w.low + tap * w.dilation;
      if (z >= 0 && z % w.xDilation == 0 && z / w.xDilation < w.x)
        addTaps(j + 1, x + z / w.xDilation * w.xStride,
                filter + (w.reversed ? w.filter - 1 - tap : tap) * w.filterStride);
    }
  }
};
} // namespace

Terms keratin::tests::convolve(const std::vector<SlidingWindow> &windows,
                               const std::vector<int64_t> &places, const double *x,
                               const double *filter, int64_t channels, int64_t xStride,
                               int64_t filterStride) {
  Convolution convolution{windows, places, channels, xStride, filterStride};
  convolution.addTaps(0, x, filter);
  return convolution.terms;
}
