// Sums of products, one element of the result after the other.
#include "ir/dialect/Keratin.h"
#include "ir/reference/ElementMath.h"
#include "ir/reference/IndexWalk.h"

#include <array>

using namespace keratin::ir;
using namespace keratin::ir::reference;
using namespace mlir;

// For some dimensions of the iteration: their sizes, and the strides of a and b along them.
namespace {
struct Loops {
  std::vector<int64_t> dims, a, b;

  void add(int64_t dim, int64_t strideA, int64_t strideB) {
    dims.push_back(dim);
    a.push_back(strideA);
    b.push_back(strideB);
  }
};
} // namespace

LogicalResult DotGeneralOp::evaluate(EvaluationContext &, ArrayRef<const HostTensor *> operands,
                                     MutableArrayRef<HostTensor> results) {
  const HostTensor &a = *operands[0], &b = *operands[1];
  HostTensor &y = results[0];
  std::vector<int64_t> stridesA = rowMajorStrides(a.dims), stridesB = rowMajorStrides(b.dims);
  Loops outer, inner;
  for (auto [i, j] : llvm::zip(getABatch(), getBBatch()))
    outer.add(a.dims[i], stridesA[i], stridesB[j]);
  for (int64_t i = 0; i < int64_t(a.dims.size()); ++i)
    if (!llvm::is_contained(getABatch(), i) && !llvm::is_contained(getAContract(), i))
      outer.add(a.dims[i], stridesA[i], 0);
  for (int64_t j = 0; j < int64_t(b.dims.size()); ++j)
    if (!llvm::is_contained(getBBatch(), j) && !llvm::is_contained(getBContract(), j))
      outer.add(b.dims[j], 0, stridesB[j]);
  for (auto [i, j] : llvm::zip(getAContract(), getBContract()))
    inner.add(a.dims[i], stridesA[i], stridesB[j]);

  // Several elements at a time, since each sum waits for itself.
  constexpr int64_t together = 8;
  std::vector<int64_t> placesA, placesB;
  forEachIndex(outer.dims, [&](const HostIndex &index, int64_t) {
    placesA.push_back(offsetOf(index, outer.a));
    placesB.push_back(offsetOf(index, outer.b));
  });
  dispatchElement(y.dtype, [&](auto zero) {
    using T = decltype(zero);
    auto sum = [&](int64_t to, auto width) {
      std::array<T, decltype(width)::value> sums = {};
      forEachIndex(inner.dims, [&](const HostIndex &summed, int64_t) {
        int64_t stepA = offsetOf(summed, inner.a), stepB = offsetOf(summed, inner.b);
        for (size_t i = 0; i < sums.size(); ++i)
          sums[i] = wrapAdd(sums[i], wrapMul(load<T>(a, placesA[to + i] + stepA),
                                             load<T>(b, placesB[to + i] + stepB)));
      });
      for (T each : sums)
        store(y, to++, each);
    };
    int64_t count = int64_t(placesA.size()), to = 0;
    for (; to + together <= count; to += together)
      sum(to, std::integral_constant<int64_t, together>());
    for (; to < count; ++to)
      sum(to, std::integral_constant<int64_t, 1>());
  });
  return success();
}
