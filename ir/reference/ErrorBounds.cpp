#include "ir/reference/ErrorBounds.h"

#include "ir/interfaces/ConvolutionShape.h"
#include "ir/reference/BlockRunner.h"
#include "ir/reference/HostConversions.h"
#include "ir/reference/IndexWalk.h"
#include "ir/reference/Interpreter.h"
#include "ir/reference/WindowWalk.h"

#include <cmath>
#include <limits>
#include <map>

using namespace keratin;
using namespace keratin::ir;
using namespace keratin::ir::reference;
using namespace mlir;

static constexpr double infinity = std::numeric_limits<double>::infinity();
static constexpr double nan64 = std::numeric_limits<double>::quiet_NaN();

//===-- Dtypes --------------------------------------------------------------------------------===//

static double rounded(keratin_dtype_t dtype, double x) {
  switch (dtype) {
  case KERATIN_DTYPE_FLOAT64:
    return x;
  case KERATIN_DTYPE_FLOAT32:
    return double(float(x));
  default:
    return roundToFloat(dtype, x);
  }
}

// Arithmetic on 16-bit floats goes through float32.
static bool isDouble(keratin_dtype_t dtype) { return dtype == KERATIN_DTYPE_FLOAT64; }
static double ulp(keratin_dtype_t dtype) { return isDouble(dtype) ? 0x1p-52 : 0x1p-23; }
static double smallest(keratin_dtype_t dtype) { return isDouble(dtype) ? 0x1p-1074 : 0x1p-149; }
static double largest(keratin_dtype_t dtype) {
  return isDouble(dtype) ? std::numeric_limits<double>::max() : std::numeric_limits<float>::max();
}

// The units in the last place that docs/vector-math.md allows, and a little for the machines
// without FMA. All other functions are rounded correctly.
static double allowedUlps(Operation *op) {
  if (isa<ExpOp, Expm1Op, LogOp, Log1pOp, RsqrtOp>(op))
    return 2;
  if (isa<SinOp, CosOp, TanhOp, LogisticOp>(op))
    return 3;
  if (isa<SoftplusOp>(op))
    return 4;
  if (isa<PowOp>(op))
    return 2;
  return 0;
}

//===-- Single elements -----------------------------------------------------------------------===//

namespace {
enum class Known { Range, NotANumber, Nothing };
} // namespace

static Known known(const BoundedTensor &x, size_t i) {
  if (!x.value.isFloat())
    return x.lower.ints[i] == x.upper.ints[i] ? Known::Range : Known::Nothing;
  if (!std::isnan(x.upper.floats[i]))
    return Known::Range;
  return std::isnan(x.lower.floats[i]) ? Known::NotANumber : Known::Nothing;
}

bool keratin::ir::isBounded(const BoundedTensor &tensor, int64_t i) {
  return known(tensor, i) != Known::Nothing;
}

static void forget(BoundedTensor &x, size_t i) {
  if (x.value.isFloat()) {
    x.lower.floats[i] = -infinity;
    x.upper.floats[i] = nan64;
  } else {
    x.lower.ints[i] = 1;
    x.upper.ints[i] = 0;
  }
}

static void forgetAll(BoundedTensor &x) {
  for (int64_t i = 0; i < x.value.size(); ++i)
    forget(x, i);
}

static void setRange(BoundedTensor &x, size_t i, double lower, double upper) {
  x.lower.floats[i] = lower;
  x.upper.floats[i] = upper;
}

static bool isPoint(const BoundedTensor &x, size_t i) {
  return known(x, i) != Known::Nothing &&
         (!x.value.isFloat() || x.lower.floats[i] == x.upper.floats[i] ||
          known(x, i) == Known::NotANumber);
}

static bool isExact(const BoundedTensor &x) {
  for (int64_t i = 0; i < x.value.size(); ++i)
    if (!isPoint(x, i))
      return false;
  return true;
}

// The values an operand can have, whether it was rounded to memory or stayed in a register.
static BoundedTensor asOperand(const BoundedTensor &x) {
  BoundedTensor y = x;
  for (size_t i = 0; i < y.value.floats.size(); ++i)
    if (known(x, i) == Known::Range) {
      double &lower = y.lower.floats[i], &upper = y.upper.floats[i];
      lower = std::min(lower, rounded(x.value.dtype, lower));
      upper = std::max(upper, rounded(x.value.dtype, upper));
    }
  return y;
}

// A tensor of doubles computed from each element of x.
template <class Function>
static HostTensor mapElements(const BoundedTensor &x, const Function &function) {
  HostTensor y = makeHostTensor(KERATIN_DTYPE_FLOAT64, x.value.dims).value();
  for (int64_t i = 0; i < y.size(); ++i)
    y.floats[i] = function(i);
  return y;
}

static HostTensor magnitude(const BoundedTensor &x) {
  return mapElements(x, [&](size_t i) {
    return known(x, i) == Known::Range
               ? std::max(std::fabs(x.lower.floats[i]), std::fabs(x.upper.floats[i]))
               : 0.0;
  });
}
static HostTensor valueMagnitude(const BoundedTensor &x) {
  return mapElements(x, [&](size_t i) {
    return std::isfinite(x.value.floats[i]) ? std::fabs(x.value.floats[i]) : 0.0;
  });
}
static HostTensor width(const BoundedTensor &x) {
  return mapElements(x, [&](size_t i) {
    return isPoint(x, i) || known(x, i) != Known::Range
               ? 0.0
               : std::max(x.upper.floats[i] - x.value.floats[i],
                          x.value.floats[i] - x.lower.floats[i]);
  });
}
static HostTensor unknowns(const BoundedTensor &x) {
  return mapElements(x, [&](size_t i) { return known(x, i) == Known::Nothing ? 1.0 : 0.0; });
}
static HostTensor nonFinites(const BoundedTensor &x) {
  return mapElements(x, [&](size_t i) {
    return known(x, i) != Known::Nothing &&
                   !(std::isfinite(x.lower.floats[i]) && std::isfinite(x.upper.floats[i]))
               ? 1.0
               : 0.0;
  });
}
static HostTensor ones(const BoundedTensor &x) {
  return mapElements(x, [](size_t) { return 1.0; });
}

//===-- Ops -----------------------------------------------------------------------------------===//

namespace {

class BoundsOfOp {
public:
  BoundsOfOp(Operation *op, ArrayRef<const BoundedTensor *> inputs, EvaluationContext &context,
             const BoundOptions &options)
      : op(op), context(context), options(options) {
    for (const BoundedTensor *input : inputs)
      operands.push_back(asOperand(*input));
  }

  LogicalResult run(std::vector<BoundedTensor> &results);

private:
  // The op on other operands of the same shapes.
  HostTensor evaluate(ArrayRef<const HostTensor *> inputs, bool asDouble = false);
  HostTensor onDoubles(ArrayRef<HostTensor> inputs) {
    SmallVector<const HostTensor *> pointers;
    for (const HostTensor &input : inputs)
      pointers.push_back(&input);
    return evaluate(pointers, /*asDouble=*/true);
  }
  HostTensor corner(unsigned choice);
  HostTensor endOf(bool upper);

  void elementwise();
  void corners(ArrayRef<unsigned> uncertain);
  void adjust(size_t i);
  void divide(size_t i);
  void choose();
  void move();
  void extreme();
  void position();
  void sum(const HostTensor &magnitudes, const HostTensor &finite, ArrayRef<HostTensor> errors,
           double terms);
  void linear();
  void contraction();
  void product();
  void windowSum();
  void windowChoice();
  void forgetBorders();
  // Whether any of the elements that this result combines is flagged.
  HostTensor anyFlag(llvm::function_ref<HostTensor(const BoundedTensor &)> flag);
  // The operand that is the first factor of a contraction; the second follows.
  unsigned factors() const { return isa<SparseDotOp>(op) ? 2 : 0; }
  HostTensor products(HostTensor a, HostTensor b);
  void widen(size_t i, double ulps);
  void widen(double ulps);
  void forgetOverflows();

  Operation *op;
  EvaluationContext &context;
  const BoundOptions &options;
  std::vector<BoundedTensor> operands;
  BoundedTensor result;
  bool failed_ = false;
};

} // namespace

HostTensor BoundsOfOp::evaluate(ArrayRef<const HostTensor *> inputs, bool asDouble) {
  std::vector<HostTensor> outputs;
  for (Type type : op->getResultTypes()) {
    std::vector<int64_t> dims;
    for (const DimExpr &dim : getShape(cast<RankedTensorType>(type)))
      dims.push_back(context.evaluate(dim).value_or(-1));
    std::optional<HostTensor> output = makeHostTensor(
        asDouble ? KERATIN_DTYPE_FLOAT64 : dtypeOf(cast<RankedTensorType>(type).getElementType()),
        dims);
    if (!output) {
      failed_ = true;
      return {};
    }
    outputs.push_back(std::move(*output));
  }
  EvaluationContext scratch;
  scratch.symbols = context.symbols;
  if (failed(cast<EvaluableOpInterface>(op).evaluate(scratch, inputs, outputs))) {
    context.error = scratch.error;
    failed_ = true;
  }
  return outputs[0];
}

// Bit i of the choice: the upper end of operand i.
HostTensor BoundsOfOp::corner(unsigned choice) {
  SmallVector<const HostTensor *> inputs;
  for (auto [i, operand] : llvm::enumerate(operands))
    inputs.push_back(!operand.value.isFloat() ? &operand.value
                     : choice >> i & 1        ? &operand.upper
                                              : &operand.lower);
  return evaluate(inputs);
}

void BoundsOfOp::widen(size_t i, double ulps) {
  keratin_dtype_t dtype = result.value.dtype;
  double lower = result.lower.floats[i], upper = result.upper.floats[i];
  auto error = [&](double x) {
    return std::isfinite(x) ? ulps * (ulp(dtype) * std::fabs(x) + smallest(dtype)) : 0.0;
  };
  setRange(result, i, lower - error(lower), upper + error(upper));
}

void BoundsOfOp::widen(double ulps) {
  if (!result.value.isFloat() || ulps == 0)
    return;
  for (int64_t i = 0; i < result.value.size(); ++i)
    if (known(result, i) == Known::Range)
      widen(i, ulps);
}

//===-- Elementwise ---------------------------------------------------------------------------===//

void BoundsOfOp::corners(ArrayRef<unsigned> uncertain) {
  for (unsigned choice = 0; choice < 1u << uncertain.size(); ++choice) {
    unsigned bits = 0;
    for (auto [k, operand] : llvm::enumerate(uncertain))
      bits |= (choice >> k & 1) << operand;
    HostTensor end = corner(bits);
    for (int64_t i = 0; i < end.size(); ++i) {
      if (known(result, i) == Known::Nothing)
        continue;
      if (!end.isFloat()) {
        if (end.ints[i] != result.value.ints[i])
          forget(result, i);
      } else if (std::isnan(end.floats[i]) != std::isnan(result.value.floats[i])) {
        forget(result, i);
      } else if (!std::isnan(end.floats[i])) {
        setRange(result, i, std::min(result.lower.floats[i], end.floats[i]),
                 std::max(result.upper.floats[i], end.floats[i]));
      }
    }
  }
}

// Where the ends of the operands do not give the ends of the result.
void BoundsOfOp::adjust(size_t i) {
  auto low = [&](unsigned k) { return operands[k].lower.floats[i]; };
  auto high = [&](unsigned k) { return operands[k].upper.floats[i]; };
  auto crossesZero = [&](unsigned k) {
    return !isPoint(operands[k], i) && low(k) <= 0 && high(k) >= 0;
  };
  double lower = result.value.isFloat() ? result.lower.floats[i] : 0;
  double upper = result.value.isFloat() ? result.upper.floats[i] : 0;
  if (isa<AbsOp>(op)) {
    if (crossesZero(0))
      setRange(result, i, 0, upper);
  } else if (isa<SinOp, CosOp>(op)) {
    // Between the ends by at most the square of the width.
    double w = high(0) - low(0);
    if (w != 0)
      setRange(result, i, std::max(-1.0, lower - w * w), std::min(1.0, upper + w * w));
  } else if (isa<DivOp, FloorDivOp>(op)) {
    if (crossesZero(1))
      forget(result, i);
  } else if (isa<ModOp>(op)) {
    if (crossesZero(1) || std::floor(low(0) / low(1)) != std::floor(high(0) / high(1)) ||
        std::floor(low(0) / high(1)) != std::floor(high(0) / low(1)) ||
        std::floor(low(0) / low(1)) != std::floor(low(0) / high(1)))
      forget(result, i);
  } else if (isa<PowOp>(op)) {
    if (!(isPoint(operands[0], i) && isPoint(operands[1], i)) && low(0) <= 0)
      forget(result, i);
  } else if (auto compare = dyn_cast<CompareOp>(op)) {
    bool equality =
        compare.getDirection() == Comparison::EQ || compare.getDirection() == Comparison::NE;
    if (equality && !(isPoint(operands[0], i) && isPoint(operands[1], i)) && low(0) <= high(1) &&
        low(1) <= high(0))
      forget(result, i);
  }
}

// The quotient of floats is rounded before its floor is taken; one with more bits than a float has
// leaves no remainder (see keratin.mod).
void BoundsOfOp::divide(size_t i) {
  double a = operands[0].value.floats[i], b = operands[1].value.floats[i], quotient = a / b;
  keratin_dtype_t dtype =
      isDouble(result.value.dtype) ? KERATIN_DTYPE_FLOAT64 : KERATIN_DTYPE_FLOAT32;
  double lower = result.lower.floats[i], upper = result.upper.floats[i];
  if (isa<FloorDivOp>(op)) {
    double floor = std::floor(rounded(dtype, quotient));
    setRange(result, i, std::min(lower, floor), std::max(upper, floor));
  } else if (std::fabs(quotient) * ulp(dtype) >= 0.5 && std::isfinite(quotient)) {
    setRange(result, i, std::min(lower, std::min(b, 0.0)), std::max(upper, std::max(b, 0.0)));
  } else if (std::isinf(quotient) && std::isfinite(a) && b != 0) {
    setRange(result, i, std::min(b, 0.0), std::max(b, 0.0));
  } else {
    widen(i, 2);
  }
}

void BoundsOfOp::choose() {
  const BoundedTensor &condition = operands[0];
  for (int64_t i = 0; i < result.value.size(); ++i) {
    const BoundedTensor &a = operands[1], &b = operands[2];
    const BoundedTensor &chosen = condition.value.ints[i] ? a : b;
    copyElement(result.lower, i, chosen.lower, i);
    copyElement(result.upper, i, chosen.upper, i);
    if (known(condition, i) == Known::Range)
      continue;
    if (known(a, i) != Known::Range || known(b, i) != Known::Range || !a.value.isFloat())
      forget(result, i);
    else
      setRange(result, i, std::min(a.lower.floats[i], b.lower.floats[i]),
               std::max(a.upper.floats[i], b.upper.floats[i]));
  }
}

void BoundsOfOp::elementwise() {
  if (isa<SelectOp>(op))
    return choose();
  SmallVector<unsigned> uncertain;
  for (auto [k, operand] : llvm::enumerate(operands)) {
    for (int64_t i = 0; i < result.value.size(); ++i)
      if (known(operand, i) == Known::Nothing)
        forget(result, i);
    if (operand.value.isFloat() && !isExact(operand))
      uncertain.push_back(k);
  }
  if (!uncertain.empty()) {
    corners(uncertain);
    if (operands[0].value.isFloat())
      for (int64_t i = 0; i < result.value.size(); ++i)
        if (known(result, i) == Known::Range)
          adjust(i);
  }
  if (isa<FloorDivOp, ModOp>(op) && result.value.isFloat())
    for (int64_t i = 0; i < result.value.size(); ++i)
      if (known(result, i) == Known::Range)
        divide(i);
  bool isIdentity = isa<IdentityOp, StopGradientOp, NegOp, AbsOp, CastOp>(op);
  widen(allowedUlps(op) + (options.rewritten && !isIdentity ? 1 : 0));
}

//===-- Moves ---------------------------------------------------------------------------------===//

HostTensor BoundsOfOp::endOf(bool upper) {
  SmallVector<const HostTensor *> inputs;
  for (const BoundedTensor &operand : operands)
    inputs.push_back(upper ? &operand.upper : &operand.lower);
  // Places are what they are.
  if (isa<GatherOp, TruncateOp>(op))
    inputs[1] = &operands[1].value;
  if (isa<ScatterAddOp, WindowPickOp, WindowScatterOp>(op))
    inputs[0] = &operands[0].value;
  if (isa<DynamicSliceOp, DynamicUnsliceOp>(op))
    for (size_t i = 1; i < operands.size(); ++i)
      inputs[i] = &operands[i].value;
  return evaluate(inputs);
}

static bool hasUncertainPlace(Operation *op, ArrayRef<BoundedTensor> operands) {
  if (isa<ScatterAddOp>(op))
    return !isExact(operands[0]);
  if (isa<SparseDotOp>(op))
    return !isExact(operands[0]) || !isExact(operands[1]);
  if (!isa<GatherOp, TruncateOp, DynamicSliceOp, DynamicUnsliceOp>(op))
    return false;
  return !llvm::all_of(operands.drop_front(), isExact);
}

void BoundsOfOp::move() {
  if (hasUncertainPlace(op, operands))
    return forgetAll(result);
  result.lower = endOf(false);
  result.upper = endOf(true);
}

//===-- Reductions, scans, contractions -------------------------------------------------------===//

static std::vector<int64_t> combinedAxes(Operation *op) {
  if (auto reduction = dyn_cast<ReductionOpInterface>(op))
    return reduction.getReducedAxes().vec();
  return {op->getAttrOfType<IntegerAttr>("axis").getInt()};
}

// What a contraction makes of other factors at the same places.
HostTensor BoundsOfOp::products(HostTensor a, HostTensor b) {
  if (!isa<SparseDotOp>(op))
    return onDoubles({std::move(a), std::move(b)});
  return evaluate({&operands[0].value, &operands[1].value, &a, &b}, /*asDouble=*/true);
}

HostTensor BoundsOfOp::anyFlag(llvm::function_ref<HostTensor(const BoundedTensor &)> flag) {
  if (isa<DotGeneralOp, ConvolutionOp, SparseDotOp>(op)) {
    const BoundedTensor &a = operands[factors()], &b = operands[factors() + 1];
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
  if (isa<ScatterAddOp, WindowScatterOp>(op)) {
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
    else if (nonFinite.floats[i])
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
  unsigned data = isa<ScatterAddOp>(op) ? 1 : 0;
  const BoundedTensor &x = operands[data];
  if (hasUncertainPlace(op, operands))
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

void BoundsOfOp::contraction() {
  const BoundedTensor &a = operands[factors()], &b = operands[factors() + 1];
  if (hasUncertainPlace(op, operands))
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
  // Partial products must neither overflow nor lose bits below the smallest number.
  auto spread = [](std::vector<HostTensor> tensors, bool large) {
    for (HostTensor &tensor : tensors)
      for (double &x : tensor.floats)
        x = large ? std::max(x, 1.0) : x == 0 ? 1.0 : std::min(x, 1.0);
    return tensors;
  };
  HostTensor most = onDoubles(spread(low, true)), least = onDoubles(spread(low, false));
  keratin_dtype_t dtype = result.value.dtype;
  for (int64_t i = 0; i < error.size(); ++i) {
    error.floats[i] = upper.floats[i] - lower.floats[i];
    if (least.floats[i] < smallest(dtype) * 0x1p30)
      most.floats[i] = infinity;
  }
  sum(upper, most, {error}, terms <= 1 ? 0 : terms);
}

//===-- Functions -----------------------------------------------------------------------------===//

// What is not finite although all operands are may be finite in another form of the function.
void BoundsOfOp::forgetOverflows() {
  if (!result.value.isFloat() || isa<IndexingOpInterface>(op))
    return;
  bool finite = llvm::all_of(operands, [](const BoundedTensor &operand) {
    return llvm::all_of(operand.value.floats, [](double x) { return std::isfinite(x); });
  });
  for (int64_t i = 0; finite && i < result.value.size(); ++i)
    if (!std::isfinite(result.value.floats[i]))
      forget(result, i);
}

LogicalResult BoundsOfOp::run(std::vector<BoundedTensor> &results) {
  SmallVector<const HostTensor *> values;
  for (const BoundedTensor &operand : operands)
    values.push_back(&operand.value);
  result.value = evaluate(values);
  if (failed_)
    return failure();
  result.lower = result.upper = result.value;
  if (isa<ElementwiseOpInterface>(op))
    elementwise();
  else if (isa<IndexingOpInterface, TruncateOp, ReshapeOp, RequireOp, DependOp, PrintOp>(op))
    move();
  else if (isa<ReduceSumOp, CumsumOp, ScatterAddOp>(op))
    linear();
  else if (isa<ReduceProdOp, CumprodOp, LinearRecurrenceOp>(op))
    product();
  else if (isa<ReductionOpInterface>(op))
    extreme();
  else if (isa<ArgMaxOp, ArgMinOp>(op))
    position();
  else if (isa<WindowMaxOp>(op))
    extreme();
  else if (isa<WindowSumOp>(op))
    windowSum();
  else if (isa<WindowPickOp, WindowScatterOp>(op))
    windowChoice();
  else if (isa<DotGeneralOp, ConvolutionOp, SparseDotOp>(op))
    contraction();
  else if (!llvm::all_of(operands, isExact))
    forgetAll(result);
  if (failed_)
    return failure();
  if (options.rewritten)
    forgetOverflows();
  results.push_back(std::move(result));
  return success();
}

//===-- Functions, loops and branches ---------------------------------------------------------===//

namespace {

// A tensor as the walk over a loop's steps sees it.
struct SteppedTensor : BoundedTensor {
  SteppedTensor() = default;
  SteppedTensor(BoundedTensor tensor) : BoundedTensor(std::move(tensor)) {}
  explicit SteppedTensor(const HostTensor &exact) : BoundedTensor{exact, exact, exact} {}
};

SteppedTensor elementOf(const SteppedTensor &tensor, int64_t place) {
  return BoundedTensor{reference::elementOf(tensor.value, place),
                       reference::elementOf(tensor.lower, place),
                       reference::elementOf(tensor.upper, place)};
}

void setElement(SteppedTensor &stack, int64_t place, const SteppedTensor &element) {
  reference::setElement(stack.value, place, element.value);
  reference::setElement(stack.lower, place, element.lower);
  reference::setElement(stack.upper, place, element.upper);
}

class BoundedRun {
public:
  BoundedRun(EvaluationContext &context, const BoundOptions &options)
      : context(context), options(options) {}

  LogicalResult block(Block &block, ArrayRef<const BoundedTensor *> arguments,
                      std::vector<BoundedTensor> &results);

private:
  LogicalResult op(Operation &op, ArrayRef<const BoundedTensor *> operands,
                   std::vector<BoundedTensor> &results);
  LogicalResult loop(LoopOpInterface loop, ArrayRef<const BoundedTensor *> operands,
                     std::vector<BoundedTensor> &results);
  LogicalResult branch(IfOp op, ArrayRef<const BoundedTensor *> operands,
                       std::vector<BoundedTensor> &results);
  LogicalResult search(Operation &op, ArrayRef<const BoundedTensor *> operands,
                       std::vector<BoundedTensor> &results);

  EvaluationContext &context;
  const BoundOptions &options;
  llvm::DenseSet<int64_t> open; // numbers of steps that may be others
};

} // namespace

LogicalResult BoundedRun::loop(LoopOpInterface loop, ArrayRef<const BoundedTensor *> operands,
                               std::vector<BoundedTensor> &results) {
  std::vector<SteppedTensor> made, given;
  for (const BoundedTensor *operand : operands)
    given.push_back(*operand);
  SmallVector<const SteppedTensor *> pointers;
  for (const SteppedTensor &operand : given)
    pointers.push_back(&operand);
  auto runBody = [&](ArrayRef<const SteppedTensor *> arguments,
                     std::vector<SteppedTensor> &yielded) -> LogicalResult {
    SmallVector<const BoundedTensor *> plain(arguments.begin(), arguments.end());
    std::vector<BoundedTensor> values;
    if (failed(block(loop.getBody().front(), plain, values)))
      return failure();
    yielded.assign(values.begin(), values.end());
    return success();
  };
  if (auto scan = dyn_cast<ScanOp>(*loop)) {
    std::vector<HostTensor> empty;
    if (failed(allocateResults(*scan, context, empty)))
      return failure();
    made = std::vector<SteppedTensor>(empty.begin(), empty.end());
    if (failed(runSteps<SteppedTensor>(scan, pointers, context, made, runBody)))
      return failure();
    results.assign(made.begin(), made.end());
    if (llvm::any_of(scan.getSteps().symbols(), [&](int64_t id) { return open.contains(id); }))
      for (BoundedTensor &result : results)
        forgetAll(result);
    return success();
  }
  // Where the errors leave open whether there is a further step, anything may have come of it.
  bool isOpen = false;
  auto isTrue = [&](const SteppedTensor &flag) {
    isOpen |= !isExact(flag);
    return flag.value.ints[0] != 0;
  };
  if (failed(
          runSteps<SteppedTensor>(cast<WhileOp>(*loop), pointers, context, made, runBody, isTrue)))
    return failure();
  results.assign(made.begin(), made.end());
  if (!isOpen)
    return success();
  for (BoundedTensor &result : results)
    forgetAll(result);
  if (auto unknown = cast<WhileOp>(*loop); unknown.getLength())
    open.insert(unknown.getSteps().symbolId());
  return success();
}

// Where it is not certain which branch is taken, either result may be seen.
LogicalResult BoundedRun::branch(IfOp op, ArrayRef<const BoundedTensor *> operands,
                                 std::vector<BoundedTensor> &results) {
  bool first = operands[0]->value.ints[0] != 0, certain = isBounded(*operands[0], 0);
  Region &taken = first ? op.getThenBody() : op.getElseBody();
  Region &other = first ? op.getElseBody() : op.getThenBody();
  if (failed(block(taken.front(), operands.drop_front(), results)))
    return failure();
  if (certain)
    return success();
  std::vector<BoundedTensor> others;
  std::string error = context.error;
  if (failed(block(other.front(), operands.drop_front(), others))) {
    context.error = error;
    llvm::for_each(results, forgetAll);
    return success();
  }
  for (auto [result, another] : llvm::zip(results, others))
    for (int64_t i = 0; i < result.value.size(); ++i) {
      if (known(result, i) != Known::Range || known(another, i) != Known::Range)
        forget(result, i);
      else if (result.value.isFloat())
        setRange(result, i, std::min(result.lower.floats[i], another.lower.floats[i]),
                 std::max(result.upper.floats[i], another.upper.floats[i]));
      else if (result.value.ints[i] != another.value.ints[i])
        forget(result, i);
    }
  return success();
}

// Decisions that follow from exact operands are what they are, since everybody computes with
// doubles; of others nothing is known. Logarithms are added up a few times each step.
LogicalResult BoundedRun::search(Operation &op, ArrayRef<const BoundedTensor *> operands,
                                 std::vector<BoundedTensor> &results) {
  std::vector<HostTensor> values;
  SmallVector<const HostTensor *> given;
  bool exact = true;
  for (const BoundedTensor *operand : operands) {
    given.push_back(&operand->value);
    exact &= isExact(*operand);
  }
  if (failed(allocateResults(op, context, values)) ||
      failed(cast<EvaluableOpInterface>(op).evaluate(context, given, values)))
    return failure();
  for (HostTensor &value : values) {
    BoundedTensor &result = results.emplace_back(BoundedTensor{value, value, value});
    for (size_t i = 0; i < value.floats.size(); ++i) {
      double size = std::fabs(value.floats[i]);
      double error = std::isfinite(size) ? ulp(value.dtype) * size + 0x1p-44 * (1 + size) : 0.0;
      result.lower.floats[i] -= error;
      result.upper.floats[i] += error;
    }
    if (!exact)
      forgetAll(result);
  }
  return success();
}

LogicalResult BoundedRun::op(Operation &op, ArrayRef<const BoundedTensor *> operands,
                             std::vector<BoundedTensor> &results) {
  if (auto steps = dyn_cast<LoopOpInterface>(op))
    return loop(steps, operands, results);
  if (auto choice = dyn_cast<IfOp>(op))
    return branch(choice, operands, results);
  if (isa<DefineSizeOp>(op))
    return success(); // the interpreter, which has run before, has bound the symbol
  if (isa<CtcBeamSearchOp>(op))
    return search(op, operands, results);
  return BoundsOfOp(&op, operands, context, options).run(results);
}

LogicalResult BoundedRun::block(Block &block, ArrayRef<const BoundedTensor *> arguments,
                                std::vector<BoundedTensor> &results) {
  llvm::DenseMap<Value, BoundedTensor> values;
  for (auto [value, argument] : llvm::zip(block.getArguments(), arguments))
    values[value] = *argument;
  for (Operation &inner : block) {
    SmallVector<const BoundedTensor *> operands;
    for (Value operand : inner.getOperands())
      operands.push_back(&values[operand]);
    if (isa<func::ReturnOp, YieldOp>(inner)) {
      for (const BoundedTensor *operand : operands)
        results.push_back(*operand);
      break;
    }
    std::vector<BoundedTensor> made;
    if (failed(op(inner, operands, made)))
      return failure();
    for (auto [value, tensor] : llvm::zip(inner.getResults(), made))
      values[value] = std::move(tensor);
  }
  return success();
}

llvm::FailureOr<std::vector<BoundedTensor>>
keratin::ir::interpretWithBounds(func::FuncOp function, ArrayRef<HostTensor> arguments,
                                 EvaluationContext &context, const BoundOptions &options) {
  // Binds the symbols, and refuses what cannot be run.
  if (failed(interpret(function, arguments, context)))
    return failure();
  std::vector<BoundedTensor> given, results;
  for (const HostTensor &argument : arguments)
    given.push_back({argument, argument, argument});
  SmallVector<const BoundedTensor *> pointers;
  for (const BoundedTensor &argument : given)
    pointers.push_back(&argument);
  if (failed(BoundedRun(context, options).block(function.getBody().front(), pointers, results)))
    return failure();
  return results;
}

static bool isWithin(const HostTensor &actual, const BoundedTensor &expected, size_t i,
                     double slack) {
  if (known(expected, i) == Known::Nothing)
    return true;
  if (!actual.isFloat())
    return actual.ints[i] == expected.value.ints[i];
  double x = rounded(actual.dtype, actual.floats[i]), value = expected.value.floats[i];
  if (known(expected, i) == Known::NotANumber || std::isnan(x))
    return std::isnan(x) && known(expected, i) == Known::NotANumber;
  double lower = expected.lower.floats[i], upper = expected.upper.floats[i];
  if (slack != 1 && std::isfinite(lower) && std::isfinite(upper)) {
    lower = value - slack * (value - lower);
    upper = value + slack * (upper - value);
  }
  return x >= rounded(actual.dtype, lower) && x <= rounded(actual.dtype, upper);
}

// "[1, 2]"
static std::string indexText(int64_t element, ArrayRef<int64_t> dims) {
  std::string text;
  for (int64_t dim : llvm::reverse(dims)) {
    text = std::to_string(element % dim) + (text.empty() ? "" : ", ") + text;
    element /= dim;
  }
  return "[" + text + "]";
}

std::optional<std::string> keratin::ir::findMismatch(const HostTensor &actual,
                                                     const BoundedTensor &expected, double slack) {
  if (actual.dtype != expected.value.dtype || actual.dims != expected.value.dims ||
      actual.size() != expected.value.size())
    return "another dtype or shape";
  int64_t first = -1, wrong = 0;
  for (int64_t i = 0; i < actual.size(); ++i)
    if (!isWithin(actual, expected, i, slack) && wrong++ == 0)
      first = i;
  if (!wrong)
    return std::nullopt;
  char text[200];
  if (actual.isFloat())
    snprintf(text, sizeof text, " is %.17g; it must be %.17g, from %.17g to %.17g",
             actual.floats[first], expected.value.floats[first], expected.lower.floats[first],
             expected.upper.floats[first]);
  else
    snprintf(text, sizeof text, " is %ld; it must be %ld", long(actual.ints[first]),
             long(expected.value.ints[first]));
  return "element " + indexText(first, actual.dims) + text +
         (wrong == 1 ? ""
                     : "; " + std::to_string(wrong) + " of " + std::to_string(actual.size()) +
                           " elements are wrong");
}
