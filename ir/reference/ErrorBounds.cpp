#include "ir/reference/ErrorBounds.h"

#include "ir/interfaces/ComputedSizes.h"
#include "ir/reference/BlockRunner.h"
#include "ir/reference/BoundsOfCollective.h"
#include "ir/reference/BoundsOfFactorization.h"
#include "ir/reference/BoundsOfFourier.h"
#include "ir/reference/BoundsOfOp.h"
#include "ir/reference/Evaluation.h"
#include "ir/reference/HostConversions.h"
#include "ir/reference/Interpreter.h"

#include <cmath>

using namespace keratin;
using namespace keratin::ir;
using namespace keratin::ir::reference;
using namespace mlir;

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

  LogicalResult define(Operation &op, ArrayRef<const BoundedTensor *> operands);
  bool hasOpenSize(Operation &op) const;

  EvaluationContext &context;
  const BoundOptions &options;
  llvm::DenseSet<int64_t> open; // sizes and numbers of steps that may be others
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
  auto unknown = cast<WhileOp>(*loop);
  if (unknown.getLength())
    open.erase(unknown.getSteps().symbolId());
  if (!isOpen)
    return success();
  llvm::for_each(results, forgetAll);
  if (unknown.getLength())
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
  if (auto checkpoint = dyn_cast<CheckpointOp>(op))
    return block(checkpoint.getBody().front(), operands, results);
  if (auto custom = dyn_cast<CustomGradientOp>(op)) {
    for (const BoundedTensor *output : operands.take_front(custom.getOutputs().size()))
      results.push_back(*output);
    return success();
  }
  if (isa<TruncateOp, DefineSizeOp>(op) && failed(define(op, operands)))
    return failure();
  if (isa<DefineSizeOp>(op))
    return success();
  if (isa<CtcBeamSearchOp>(op))
    return search(op, operands, results);
  if (isa<CholeskyOp, EighOp, LuOp, QrOp, SvdOp, TriangularSolveOp>(op))
    return boundsOfFactorization(&op, operands, context, results);
  if (isa<FftOp>(op))
    return boundsOfFourier(&op, operands, context, results);
  if (isa<ComplexOp, RealOp, ImagOp, AsPartsOp, FromPartsOp>(op))
    return fail(context, op.getName().getStringRef() + ": no bounds of complex numbers");
  if (isCollective(&op))
    return boundsOfCollective(&op, *operands[0], context, results);
  return BoundsOfOp(&op, operands, context, options).run(results);
}

// In each step of a loop a size has another value.
LogicalResult BoundedRun::define(Operation &op, ArrayRef<const BoundedTensor *> operands) {
  SmallVector<const HostTensor *> values;
  for (const BoundedTensor *operand : operands)
    values.push_back(&operand->value);
  int64_t symbol = *symbolDefinedBy(&op);
  open.erase(symbol);
  if (!isExact(*operands.back())) // the size
    open.insert(symbol);
  return defineSizes(op, values, context);
}

bool BoundedRun::hasOpenSize(Operation &op) const {
  bool found = false;
  if (!open.empty())
    forEachSymbol(&op, [&](int64_t id) { found |= open.contains(id); });
  return found;
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
    if (hasOpenSize(inner))
      llvm::for_each(made, forgetAll);
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
