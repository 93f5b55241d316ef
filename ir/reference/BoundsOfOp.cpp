#include "ir/reference/BoundsOfOp.h"

#include "ir/reference/ElementMath.h"
#include "ir/reference/HostConversions.h"
#include "ir/reference/IndexWalk.h"

#include <cmath>
#include <limits>

using namespace keratin;
using namespace keratin::ir;
using namespace keratin::ir::reference;
using namespace mlir;

//===-- Evaluation ----------------------------------------------------------------------------===//

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

void BoundsOfOp::adjust(AbsOp, size_t i) {
  if (crossesZero(0, i))
    setRange(result, i, 0, result.upper.floats[i]);
}

// Between the ends by at most the square of the width.
void BoundsOfOp::limitWave(size_t i) {
  if (double w = high(0, i) - low(0, i); w != 0)
    setRange(result, i, std::max(-1.0, result.lower.floats[i] - w * w),
             std::min(1.0, result.upper.floats[i] + w * w));
}

void BoundsOfOp::adjust(SinOp, size_t i) { limitWave(i); }
void BoundsOfOp::adjust(CosOp, size_t i) { limitWave(i); }

// Between two poles it rises.
void BoundsOfOp::adjust(TanOp, size_t i) {
  auto branch = [](double x) { return std::floor(x / M_PI + 0.5); };
  if (branch(low(0, i)) != branch(high(0, i)))
    forget(result, i);
}

// Poles at whole numbers from 0 down, and one valley of what is positive.
void BoundsOfOp::adjust(LgammaOp, size_t i) {
  constexpr double valley = 1.4616321449683623, least = -0.12148629053584961;
  if (isPoint(operands[0], i))
    return;
  if (low(0, i) <= 0)
    return forget(result, i);
  if (low(0, i) < valley && high(0, i) > valley)
    setRange(result, i, least, result.upper.floats[i]);
}

// Between two poles it rises.
void BoundsOfOp::adjust(DigammaOp, size_t i) {
  double branch = std::ceil(low(0, i));
  if (low(0, i) <= 0 && !isPoint(operands[0], i) &&
      (branch != std::ceil(high(0, i)) || branch == low(0, i) || branch == high(0, i)))
    forget(result, i);
}

// Falls in b; of an a with an error nothing is said.
void BoundsOfOp::adjust(ZetaOp, size_t i) {
  if (!isPoint(operands[0], i) || (!isPoint(operands[1], i) && low(1, i) <= 0))
    forget(result, i);
}

// Of operands with errors nothing is said.
void BoundsOfOp::adjust(GammaSampleGradientOp, size_t i) {
  if (!isPoint(operands[0], i) || !isPoint(operands[1], i))
    forget(result, i);
}

void BoundsOfOp::adjust(BetaSampleGradientOp, size_t i) {
  if (!llvm::all_of(operands, [&](const auto &operand) { return isPoint(operand, i); }))
    forget(result, i);
}

// Falls on both sides of 0.
void BoundsOfOp::adjust(BesselI0eOp, size_t i) {
  if (crossesZero(0, i))
    setRange(result, i, result.lower.floats[i], 1);
}

// Rises between its extremes.
void BoundsOfOp::adjust(BesselI1eOp, size_t i) {
  constexpr double place = 1.5451272579925427, most = 0.21909197495053097;
  double lower = result.lower.floats[i], upper = result.upper.floats[i];
  if (low(0, i) < place && high(0, i) > place)
    upper = most;
  if (low(0, i) < -place && high(0, i) > -place)
    lower = -most;
  setRange(result, i, lower, upper);
}

void BoundsOfOp::adjust(DivOp, size_t i) {
  if (crossesZero(1, i))
    forget(result, i);
}

void BoundsOfOp::adjust(FloorDivOp, size_t i) {
  if (crossesZero(1, i))
    forget(result, i);
}

void BoundsOfOp::adjust(ModOp, size_t i) {
  double quotient = reference::floorDiv(low(0, i), low(1, i));
  if (crossesZero(1, i) || quotient != reference::floorDiv(high(0, i), high(1, i)) ||
      quotient != reference::floorDiv(low(0, i), high(1, i)) ||
      quotient != reference::floorDiv(high(0, i), low(1, i)) || std::fabs(quotient) >= 0x1p52)
    forget(result, i);
}

void BoundsOfOp::adjust(PowOp, size_t i) {
  if (!(isPoint(operands[0], i) && isPoint(operands[1], i)) && low(0, i) <= 0)
    forget(result, i);
}

void BoundsOfOp::adjust(CompareOp compare, size_t i) {
  bool equality =
      compare.getDirection() == Comparison::EQ || compare.getDirection() == Comparison::NE;
  if (equality && !(isPoint(operands[0], i) && isPoint(operands[1], i)) &&
      low(0, i) <= high(1, i) && low(1, i) <= high(0, i))
    forget(result, i);
}

void BoundsOfOp::adjust(size_t i) {
#define KERATIN_BOUNDS(Op, rule)
#define KERATIN_ADJUSTED(Op)                                                                       \
  if (auto own = dyn_cast<Op>(op))                                                                 \
    return adjust(own, i);
#include "ir/reference/OpBounds.inc"
}

// A quotient with no bit for a fraction is rounded, not cut off (see keratin.floor_div).
void BoundsOfOp::divideLong(size_t i) {
  double quotient = operands[0].value.floats[i] / operands[1].value.floats[i];
  keratin_dtype_t dtype =
      result.value.dtype == KERATIN_DTYPE_FLOAT64 ? KERATIN_DTYPE_FLOAT64 : KERATIN_DTYPE_FLOAT32;
  double nearest = rounded(dtype, quotient);
  if (std::fabs(quotient) * ulp(dtype) >= 0.5)
    setRange(result, i, std::min(result.lower.floats[i], nearest),
             std::max(result.upper.floats[i], nearest));
}

// NaN, which the ends of the ranges do not show where 0 lies between them.
void BoundsOfOp::forgetInfinityTimesZero(size_t i) {
  for (unsigned k : {0, 1})
    if (crossesZero(k, i) && (std::isinf(low(1 - k, i)) || std::isinf(high(1 - k, i))))
      forget(result, i);
}

// NaN to the power of 0 is 1, and so is 1 to the power of NaN: also of what is rounded to these.
void BoundsOfOp::forgetPowersThatAreOne(size_t i) {
  if (known(result, i) != Known::NotANumber)
    return;
  auto mayBe = [&](unsigned k, double x) {
    const keratin_dtype_t dtype = result.value.dtype;
    return known(operands[k], i) == Known::Range && rounded(dtype, low(k, i)) <= x &&
           rounded(dtype, high(k, i)) >= x;
  };
  if (mayBe(1, 0) || mayBe(0, 1))
    forget(result, i);
}

// A machine without an instruction for it rounds the product too, which may overflow then.
void BoundsOfOp::roundProduct(size_t i) {
  keratin_dtype_t dtype = result.value.dtype;
  double product = 0;
  for (double a : {low(0, i), high(0, i)})
    for (double b : {low(1, i), high(1, i)})
      product = std::max(product, std::fabs(a * b));
  const bool isFinite = std::isfinite(low(0, i)) && std::isfinite(high(0, i)) &&
                        std::isfinite(low(1, i)) && std::isfinite(high(1, i));
  if (!isFinite)
    return;
  if (!std::isfinite(rounded(dtype, product)))
    return forget(result, i);
  double error = 2 * (ulp(dtype) * product + smallest(dtype));
  setRange(result, i, result.lower.floats[i] - error, result.upper.floats[i] + error);
}

// Of floats, whether or not their operands are exact.
// Of negative x, lgamma and digamma are made of f(1 - x), whose last places they are wrong by,
// however close to 0 they come (docs/vector-math.md).
void BoundsOfOp::addErrorOfReflection(size_t i) {
  double lower = result.lower.floats[i], upper = result.upper.floats[i];
  if (low(0, i) >= 0 || !std::isfinite(lower) || !std::isfinite(upper))
    return;
  double mirrored = 1 - low(0, i);
  double size = isa<LgammaOp>(op) ? reference::logGamma(mirrored) : reference::digamma(mirrored);
  double error = double(allowedUlps(op)) * std::numeric_limits<double>::epsilon() *
                 std::fmax(1, std::fabs(size));
  setRange(result, i, lower - error, upper + error);
}

// Far from the middle incomplete gamma and beta are powers, wrong by as many last places more as
// their logarithm is large.
void BoundsOfOp::addErrorOfTail(size_t i) {
  const double lower = result.lower.floats[i], upper = result.upper.floats[i];
  if (!(lower > 0 && lower < 1) || !std::isfinite(upper))
    return;
  const double error = -6 * std::log(lower) * std::numeric_limits<double>::epsilon() * upper;
  setRange(result, i, lower - error, upper + error);
}

void BoundsOfOp::addWhatEndsHide(size_t i) {
  if (isa<PowOp>(op))
    forgetPowersThatAreOne(i);
  if (isa<MulOp, MultiplyAddOp>(op))
    forgetInfinityTimesZero(i);
  if (known(result, i) != Known::Range)
    return;
  if (isa<FloorDivOp>(op))
    divideLong(i);
  if (isa<MultiplyAddOp>(op))
    roundProduct(i);
  if (isa<LgammaOp, DigammaOp>(op))
    addErrorOfReflection(i);
  if (isa<IgammaOp, IgammacOp, BetaincOp>(op))
    addErrorOfTail(i);
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

// Weights of halves may be rounded before they are divided by their sum: by as much of themselves,
// but not to numbers of their dtype.
void BoundsOfOp::roundWeights() {
  auto cast = dyn_cast<CastOp>(op);
  auto div = cast ? cast.getX().getDefiningOp<DivOp>() : dyn_cast<DivOp>(op);
  const keratin_dtype_t dtype = result.value.dtype;
  const bool isHalf = dtype == KERATIN_DTYPE_FLOAT16;
  if (!(isHalf || dtype == KERATIN_DTYPE_BFLOAT16) || !div || !div.getA().getDefiningOp<ExpOp>())
    return;
  const double relative = isHalf ? 0x1p-11 : 0x1p-8, absolute = isHalf ? 0x1p-25 : 0x1p-134;
  for (int64_t i = 0; i < result.value.size(); ++i) {
    if (known(result, i) != Known::Range)
      continue;
    double lower = result.lower.floats[i], upper = result.upper.floats[i];
    setRange(result, i, lower - relative * std::fabs(lower) - absolute,
             upper + relative * std::fabs(upper) + absolute);
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
  for (int64_t i = 0; result.value.isFloat() && i < result.value.size(); ++i)
    addWhatEndsHide(i);
  widen(allowedUlps(op) + (options.rewritten && !neverRounds(op) ? 1 : 0));
  roundWeights();
}

//===-- Moves ---------------------------------------------------------------------------------===//

HostTensor BoundsOfOp::endOf(bool upper) {
  SmallVector<const HostTensor *> inputs;
  for (const BoundedTensor &operand : operands)
    inputs.push_back(upper ? &operand.upper : &operand.lower);
  // Places are what they are.
  for (size_t i = 0; i < operands.size(); ++i)
    if (saysWhere(op, i))
      inputs[i] = &operands[i].value;
  return evaluate(inputs);
}

bool BoundsOfOp::hasUncertainPlace() const {
  for (size_t i = 0; i < operands.size(); ++i)
    if (saysWhere(op, i) && !isExact(operands[i]))
      return true;
  return false;
}

void BoundsOfOp::move() {
  if (hasUncertainPlace())
    return forgetAll(result);
  result.lower = endOf(false);
  result.upper = endOf(true);
}

//===-- All families --------------------------------------------------------------------------===//

// What is not finite although all that it is computed from is may be finite in another form of the
// function. Sums look at their own elements (BoundsOfOp::sum).
void BoundsOfOp::forgetOverflows() {
  if (!result.value.isFloat() || isa<IndexingOpInterface>(op))
    return;
  const bool byElement = ruleOf(op) == BoundsRule::Elementwise;
  auto isFinite = [](double x) { return std::isfinite(x); };
  const bool areFinite = llvm::all_of(operands, [&](const BoundedTensor &operand) {
    return llvm::all_of(operand.value.floats, isFinite);
  });
  for (int64_t i = 0; i < result.value.size(); ++i) {
    if (isFinite(result.value.floats[i]))
      continue;
    bool isOverflow = byElement ? llvm::all_of(operands,
                                               [&](const BoundedTensor &operand) {
                                                 return !operand.value.isFloat() ||
                                                        isFinite(operand.value.floats[i]);
                                               })
                                : areFinite;
    if (isOverflow)
      forget(result, i);
  }
}

BoundsRule reference::ruleOf(Operation *op) {
#define KERATIN_BOUNDS(Op, rule)                                                                   \
  if (isa<Op>(op))                                                                                 \
    return BoundsRule::rule;
#define KERATIN_ADJUSTED(Op)
#include "ir/reference/OpBounds.inc"
  return BoundsRule::Unknown;
}

void BoundsOfOp::apply(BoundsRule rule) {
  switch (rule) {
  case BoundsRule::Unknown:
    if (!llvm::all_of(operands, isExact))
      forgetAll(result);
    return;
  case BoundsRule::Elementwise:
    return elementwise();
  case BoundsRule::Move:
    return move();
  case BoundsRule::Linear:
    return linear();
  case BoundsRule::Product:
    return product();
  case BoundsRule::Extreme:
    return extreme();
  case BoundsRule::LogSum:
    return logSum();
  case BoundsRule::Position:
    return position();
  case BoundsRule::Contraction:
    return contraction();
  case BoundsRule::WindowSum:
    return windowSum();
  case BoundsRule::WindowChoice:
    return windowChoice();
  }
}

LogicalResult BoundsOfOp::run(std::vector<BoundedTensor> &results) {
  SmallVector<const HostTensor *> values;
  for (const BoundedTensor &operand : operands)
    values.push_back(&operand.value);
  result.value = evaluate(values);
  if (failed_)
    return failure();
  result.lower = result.upper = result.value;
  apply(ruleOf(op));
  if (failed_)
    return failure();
  if (options.rewritten)
    forgetOverflows();
  results.push_back(std::move(result));
  return success();
}
