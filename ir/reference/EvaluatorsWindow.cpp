// Windows, one element after the other.
#include "ir/interfaces/ConvolutionShape.h"
#include "ir/reference/ElementMath.h"
#include "ir/reference/Evaluation.h"
#include "ir/reference/WindowWalk.h"

using namespace keratin::ir;
using namespace keratin::ir::reference;
using namespace mlir;

static LogicalResult tooFar(EvaluationContext &context, StringRef op) {
  return fail(context, op + ": the positions of the windows do not fit 64 bits");
}

//===-- Convolution ---------------------------------------------------------------------------===//

LogicalResult ConvolutionOp::evaluate(EvaluationContext &context, Operands operands,
                                      Results results) {
  const HostTensor &x = *operands[0], &filter = *operands[1];
  HostTensor &y = results[0];
  ConvolutionDims dims = *ConvolutionDims::parse(getDims());
  std::vector<int64_t> low;
  if (failed(evaluateDims(context, "convolution", getLow(), low)))
    return failure();
  std::vector<SlidingWindow> windows;
  for (auto [i, places] : llvm::enumerate(dims.windows)) {
    windows.push_back({filter.dims[places.filter], getStrides()[i], low[i], x.dims[places.x],
                       getXDilation()[i], getDilation()[i]});
    if (!windows.back().fits(y.dims[places.y]))
      return tooFar(context, "convolution");
  }
  std::vector<int64_t> stridesX = rowMajorStrides(x.dims), stridesF = rowMajorStrides(filter.dims);
  int64_t depth = dims.contracted.x < 0 ? 1 : x.dims[dims.contracted.x];
  int64_t depthX = dims.contracted.x < 0 ? 0 : stridesX[dims.contracted.x];
  int64_t depthF = dims.contracted.x < 0 ? 0 : stridesF[dims.contracted.filter];
  std::vector<int64_t> taps;
  for (const SlidingWindow &window : windows)
    taps.push_back(window.size);
  // Offsets of the first elements that a place of the result needs.
  auto startOf = [&](const HostIndex &index, int ConvolutionDims::Places::*operand,
                     const std::vector<int64_t> &strides) {
    int64_t offset = 0;
    for (const ConvolutionDims::Places &places : {dims.batch, dims.filters, dims.groups})
      if (places.*operand >= 0 && places.y >= 0)
        offset += index[places.y] * strides[places.*operand];
    return offset;
  };

  dispatchElement(y.dtype, [&](auto zero) {
    using T = decltype(zero);
    forEachIndex(y.dims, [&](const HostIndex &index, int64_t to) {
      int64_t startX = startOf(index, &ConvolutionDims::Places::x, stridesX);
      int64_t startF = startOf(index, &ConvolutionDims::Places::filter, stridesF);
      T sum = T(0);
      forEachIndex(taps, [&](const HostIndex &tap, int64_t) {
        int64_t fromX = startX, fromF = startF;
        bool inside = true;
        for (auto [i, places] : llvm::enumerate(dims.windows)) {
          int64_t element = getReversed()[i] ? windows[i].size - 1 - tap[i] : tap[i];
          fromF += element * stridesF[places.filter];
          std::optional<int64_t> position = windows[i].positionOf(index[places.y], tap[i]);
          inside = inside && position;
          fromX += position.value_or(0) * stridesX[places.x];
        }
        for (int64_t c = 0; inside && c < depth; ++c)
          sum = wrapAdd(
              sum, wrapMul(load<T>(x, fromX + c * depthX), load<T>(filter, fromF + c * depthF)));
      });
      store(y, to, sum);
    });
  });
  return success();
}

//===-- Sums and choices ----------------------------------------------------------------------===//

LogicalResult WindowSumOp::evaluate(EvaluationContext &context, Operands operands,
                                    Results results) {
  const HostTensor &x = *operands[0];
  HostTensor &y = results[0];
  std::vector<int64_t> low;
  if (failed(evaluateDims(context, "window_sum", getLow(), low)))
    return failure();
  WindowWalk walk(x, getWindow(), getStrides(), low, getXDilation());
  if (!walk.fits(y.dims))
    return tooFar(context, "window_sum");
  dispatchElement(y.dtype, [&](auto zero) {
    using T = decltype(zero);
    forEachIndex(y.dims, [&](const HostIndex &place, int64_t to) {
      T sum = T(0);
      walk.forEachInside(place, [&](int64_t from) { sum = wrapAdd(sum, load<T>(x, from)); });
      store(y, to, sum);
    });
  });
  return success();
}

// Calls function(place, number of the window, place of the largest element or nullopt) for every
// window, for the ops that choose by x.
template <class Op, class Function>
static LogicalResult forEachLargest(Op op, EvaluationContext &context, const HostTensor &x,
                                    const std::vector<int64_t> &counts, const Function &function) {
  std::vector<int64_t> low;
  StringRef name = op.getOperationName();
  name.consume_front("keratin.");
  if (failed(evaluateDims(context, name, op.getLow(), low)))
    return failure();
  SmallVector<int64_t> together(x.dims.size(), 1);
  WindowWalk walk(x, op.getWindow(), op.getStrides(), low, together);
  if (!walk.fits(counts))
    return tooFar(context, name);
  dispatchElement(x.dtype, [&](auto zero) {
    forEachIndex(counts, [&](const HostIndex &place, int64_t number) {
      function(number, walk.largest<decltype(zero)>(x, place));
    });
  });
  return success();
}

LogicalResult WindowMaxOp::evaluate(EvaluationContext &context, Operands operands,
                                    Results results) {
  const HostTensor &x = *operands[0];
  HostTensor &y = results[0];
  return forEachLargest(*this, context, x, y.dims, [&](int64_t to, std::optional<int64_t> from) {
    if (from)
      return copyElement(y, to, x, *from);
    dispatchElement(y.dtype, [&](auto zero) {
      using T = decltype(zero);
      using Limits = std::numeric_limits<T>;
      store(y, to, std::is_floating_point_v<T> ? T(-Limits::infinity()) : Limits::min());
    });
  });
}

LogicalResult WindowPickOp::evaluate(EvaluationContext &context, Operands operands,
                                     Results results) {
  HostTensor &y = results[0];
  return forEachLargest(*this, context, *operands[0], y.dims,
                        [&](int64_t to, std::optional<int64_t> from) {
                          if (from) // else 0, as the result was made
                            copyElement(y, to, *operands[1], *from);
                        });
}

LogicalResult WindowScatterOp::evaluate(EvaluationContext &context, Operands operands,
                                        Results results) {
  const HostTensor &v = *operands[1];
  HostTensor &y = results[0];
  return forEachLargest(*this, context, *operands[0], v.dims,
                        [&](int64_t number, std::optional<int64_t> to) {
                          if (to)
                            dispatchElement(y.dtype, [&](auto zero) {
                              using T = decltype(zero);
                              store(y, *to, wrapAdd(load<T>(y, *to), load<T>(v, number)));
                            });
                        });
}
