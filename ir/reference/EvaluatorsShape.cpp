// Ops that move elements. Types are verified, but sizes known only at run time are checked here.
#include "ir/dialect/OwnRows.h"
#include "ir/dialect/SiteMessage.h"
#include "ir/reference/ElementMath.h"
#include "ir/reference/Evaluation.h"
#include "ir/reference/IndexWalk.h"

#include <string>

using namespace keratin::ir;
using namespace keratin::ir::reference;
using namespace mlir;

LogicalResult ReshapeOp::evaluate(EvaluationContext &context, Operands operands, Results results) {
  const HostTensor &x = *operands[0];
  if (x.size() != results[0].size())
    return fail(context, "reshape: " + Twine(x.size()) + " elements do not fit a shape of " +
                             Twine(results[0].size()));
  for (int64_t i = 0; i < x.size(); ++i)
    copyElement(results[0], i, x, i);
  return success();
}

LogicalResult BroadcastOp::evaluate(EvaluationContext &context, Operands operands,
                                    Results results) {
  const HostTensor &x = *operands[0];
  HostTensor &y = results[0];
  for (auto [i, dim] : llvm::enumerate(getDims()))
    if (x.dims[i] != 1 && x.dims[i] != y.dims[dim])
      return fail(context, "broadcast: dimension " + Twine(i) + " has size " + Twine(x.dims[i]) +
                               "; it must be 1 or " + Twine(y.dims[dim]));
  std::vector<int64_t> strides = rowMajorStrides(x.dims);
  forEachIndex(y.dims, [&](const HostIndex &index, int64_t to) {
    int64_t from = 0;
    for (auto [i, dim] : llvm::enumerate(getDims()))
      from += x.dims[i] == 1 ? 0 : index[dim] * strides[i];
    copyElement(y, to, x, from);
  });
  return success();
}

LogicalResult TransposeOp::evaluate(EvaluationContext &, Operands operands, Results results) {
  const HostTensor &x = *operands[0];
  std::vector<int64_t> strides = rowMajorStrides(x.dims);
  forEachIndex(results[0].dims, [&](const HostIndex &index, int64_t to) {
    int64_t from = 0;
    for (auto [i, dim] : llvm::enumerate(getPermutation()))
      from += index[i] * strides[dim];
    copyElement(results[0], to, x, from);
  });
  return success();
}

// Whether positions start, start + stride, … (as many as `count`) are all inside [0, size): the
// last of them, start + (count - 1) * stride, is. Where there are none it is the one before the
// start.
static bool isInside(int64_t start, int64_t stride, int64_t count, int64_t size) {
  if (count == 0)
    return start >= 0 && start - stride < size;
  return start >= 0 && start < size && (count - 1) <= (size - 1 - start) / stride;
}

LogicalResult SliceOp::evaluate(EvaluationContext &context, Operands operands, Results results) {
  const HostTensor &x = *operands[0];
  std::vector<int64_t> starts;
  if (failed(evaluateDims(context, "slice", getStarts(), starts)))
    return failure();
  ArrayRef<int64_t> steps = getStrides();
  for (size_t i = 0; i < x.dims.size(); ++i)
    if (!isInside(starts[i], steps[i], results[0].dims[i], x.dims[i]))
      return fail(context, "slice: " + Twine(results[0].dims[i]) + " elements from " +
                               Twine(starts[i]) + " with stride " + Twine(steps[i]) +
                               " leave dimension " + Twine(i) + " of size " + Twine(x.dims[i]));
  std::vector<int64_t> strides = rowMajorStrides(x.dims);
  forEachIndex(results[0].dims, [&](const HostIndex &index, int64_t to) {
    int64_t from = 0;
    for (size_t i = 0; i < index.size(); ++i)
      from += (starts[i] + index[i] * steps[i]) * strides[i];
    copyElement(results[0], to, x, from);
  });
  return success();
}

LogicalResult PadOp::evaluate(EvaluationContext &context, Operands operands, Results results) {
  const HostTensor &x = *operands[0];
  std::vector<int64_t> low;
  if (failed(evaluateDims(context, "pad", getLow(), low)))
    return failure();
  ArrayRef<int64_t> interior = getInterior();
  for (size_t i = 0; i < x.dims.size(); ++i)
    if (!isInside(low[i], interior[i] + 1, x.dims[i], results[0].dims[i]))
      return fail(context, "pad: " + Twine(x.dims[i]) + " elements after " + Twine(low[i]) +
                               " with " + Twine(interior[i]) + " between do not fit dimension " +
                               Twine(i) + " of size " + Twine(results[0].dims[i]));
  std::vector<int64_t> strides = rowMajorStrides(results[0].dims);
  forEachIndex(x.dims, [&](const HostIndex &index, int64_t from) {
    int64_t to = 0;
    for (size_t i = 0; i < index.size(); ++i)
      to += (low[i] + index[i] * (interior[i] + 1)) * strides[i];
    copyElement(results[0], to, x, from);
  });
  return success();
}

LogicalResult ConcatenateOp::evaluate(EvaluationContext &, Operands operands, Results results) {
  std::vector<int64_t> strides = rowMajorStrides(results[0].dims);
  int64_t axis = getAxis(), before = 0;
  for (const HostTensor *x : operands) {
    forEachIndex(x->dims, [&](const HostIndex &index, int64_t from) {
      copyElement(results[0], offsetOf(index, strides) + before * strides[axis], *x, from);
    });
    before += x->dims[axis];
  }
  return success();
}

LogicalResult ReverseOp::evaluate(EvaluationContext &, Operands operands, Results results) {
  const HostTensor &x = *operands[0];
  std::vector<int64_t> strides = rowMajorStrides(x.dims);
  forEachIndex(x.dims, [&](const HostIndex &index, int64_t to) {
    HostIndex source = index;
    for (int64_t axis : getAxes())
      source[axis] = x.dims[axis] - 1 - index[axis];
    copyElement(results[0], to, x, offsetOf(source, strides));
  });
  return success();
}

//===-- Computed places -----------------------------------------------------------------------===//

LogicalResult GatherOp::evaluate(EvaluationContext &context, Operands operands, Results results) {
  const HostTensor &x = *operands[0], &indices = *operands[1];
  const bool isOfOwn = hasOwnRows(*this);
  for (int64_t row : indices.ints)
    if (!isOfOwn && !isInside(row, x.dims[0]))
      return fail(context, "gather: index " + Twine(row) + " is outside the first axis of size " +
                               Twine(x.dims[0]));
  if (results[0].size() == 0)
    return success();
  int64_t width = results[0].size() / indices.size();
  for (int64_t i = 0; i < indices.size(); ++i)
    for (int64_t j = 0; j < width && isInside(indices.ints[i], x.dims[0]); ++j)
      copyElement(results[0], i * width + j, x, indices.ints[i] * width + j);
  return success();
}

// combine(what is there, the update), in index order.
template <typename Op, class Combine>
static LogicalResult scatter(Op op, EvaluationContext &context, const HostTensor &indices,
                             const HostTensor &updates, HostTensor &y, const Combine &combine) {
  const bool isOfOwn = hasOwnRows(op);
  for (int64_t row : indices.ints)
    if (!isOfOwn && !isInside(row, y.dims[0]))
      return fail(context, op->getName().stripDialect() + ": index " + Twine(row) +
                               " is outside the first axis of size " + Twine(y.dims[0]));
  if (updates.size() == 0)
    return success();
  int64_t width = updates.size() / indices.size();
  for (int64_t i = 0; i < updates.size(); ++i) {
    if (!isInside(indices.ints[i / width], y.dims[0]))
      continue;
    int64_t to = indices.ints[i / width] * width + i % width;
    dispatchElement(y.dtype, [&](auto zero) {
      using T = decltype(zero);
      store(y, to, combine(load<T>(y, to), load<T>(updates, i)));
    });
  }
  return success();
}

LogicalResult ScatterAddOp::evaluate(EvaluationContext &context, Operands operands,
                                     Results results) {
  return scatter(*this, context, *operands[0], *operands[1], results[0],
                 [](auto sum, auto update) { return wrapAdd(sum, update); });
}

LogicalResult ScatterLastOp::evaluate(EvaluationContext &context, Operands operands,
                                      Results results) {
  return scatter(*this, context, *operands[0], *operands[1], results[0],
                 [](auto, auto update) { return update; });
}

// The largest of what is there, from `initial` on; NaN stays.
template <class Initial, class IsBetter, typename Op>
static LogicalResult scatterExtremes(Op op, EvaluationContext &context, Operands operands,
                                     HostTensor &y, const Initial &initial,
                                     const IsBetter &isBetter) {
  dispatchElement(y.dtype, [&](auto zero) {
    for (int64_t i = 0; i < y.size(); ++i)
      store(y, i, initial(zero));
  });
  return scatter(op, context, *operands[0], *operands[1], y, [&](auto before, auto update) {
    return before != before || isBetter(before, update) ? before : update;
  });
}

LogicalResult ScatterMaxOp::evaluate(EvaluationContext &context, Operands operands,
                                     Results results) {
  return scatterExtremes(
      *this, context, operands, results[0], [](auto zero) { return smallest<decltype(zero)>(); },
      [](auto a, auto b) { return a >= b; });
}

LogicalResult ScatterMinOp::evaluate(EvaluationContext &context, Operands operands,
                                     Results results) {
  return scatterExtremes(
      *this, context, operands, results[0], [](auto zero) { return largest<decltype(zero)>(); },
      [](auto a, auto b) { return a <= b; });
}

// The starts, which follow the operand of a box op, if the box stays inside the whole.
static LogicalResult boxStarts(EvaluationContext &context, StringRef op, Operands operands,
                               const HostTensor &box, const HostTensor &whole,
                               std::vector<int64_t> &starts) {
  for (size_t i = 0; i < box.dims.size(); ++i) {
    int64_t start = operands[1 + i]->ints[0];
    int64_t room = whole.dims[i] - box.dims[i];
    if (start < 0 || start > room)
      return fail(context, op + ": a box of size " + Twine(box.dims[i]) + " at " + Twine(start) +
                               " leaves dimension " + Twine(i) + " of size " +
                               Twine(whole.dims[i]));
    starts.push_back(start);
  }
  return success();
}

LogicalResult DynamicSliceOp::evaluate(EvaluationContext &context, Operands operands,
                                       Results results) {
  const HostTensor &x = *operands[0];
  std::vector<int64_t> starts;
  if (failed(boxStarts(context, "dynamic_slice", operands, results[0], x, starts)))
    return failure();
  std::vector<int64_t> strides = rowMajorStrides(x.dims);
  forEachIndex(results[0].dims, [&](const HostIndex &index, int64_t to) {
    copyElement(results[0], to, x, offsetOf(starts, strides) + offsetOf(index, strides));
  });
  return success();
}

LogicalResult DynamicUnsliceOp::evaluate(EvaluationContext &context, Operands operands,
                                         Results results) {
  const HostTensor &x = *operands[0];
  std::vector<int64_t> starts;
  if (failed(boxStarts(context, "dynamic_unslice", operands, x, results[0], starts)))
    return failure();
  std::vector<int64_t> strides = rowMajorStrides(results[0].dims);
  forEachIndex(x.dims, [&](const HostIndex &index, int64_t from) {
    copyElement(results[0], offsetOf(starts, strides) + offsetOf(index, strides), x, from);
  });
  return success();
}

// The size of the result is the operand's value already (reference::defineSizes).
LogicalResult TruncateOp::evaluate(EvaluationContext &, Operands operands, Results results) {
  std::vector<int64_t> strides = rowMajorStrides(operands[0]->dims);
  forEachIndex(results[0].dims, [&](const HostIndex &index, int64_t to) {
    copyElement(results[0], to, *operands[0], offsetOf(index, strides));
  });
  return success();
}

LogicalResult CheckRangeOp::evaluate(EvaluationContext &context, Operands operands,
                                     Results results) {
  const HostTensor &x = *operands[0];
  std::optional<int64_t> lower = context.evaluate(getLower().getDims()[0]);
  std::optional<int64_t> upper = context.evaluate(getUpper().getDims()[0]);
  if (!lower || !upper)
    return fail(context, "check_range: a bound has no value");
  bool isWide = x.dtype == KERATIN_DTYPE_UINT64; // whose upper half is no int64_t
  // Of those outside the lowest, where negative ones are the highest.
  std::optional<uint64_t> lowest;
  for (int64_t element : x.ints)
    if (element < *lower || element >= *upper || (isWide && element < 0))
      lowest = std::min(lowest.value_or(UINT64_MAX), uint64_t(element));
  if (lowest)
    return fail(context,
                tellElement(getMessage(), int64_t(std::min(*lowest, uint64_t(INT64_MAX)))));
  results[0].ints = x.ints;
  return success();
}
