#include "ir/reference/BoundsOfOp.h"

#include "ir/reference/ElementMath.h"
#include "ir/reference/HostConversions.h"
#include "ir/reference/IndexWalk.h"

#include <cmath>

using namespace keratin;
using namespace keratin::ir;
using namespace keratin::ir::reference;
using namespace mlir;

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
    double quotient = reference::floorDiv(low(0), low(1));
    if (crossesZero(1) || quotient != reference::floorDiv(high(0), high(1)) ||
        quotient != reference::floorDiv(low(0), high(1)) ||
        quotient != reference::floorDiv(high(0), low(1)) || std::fabs(quotient) >= 0x1p52)
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
  if (isa<FloorDivOp>(op) && result.value.isFloat())
    for (int64_t i = 0; i < result.value.size(); ++i)
      if (known(result, i) == Known::Range)
        divideLong(i);
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

bool BoundsOfOp::hasUncertainPlace() const {
  if (isa<ScatterAddOp>(op))
    return !isExact(operands[0]);
  if (isa<SparseDotOp>(op))
    return !isExact(operands[0]) || !isExact(operands[1]);
  if (!isa<GatherOp, TruncateOp, DynamicSliceOp, DynamicUnsliceOp>(op))
    return false;
  return !llvm::all_of(llvm::drop_begin(operands), isExact);
}

void BoundsOfOp::move() {
  if (hasUncertainPlace())
    return forgetAll(result);
  result.lower = endOf(false);
  result.upper = endOf(true);
}

//===-- All families --------------------------------------------------------------------------===//

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
