#include "ir/reference/BoundsOfFactorization.h"

#include "ir/reference/Evaluation.h"
#include "ir/reference/HostConversions.h"

#include <algorithm>
#include <cmath>
#include <random>

using namespace keratin::ir;
using namespace keratin::ir::reference;
using namespace mlir;

// How many other operands are drawn, and how many times farther than what they give the results of
// others may lie.
static constexpr int kDraws = 6;
static constexpr double kBeyond = 8;

// As many roundings as an element of the factors is a sum of products, and one.
static double roundingsOf(const HostTensor &x) {
  return double(std::max(x.dims[x.dims.size() - 2], x.dims.back()) + 1);
}

// The same for all elements of a matrix: what rounds is not the element but sums that it is a part
// of, which are about as large as the largest elements.
static std::vector<double> errorsOf(const BoundedTensor &x) {
  const int64_t size = x.value.dims[x.value.dims.size() - 2] * x.value.dims.back();
  std::vector<double> errors;
  for (int64_t first = 0; size > 0 && first < x.value.size(); first += size) {
    double largest = 0;
    for (int64_t i = first; i < first + size; ++i)
      if (std::isfinite(x.value.floats[size_t(i)]))
        largest = std::max(largest, std::fabs(x.value.floats[size_t(i)]));
    errors.insert(errors.end(), size_t(size), largest * ulp(x.value.dtype) * roundingsOf(x.value));
  }
  return errors;
}

static HostTensor drawn(const BoundedTensor &x, ArrayRef<double> errors, std::minstd_rand &random) {
  std::uniform_real_distribution<double> anywhere(-1, 1);
  HostTensor y = x.value;
  for (size_t i = 0; i < y.floats.size(); ++i) {
    const double part = anywhere(random), width = part < 0 ? y.floats[i] - x.lower.floats[i]
                                                           : x.upper.floats[i] - y.floats[i];
    if (std::isfinite(y.floats[i]) && std::isfinite(width))
      y.floats[i] += part * width + anywhere(random) * errors[i];
  }
  return y;
}

static LogicalResult evaluate(Operation *op, ArrayRef<HostTensor> operands,
                              EvaluationContext &context, std::vector<HostTensor> &results) {
  SmallVector<const HostTensor *> given;
  for (const HostTensor &operand : operands)
    given.push_back(&operand);
  results.clear();
  for (Value result : op->getResults()) {
    std::vector<int64_t> dims;
    for (const DimExpr &dim : getShape(result))
      dims.push_back(context.evaluate(dim).value_or(-1));
    std::optional<HostTensor> tensor = makeHostTensor(dtypeOf(getElementType(result)), dims);
    if (!tensor)
      return failure();
    results.push_back(std::move(*tensor));
  }
  return cast<EvaluableOpInterface>(op).evaluate(context, given, results);
}

// Takes in what other operands gave.
static void extend(BoundedTensor &result, const HostTensor &other) {
  for (int64_t number = 0; number < other.size(); ++number) {
    const size_t i = size_t(number);
    if (known(result, i) == Known::Nothing)
      continue;
    if (!other.isFloat()) {
      if (other.ints[i] != result.value.ints[i])
        forget(result, i);
      continue;
    }
    const double value = result.value.floats[i], difference = std::fabs(other.floats[i] - value);
    if (std::isnan(value) && std::isnan(other.floats[i]))
      continue;
    if (other.floats[i] == value)
      continue;
    if (!std::isfinite(difference))
      forget(result, i);
    else
      setRange(result, i, std::min(result.lower.floats[i], value - kBeyond * difference),
               std::max(result.upper.floats[i], value + kBeyond * difference));
  }
}

LogicalResult reference::boundsOfFactorization(Operation *op,
                                               ArrayRef<const BoundedTensor *> operands,
                                               EvaluationContext &context,
                                               std::vector<BoundedTensor> &results) {
  std::vector<BoundedTensor> inputs;
  std::vector<HostTensor> given, values;
  std::vector<std::vector<double>> errors;
  bool isKnown = true;
  for (const BoundedTensor *operand : operands) {
    inputs.push_back(asOperand(*operand));
    given.push_back(inputs.back().value);
    errors.push_back(errorsOf(inputs.back()));
    for (int64_t i = 0; i < given.back().size(); ++i)
      isKnown &= known(inputs.back(), size_t(i)) != Known::Nothing;
  }
  if (failed(evaluate(op, given, context, values)))
    return failure();
  const size_t first = results.size();
  for (HostTensor &value : values)
    results.push_back({value, value, value});
  std::minstd_rand random;
  for (int draw = 0; isKnown && draw < kDraws; ++draw) {
    for (auto [tensor, input, error] : llvm::zip(given, inputs, errors))
      tensor = drawn(input, error, random);
    if (failed(evaluate(op, given, context, values)))
      return failure();
    for (auto [i, value] : llvm::enumerate(values))
      extend(results[first + i], value);
  }
  for (size_t i = first; i < results.size(); ++i) {
    if (!isKnown) {
      forgetAll(results[i]);
      continue;
    }
    // What is right whatever the operands are, such as a quotient, is still rounded.
    for (size_t k = 0; k < results[i].value.floats.size(); ++k)
      if (known(results[i], k) == Known::Range) {
        const double size = std::fabs(results[i].value.floats[k]);
        const double error =
            std::isfinite(size) ? kBeyond * ulp(results[i].value.dtype) * size : 0.0;
        setRange(results[i], k, results[i].lower.floats[k] - error,
                 results[i].upper.floats[k] + error);
      }
  }
  return success();
}
