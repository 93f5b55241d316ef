#include "ir/reference/BoundsOfFourier.h"

#include "ir/reference/Evaluation.h"

#include <cmath>

using namespace keratin::ir;
using namespace keratin::ir::reference;
using namespace mlir;

// Of the sum of a line, for each binary digit of its length and for two more: a stage of four
// digits adds 32 products, and lengths without small factors take three transforms of four times
// the length.
static constexpr double kUlpsOfADigit = 8;

namespace {

// What a line adds up to.
struct LineSum {
  double size = 0, width = 0;
  bool isKnown = true;

  void add(const BoundedTensor &x, size_t first, size_t count) {
    for (size_t i = first; i < first + count; ++i) {
      isKnown &= known(x, i) == Known::Range && std::isfinite(x.lower.floats[i]) &&
                 std::isfinite(x.upper.floats[i]);
      const double value = x.value.floats[i];
      size += std::fabs(value);
      width += std::max(value - x.lower.floats[i], x.upper.floats[i] - value);
    }
  }
};

} // namespace

LogicalResult reference::boundsOfFourier(Operation *op, ArrayRef<const BoundedTensor *> operands,
                                         EvaluationContext &context,
                                         std::vector<BoundedTensor> &results) {
  const BoundedTensor re = asOperand(*operands[0]), im = asOperand(*operands[1]);
  SmallVector<HostTensor> values{re.value, im.value};
  if (failed(cast<FftOp>(op).evaluate(context, {&re.value, &im.value}, values)))
    return failure();
  const size_t first = results.size();
  for (const HostTensor &value : values)
    results.push_back({value, value, value});
  const keratin_dtype_t dtype = re.value.dtype;
  const size_t length = size_t(re.value.dims.back());
  const double digits = std::ceil(std::log2(double(std::max<size_t>(length, 1)))) + 2;
  for (size_t line = 0; line < re.value.floats.size(); line += length) {
    LineSum sum;
    sum.add(re, line, length);
    sum.add(im, line, length);
    // Products on the way are of the length's order where it has no small factors.
    sum.isKnown &= (sum.size + sum.width) * double(length) < largest(dtype) / 8;
    const double error =
        sum.width + kUlpsOfADigit * digits *
                        (ulp(dtype) * (sum.size + sum.width) + double(length) * smallest(dtype));
    for (size_t part = first; part < first + 2; ++part)
      for (size_t i = line; i < line + length; ++i) {
        const double value = results[part].value.floats[i];
        if (!sum.isKnown)
          forget(results[part], i);
        else if (length > 1)
          setRange(results[part], i, value - error, value + error);
        else
          setRange(results[part], i, (part == first ? re : im).lower.floats[i],
                   (part == first ? re : im).upper.floats[i]);
      }
  }
  return success();
}
