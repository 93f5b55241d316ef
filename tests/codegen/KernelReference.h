// What kernels of products and convolutions must compute, in double: in a library, which is
// compiled with the optimiser, as tests are not.
#ifndef KERATIN_TESTS_CODEGEN_KERNELREFERENCE_H
#define KERATIN_TESTS_CODEGEN_KERNELREFERENCE_H

#include <cstdint>
#include <vector>

namespace keratin::tests {

// Sums of terms, and of their absolute values, by which errors are bounded.
struct Terms {
  double sum = 0, size = 0;
  int64_t count = 0;
};

// A row of k elements times a row-major matrix of k rows: the terms of each of its columns.
std::vector<Terms> timesMatrix(const std::vector<double> &row, const std::vector<double> &matrix,
                               int64_t columns);

// How a window of a convolution slides, and how far its elements lie apart.
struct SlidingWindow {
  int64_t x, filter, stride, low, dilation, xDilation;
  bool reversed;
  int64_t xStride, filterStride;
};

// One element of a convolution, by its definition: that with these windows at these places, whose
// first elements x and the filter are.
Terms convolve(const std::vector<SlidingWindow> &windows, const std::vector<int64_t> &places,
               const double *x, const double *filter, int64_t channels, int64_t xStride,
               int64_t filterStride);

} // namespace keratin::tests

#endif // KERATIN_TESTS_CODEGEN_KERNELREFERENCE_H
