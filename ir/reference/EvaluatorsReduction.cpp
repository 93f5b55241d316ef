// Reductions and scans, in row-major order.
#include "ir/reference/ElementMath.h"
#include "ir/reference/Evaluation.h"
#include "ir/reference/IndexWalk.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <algorithm>
#include <limits>
#include <numeric>

using namespace keratin::ir;
using namespace keratin::ir::reference;
using namespace mlir;

// Calls fold(element of the result, distance to the next one's, element of x, how many from there
// on) for each run along the last dimension of x, in order. Walks take functions by reference: as
// templates they would be compiled for each op and dtype.
static void forEachRun(const HostTensor &x, ArrayRef<int64_t> axes, const HostTensor &y,
                       llvm::function_ref<void(int64_t, int64_t, int64_t, int64_t)> fold) {
  if (isEmpty(x.dims))
    return;
  // Strides of the result along the dimensions of x: 0 along the reduced ones.
  std::vector<int64_t> kept = rowMajorStrides(y.dims), strides;
  for (size_t i = 0, next = 0; i < x.dims.size(); ++i)
    strides.push_back(llvm::is_contained(axes, int64_t(i)) ? 0 : kept[next++]);
  std::vector<int64_t> runs = x.dims;
  int64_t length = 1, step = 0;
  if (!runs.empty()) {
    std::swap(length, runs.back());
    step = strides.back();
  }
  forEachIndex(runs, [&](const HostIndex &index, int64_t run) {
    fold(offsetOf(index, strides), step, run * length, length);
  });
}

// result = combine(result, x) for each element of x in order, from the value that `identity` gives
// for the element type.
template <class Identity, class Combine>
static LogicalResult reduce(const HostTensor &x, ArrayRef<int64_t> axes, HostTensor &y,
                            const Identity &identity, const Combine &combine) {
  dispatchElement(y.dtype, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < y.size(); ++i)
      store(y, i, identity(T()));
    forEachRun(x, axes, y, [&](int64_t to, int64_t step, int64_t from, int64_t length) {
      for (int64_t i = 0; i < length; ++i, to += step)
        store(y, to, combine(load<T>(y, to), load<T>(x, from + i)));
    });
  });
  return success();
}

LogicalResult ReduceSumOp::evaluate(EvaluationContext &, Operands operands, Results results) {
  return reduce(
      *operands[0], getAxes(), results[0], [](auto zero) { return zero; },
      [](auto a, auto b) { return wrapAdd(a, b); });
}

LogicalResult ReduceProdOp::evaluate(EvaluationContext &, Operands operands, Results results) {
  return reduce(
      *operands[0], getAxes(), results[0], [](auto zero) { return decltype(zero)(1); },
      [](auto a, auto b) { return wrapMul(a, b); });
}

LogicalResult ReduceMaxOp::evaluate(EvaluationContext &, Operands operands, Results results) {
  return reduce(
      *operands[0], getAxes(), results[0], [](auto zero) { return smallest<decltype(zero)>(); },
      [](auto a, auto b) { return a != a || a >= b ? a : b; });
}

LogicalResult ReduceMinOp::evaluate(EvaluationContext &, Operands operands, Results results) {
  return reduce(
      *operands[0], getAxes(), results[0], [](auto zero) { return largest<decltype(zero)>(); },
      [](auto a, auto b) { return a != a || a <= b ? a : b; });
}

LogicalResult ReduceAnyOp::evaluate(EvaluationContext &, Operands operands, Results results) {
  return reduce(
      *operands[0], getAxes(), results[0], [](auto zero) { return zero; },
      [](auto a, auto b) { return bitOr(a, b); });
}

LogicalResult ReduceAllOp::evaluate(EvaluationContext &, Operands operands, Results results) {
  return reduce(
      *operands[0], getAxes(), results[0], [](auto zero) { return decltype(zero)(1); },
      [](auto a, auto b) { return bitAnd(a, b); });
}

//===-- Walks along one axis ------------------------------------------------------------------===//

// Calls line(first element, distance between elements) for each line along the axis, in order.
static void forEachLine(const std::vector<int64_t> &dims, int64_t axis,
                        llvm::function_ref<void(int64_t, int64_t)> line) {
  std::vector<int64_t> strides = rowMajorStrides(dims), across = dims;
  if (dims[axis])
    across[axis] = 1; // an empty axis has no line to walk, whatever the other sizes are
  forEachIndex(across, [&](const HostIndex &index, int64_t) {
    line(offsetOf(index, strides), strides[axis]);
  });
}

// The place of the first element that beats all others; NaN beats every number.
template <class Beats>
static LogicalResult argReduce(EvaluationContext &context, StringRef op, const HostTensor &x,
                               int64_t axis, HostTensor &y, const Beats &beats) {
  if (x.dims[axis] == 0 && y.size() != 0)
    return fail(context, op + ": the axis is empty");
  dispatchElement(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    int64_t to = 0;
    forEachLine(x.dims, axis, [&](int64_t first, int64_t stride) {
      int64_t best = 0;
      for (int64_t i = 1; i < x.dims[axis]; ++i) {
        T a = load<T>(x, first + i * stride), b = load<T>(x, first + best * stride);
        bool isNan = a != a, bestIsNan = b != b;
        if (!bestIsNan && (isNan || beats(a, b)))
          best = i;
      }
      y.ints[to++] = best;
    });
  });
  return success();
}

LogicalResult ArgMaxOp::evaluate(EvaluationContext &context, Operands operands, Results results) {
  return argReduce(context, "arg_max", *operands[0], getAxis(), results[0],
                   [](auto a, auto b) { return a > b; });
}

LogicalResult ArgMinOp::evaluate(EvaluationContext &context, Operands operands, Results results) {
  return argReduce(context, "arg_min", *operands[0], getAxis(), results[0],
                   [](auto a, auto b) { return a < b; });
}

LogicalResult TopKOp::evaluate(EvaluationContext &, Operands operands, Results results) {
  const HostTensor &x = *operands[0];
  HostTensor &y = results[0];
  int64_t length = x.dims.back(), k = y.dims.back();
  std::vector<int64_t> order(static_cast<size_t>(length));
  dispatchElement(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t line = 0; line * k < y.size(); ++line) {
      std::iota(order.begin(), order.end(), 0);
      std::sort(order.begin(), order.end(), [&](int64_t i, int64_t j) {
        T a = load<T>(x, line * length + i), b = load<T>(x, line * length + j);
        bool isLarger = b == b && (a != a || a > b), isSmaller = a == a && (b != b || b > a);
        return isLarger || (!isSmaller && i < j);
      });
      std::copy_n(order.begin(), k, y.ints.begin() + line * k);
    }
  });
  return success();
}

// state = step(state, element) along the axis, from the value that `initial` gives for the element
// type; y is the state after (or, if exclusive, before) the element. The step gets the places of
// the element in the tensors.
template <class Initial, class Step>
static void scan(HostTensor &y, int64_t axis, bool reverse, bool exclusive, const Initial &initial,
                 const Step &step) {
  dispatchElement(y.dtype, [&](auto zero) {
    using T = decltype(zero);
    forEachLine(y.dims, axis, [&](int64_t first, int64_t stride) {
      T state = initial(T());
      for (int64_t i = 0, length = y.dims[axis]; i < length; ++i) {
        int64_t place = first + (reverse ? length - 1 - i : i) * stride;
        T next = step(state, place);
        store(y, place, exclusive ? state : next);
        state = next;
      }
    });
  });
}

LogicalResult CumsumOp::evaluate(EvaluationContext &, Operands operands, Results results) {
  scan(
      results[0], getAxis(), getReverse(), getExclusive(), [](auto zero) { return zero; },
      [&](auto state, int64_t i) {
        return wrapAdd(state, load<decltype(state)>(*operands[0], i));
      });
  return success();
}

LogicalResult CumprodOp::evaluate(EvaluationContext &, Operands operands, Results results) {
  scan(
      results[0], getAxis(), getReverse(), getExclusive(),
      [](auto zero) { return decltype(zero)(1); },
      [&](auto state, int64_t i) {
        return wrapMul(state, load<decltype(state)>(*operands[0], i));
      });
  return success();
}

LogicalResult LinearRecurrenceOp::evaluate(EvaluationContext &, Operands operands,
                                           Results results) {
  scan(
      results[0], getAxis(), getReverse(), /*exclusive=*/false, [](auto zero) { return zero; },
      [&](auto state, int64_t i) {
        using T = decltype(state);
        return wrapAdd(wrapMul(load<T>(*operands[0], i), state), load<T>(*operands[1], i));
      });
  return success();
}

// NaN stays.
LogicalResult CummaxOp::evaluate(EvaluationContext &, Operands operands, Results results) {
  scan(
      results[0], getAxis(), getReverse(), /*exclusive=*/false,
      [](auto zero) { return smallest<decltype(zero)>(); },
      [&](auto state, int64_t i) {
        auto x = load<decltype(state)>(*operands[0], i);
        return state != state || state >= x ? state : x;
      });
  return success();
}

LogicalResult CumminOp::evaluate(EvaluationContext &, Operands operands, Results results) {
  scan(
      results[0], getAxis(), getReverse(), /*exclusive=*/false,
      [](auto zero) { return largest<decltype(zero)>(); },
      [&](auto state, int64_t i) {
        auto x = load<decltype(state)>(*operands[0], i);
        return state != state || state <= x ? state : x;
      });
  return success();
}

LogicalResult CumlogsumexpOp::evaluate(EvaluationContext &, Operands operands, Results results) {
  scan(
      results[0], getAxis(), getReverse(), /*exclusive=*/false,
      [](auto zero) { return smallest<decltype(zero)>(); },
      [&](auto state, int64_t i) {
        double a = double(state), b = double(load<decltype(state)>(*operands[0], i));
        // The difference of equal infinities is no number.
        double distance = a == b ? 0 : std::fabs(a - b);
        double larger = std::isnan(a) || a > b ? a : b;
        return decltype(state)(larger + std::log1p(std::exp(-distance)));
      });
  return success();
}
