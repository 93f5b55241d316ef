// Bounds of ops that combine many elements.
#include "ir/reference/BoundsOfOp.h"

#include "ir/interfaces/ConvolutionShape.h"
#include "ir/reference/HostConversions.h"
#include "ir/reference/IndexWalk.h"
#include "ir/reference/WindowWalk.h"

#include <cmath>
#include <limits>

using namespace keratin;
using namespace keratin::ir;
using namespace keratin::ir::reference;
using namespace mlir;

static constexpr double infinity = std::numeric_limits<double>::infinity();

//===-- Reductions, scans, contractions -------------------------------------------------------===//

static std::vector<int64_t> combinedAxes(Operation *op) {
  if (auto reduction = dyn_cast<ReductionOpInterface>(op))
    return reduction.getReducedAxes().vec();
  return {op->getAttrOfType<IntegerAttr>("axis").getInt()};
}

// What a contraction makes of other factors at the same places.
HostTensor BoundsOfOp::products(HostTensor a, HostTensor b) {
  if (firstValue() == 0)
    return onDoubles({std::move(a), std::move(b)});
  return evaluate({&operands[0].value, &operands[1].value, &a, &b}, /*asDouble=*/true);
}

HostTensor BoundsOfOp::anyFlag(llvm::function_ref<HostTensor(const BoundedTensor &)> flag) {
  if (ruleOf(op) == BoundsRule::Contraction) {
    const BoundedTensor &a = operands[firstValue()], &b = operands[firstValue() + 1];
    HostTensor left = products(flag(a), ones(b)), right = products(ones(a), flag(b));
    for (int64_t i = 0; i < left.size(); ++i)
      left.floats[i] += right.floats[i];
    return left;
  }
  if (isa<WindowSumOp>(op))
    return onDoubles({flag(operands[0])});
  if (isa<WindowMaxOp>(op)) {
    HostTensor any = onDoubles({flag(operands[0])});
    for (double &x : any.floats)
      x = std::max(x, 0.0); // -inf of a window without elements
    return any;
  }
  if (isa<ScatterMaxOp, ScatterMinOp>(op)) {
    // Added up: of extremes a row without updates would be flagged, or an update not be.
    HostTensor flags = flag(operands[1]);
    HostTensor any = makeHostTensor(KERATIN_DTYPE_FLOAT64, result.value.dims).value();
    int64_t width = flags.size() ? flags.size() / operands[0].value.size() : 0;
    for (int64_t i = 0; i < flags.size(); ++i)
      if (int64_t row = operands[0].value.ints[i / width]; row >= 0 && row < any.dims[0])
        any.floats[row * width + i % width] += flags.floats[i];
    return any;
  }
  if (saysWhere(op, 0)) {
    HostTensor flags = flag(operands[1]);
    return evaluate({&operands[0].value, &flags}, /*asDouble=*/true);
  }
  const std::vector<int64_t> &dims = operands[0].value.dims;
  std::vector<int64_t> axes = combinedAxes(op), kept = dims;
  for (int64_t axis : axes)
    kept[axis] = 1;
  std::vector<int64_t> strides = rowMajorStrides(kept);
  for (int64_t axis : axes)
    strides[axis] = 0;
  HostTensor any = makeHostTensor(KERATIN_DTYPE_FLOAT64, kept).value();
  for (const BoundedTensor &operand : operands) {
    HostTensor flags = flag(operand);
    forEachIndex(dims, [&](const HostIndex &index, int64_t i) {
      any.floats[offsetOf(index, strides)] += flags.floats[i];
    });
  }
  if (isa<ReductionOpInterface, ArgMaxOp, ArgMinOp>(op)) {
    any.dims = result.value.dims;
    return any;
  }
  HostTensor all = makeHostTensor(KERATIN_DTYPE_FLOAT64, dims).value();
  forEachIndex(dims, [&](const HostIndex &index, int64_t i) {
    all.floats[i] = any.floats[offsetOf(index, strides)];
  });
  return all;
}

void BoundsOfOp::extreme() {
  result.lower = endOf(false);
  result.upper = endOf(true);
  HostTensor unknown = anyFlag(unknowns);
  for (int64_t i = 0; i < result.value.size(); ++i)
    if (unknown.floats[i])
      forget(result, i);
}

// It grows with each element. A step is wrong by a few units in the last place of the largest.
void BoundsOfOp::logSum() {
  extreme();
  HostTensor sizes = magnitude(operands[0]);
  for (double &size : sizes.floats)
    if (!std::isfinite(size))
      size = 0;
  HostTensor most = onDoubles({sizes});
  double terms = result.value.dims[combinedAxes(op)[0]];
  for (int64_t i = 0; i < result.value.size(); ++i) {
    if (known(result, i) != Known::Range || !std::isfinite(result.value.floats[i]))
      continue;
    double error = 4 * terms * ulp(result.value.dtype) * (1 + most.floats[i]);
    setRange(result, i, result.lower.floats[i] - error, result.upper.floats[i] + error);
  }
}

// The place of an extreme is certain if no other element reaches into its range.
void BoundsOfOp::position() {
  const BoundedTensor &x = operands[0];
  if (isExact(x))
    return;
  std::vector<int64_t> axes = combinedAxes(op), kept = x.value.dims;
  kept[axes[0]] = 1;
  std::vector<int64_t> strides = rowMajorStrides(kept);
  strides[axes[0]] = 0;
  bool isMax = isa<ArgMaxOp>(op);
  auto winnerOf = [&](const HostIndex &index) {
    HostIndex winner = index;
    winner[axes[0]] = result.value.ints[offsetOf(index, strides)];
    return offsetOf(winner, rowMajorStrides(x.value.dims));
  };
  forEachIndex(x.value.dims, [&](const HostIndex &index, int64_t i) {
    int64_t winner = winnerOf(index), to = offsetOf(index, strides);
    if (i == winner)
      return;
    bool certain = known(x, i) == Known::Range && known(x, winner) == Known::Range &&
                   (!x.value.isFloat() || (isMax ? x.upper.floats[i] < x.lower.floats[winner]
                                                 : x.lower.floats[i] > x.upper.floats[winner]));
    if (!certain)
      forget(result, to);
  });
}

// A float result with an error of `errors` (each evaluated by the op, added up) and of `terms` ulps
// of the sum of magnitudes. `finite` is that sum without infinities and NaN: where it is too large,
// a partial result may overflow or not.
void BoundsOfOp::sum(const HostTensor &magnitudes, const HostTensor &finite,
                     ArrayRef<HostTensor> errors, double terms) {
  keratin_dtype_t dtype = result.value.dtype;
  HostTensor unknown = anyFlag(unknowns), nonFinite = anyFlag(nonFinites);
  bool exact = llvm::all_of(operands, isExact);
  for (int64_t i = 0; i < result.value.size(); ++i) {
    double value = result.value.floats[i], size = magnitudes.floats[i], error = 0;
    for (const HostTensor &part : errors)
      error += part.floats[i];
    error += terms * (ulp(dtype) * size + smallest(dtype));
    if (unknown.floats[i] || (nonFinite.floats[i] && !exact) ||
        !(finite.floats[i] < largest(dtype) / 2))
      forget(result, i);
    else if (nonFinite.floats[i] && !std::isfinite(value)) // a running sum may not be there yet
      setRange(result, i, value, value);
    else if (!(size + error < largest(dtype) / 2))
      forget(result, i);
    else
      setRange(result, i, value - error, value + error);
  }
}

// How many times coarser the elements of a result are than sums of its dtype elsewhere.
static double roundings(keratin_dtype_t dtype) {
  double coarse = dtype == KERATIN_DTYPE_FLOAT16    ? 0x1p-10
                  : dtype == KERATIN_DTYPE_BFLOAT16 ? 0x1p-7
                                                    : 0;
  return coarse ? coarse / ulp(dtype) : 1;
}

// Sums along axes, running sums, scatter_add.
void BoundsOfOp::linear() {
  unsigned data = firstValue();
  const BoundedTensor &x = operands[data];
  if (hasUncertainPlace())
    return forgetAll(result);
  if (!x.value.isFloat())
    return extreme();
  double terms = 1;
  if (data == 1) {
    // Added up where the result is, in its own precision.
    terms = double(operands[0].value.size()) * roundings(x.value.dtype);
  } else {
    for (int64_t axis : combinedAxes(op))
      terms *= x.value.dims[axis];
  }
  auto of = [&](HostTensor tensor) {
    if (data == 0)
      return onDoubles({tensor});
    return evaluate({&operands[0].value, &tensor}, /*asDouble=*/true);
  };
  sum(of(magnitude(x)), of(valueMagnitude(x)), {of(width(x))}, terms <= 1 ? 0 : terms);
}

// To 11 significant bits, of the range of float32: the last of a denormal number is 13 places up,
// and what rounds up from the largest number is infinite.
void BoundsOfOp::roundFactors() {
  constexpr double most = 0x1.ffep127, relative = 0x1p-11, absolute = 0x1p-137;
  for (BoundedTensor &factor : operands)
    for (int64_t i = 0; i < factor.value.size(); ++i) {
      double low = factor.lower.floats[i], high = factor.upper.floats[i];
      double size = std::max(std::fabs(low), std::fabs(high));
      if (known(factor, i) != Known::Range || !std::isfinite(size))
        continue;
      double error = std::max(size * relative, absolute);
      if (size + error > most)
        forget(factor, i);
      else
        setRange(factor, i, low - error, high + error);
    }
}

void BoundsOfOp::contraction() {
  if (options.hasTf32Products && isa<DotGeneralOp, ConvolutionOp>(op) &&
      result.value.dtype == KERATIN_DTYPE_FLOAT32)
    roundFactors();
  const BoundedTensor &a = operands[firstValue()], &b = operands[firstValue() + 1];
  if (hasUncertainPlace())
    return forgetAll(result);
  if (!result.value.isFloat()) {
    HostTensor unknown = anyFlag(unknowns);
    for (int64_t i = 0; i < result.value.size(); ++i)
      if (unknown.floats[i])
        forget(result, i);
    return;
  }
  double terms = 1;
  if (auto dot = dyn_cast<DotGeneralOp>(op)) {
    for (int64_t axis : dot.getAContract())
      terms *= a.value.dims[axis];
  } else if (isa<SparseDotOp>(op)) {
    // Added up where the result is, in its own precision: all elements may be in one row.
    terms = double(a.value.size()) * roundings(a.value.dtype);
  } else {
    ConvolutionDims dims = *ConvolutionDims::parse(cast<ConvolutionOp>(op).getDims());
    for (const ConvolutionDims::Places &window : dims.windows)
      terms *= b.value.dims[window.filter];
    if (dims.contracted.filter >= 0)
      terms *= b.value.dims[dims.contracted.filter];
  }
  sum(products(magnitude(a), magnitude(b)), products(valueMagnitude(a), valueMagnitude(b)),
      {products(width(a), magnitude(b)), products(magnitude(a), width(b))}, std::max(1.0, terms));
  if (isa<ConvolutionOp>(op))
    forgetBorders();
}

// Where an infinite or NaN element of the filter, or one of which nothing is known, meets a zero
// beside x, the product may be computed or left out.
void BoundsOfOp::forgetBorders() {
  HostTensor flags = nonFinites(operands[1]), unknown = unknowns(operands[1]);
  for (int64_t i = 0; i < flags.size(); ++i)
    flags.floats[i] = std::max(flags.floats[i], unknown.floats[i]);
  if (llvm::none_of(flags.floats, [](double flag) { return flag != 0; }))
    return;
  ConvolutionDims dims = *ConvolutionDims::parse(cast<ConvolutionOp>(op).getDims());
  // Of each filter how many elements are flagged, and how many of them each result met.
  HostTensor met = onDoubles({ones(operands[0]), flags});
  auto offset = [&](const HostIndex &index, int ConvolutionDims::Places::*member) {
    int64_t group = dims.groups.filter < 0 ? 0 : index[dims.groups.*member];
    int64_t filters = dims.filters.filter < 0 ? 1 : flags.dims[dims.filters.filter];
    return group * filters + (dims.filters.filter < 0 ? 0 : index[dims.filters.*member]);
  };
  std::map<int64_t, double> flagged;
  forEachIndex(flags.dims, [&](const HostIndex &index, int64_t i) {
    flagged[offset(index, &ConvolutionDims::Places::filter)] += flags.floats[i];
  });
  forEachIndex(met.dims, [&](const HostIndex &index, int64_t i) {
    if (met.floats[i] < flagged[offset(index, &ConvolutionDims::Places::y)])
      forget(result, i);
  });
}

void BoundsOfOp::windowSum() {
  const BoundedTensor &x = operands[0];
  if (!x.value.isFloat())
    return extreme();
  double terms = 1;
  for (auto [size, covered] : llvm::zip(cast<WindowSumOp>(op).getWindow(), x.value.dims))
    terms *= double(std::min(size, std::max<int64_t>(covered, 1)));
  sum(onDoubles({magnitude(x)}), onDoubles({valueMagnitude(x)}), {onDoubles({width(x)})},
      terms <= 1 ? 0 : terms);
}

// window_pick and window_scatter, as certain as it is which element of a window is largest.
void BoundsOfOp::windowChoice() {
  const BoundedTensor &x = operands[0], &v = operands[1];
  bool picks = isa<WindowPickOp>(op);
  if (picks || !v.value.isFloat()) {
    result.lower = endOf(false);
    result.upper = endOf(true);
  } else {
    auto of = [&](HostTensor tensor) { return evaluate({&x.value, &tensor}, /*asDouble=*/true); };
    // Added up where the result is, perhaps in its own precision.
    bool isHalf = v.value.dtype == KERATIN_DTYPE_FLOAT16;
    double coarse = isHalf ? 0x1p-10 : v.value.dtype == KERATIN_DTYPE_BFLOAT16 ? 0x1p-7 : 0;
    double terms = double(v.value.size()) * (coarse ? coarse / ulp(v.value.dtype) : 1);
    sum(of(magnitude(v)), of(valueMagnitude(v)), {of(width(v))}, terms);
  }
  if (isExact(x))
    return;
  auto attribute = [&](StringRef name) {
    return op->getAttrOfType<DenseI64ArrayAttr>(name).asArrayRef();
  };
  std::vector<int64_t> low;
  for (const DimExpr &dim : op->getAttrOfType<DimsAttr>("low").getDims())
    low.push_back(context.evaluate(dim).value_or(0));
  SmallVector<int64_t> together(x.value.dims.size(), 1);
  WindowWalk walk(x.value, attribute("window"), attribute("strides"), low, together);
  const std::vector<int64_t> &counts = picks ? result.value.dims : v.value.dims;
  forEachIndex(counts, [&](const HostIndex &place, int64_t number) {
    std::optional<int64_t> winner = dispatchElement(
        x.value.dtype, [&](auto zero) { return walk.largest<decltype(zero)>(x.value, place); });
    SmallVector<int64_t> rivals;
    walk.forEachInside(place, [&](int64_t i) {
      if (i == *winner || (isPoint(x, i) && isPoint(x, *winner)))
        return;
      bool isBelow = x.value.isFloat() && known(x, i) == Known::Range &&
                     known(x, *winner) == Known::Range &&
                     x.upper.floats[i] < x.lower.floats[*winner];
      if (!isBelow)
        rivals.push_back(i);
    });
    if (rivals.empty())
      return;
    rivals.push_back(*winner);
    for (int64_t i : rivals)
      forget(result, picks ? number : i);
  });
}

// Products along axes, running products, recurrences: the error of |x'| ... |y'| against |x| ...
// |y| bounds that of the numbers themselves.
void BoundsOfOp::product() {
  if (!result.value.isFloat())
    return extreme();
  double terms = isa<LinearRecurrenceOp>(op) ? 2 : 1;
  for (int64_t axis : combinedAxes(op))
    terms *= operands[0].value.dims[axis];
  std::vector<HostTensor> high, low;
  for (const BoundedTensor &operand : operands) {
    // As far from the value as either end is.
    high.push_back(magnitude(operand));
    low.push_back(valueMagnitude(operand));
    HostTensor distance = width(operand);
    for (int64_t i = 0; i < distance.size(); ++i)
      if (std::isfinite(high.back().floats[i]))
        high.back().floats[i] = low.back().floats[i] + distance.floats[i];
  }
  HostTensor upper = onDoubles(high), lower = onDoubles(low), error = upper;
  // Partial products, of whatever factors, must neither overflow nor lose bits as denormals do.
  auto spread = [](std::vector<HostTensor> tensors, bool large) {
    for (HostTensor &tensor : tensors)
      for (double &x : tensor.floats)
        x = large ? std::max(x, 1.0) : x == 0 ? 1.0 : std::min(x, 1.0);
    return tensors;
  };
  HostTensor most = onDoubles(spread(low, true)), least = onDoubles(spread(low, false));
  keratin_dtype_t dtype = result.value.dtype;
  const double normal = smallest(dtype) / ulp(dtype);
  for (int64_t i = 0; i < error.size(); ++i) {
    error.floats[i] = upper.floats[i] - lower.floats[i];
    if (least.floats[i] < normal * 0x1p8)
      most.floats[i] = infinity;
  }
  sum(upper, most, {error}, terms <= 1 ? 0 : terms);
}
