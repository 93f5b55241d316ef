// Numbers that are not finite, and whose fault they are (keratin.check_numbers).
#include "ir/dialect/SourceLine.h"
#include "ir/reference/Evaluation.h"

#include <algorithm>
#include <cmath>

using namespace keratin::ir;
using namespace keratin::ir::reference;
using namespace mlir;

LogicalResult SuspectNumbersOp::evaluate(EvaluationContext &, Operands, Results results) {
  std::fill(results[0].ints.begin(), results[0].ints.end(), 1);
  return success();
}

namespace {
// What a tensor, or one element of it, holds.
struct Kinds {
  bool isFinite = true, hasNan = false;
  void add(double number) {
    isFinite &= std::isfinite(number);
    hasNan |= std::isnan(number);
  }
};
} // namespace

// Of a number that is not finite, made of (or fed where someone has computed) such operands: the
// rank of the finding.
static std::optional<int64_t> rankOf(NumberRule rule, double number, const Kinds &operands) {
  if (rule == NumberRule::Fed)
    return operands.isFinite ? std::nullopt : std::optional<int64_t>(1);
  if (operands.isFinite)
    return 0;
  return std::isnan(number) && !operands.hasNan ? std::optional<int64_t>(2) : std::nullopt;
}

LogicalResult CheckNumbersOp::evaluate(EvaluationContext &context, Operands operands, Results) {
  const HostTensor &made = *operands[0];
  ArrayRef<const HostTensor *> read = operands.slice(1, getReadFrom().size());
  const HostTensor *counts = getCounts() ? operands[1 + read.size()] : nullptr;
  Kinds all;
  for (const HostTensor *operand : read)
    for (double number : operand->floats)
      all.add(number);
  for (int64_t i = 0; i < made.size(); ++i) {
    double number = made.floats[i];
    if (std::isfinite(number) || (counts && !counts->ints[i]))
      continue;
    Kinds kinds = all;
    if (getRule() == NumberRule::Elementwise) {
      kinds = Kinds();
      for (const HostTensor *operand : read)
        kinds.add(operand->floats[operand->size() == 1 ? 0 : i]);
    }
    std::optional<int64_t> rank = rankOf(getRule(), number, kinds);
    if (!rank)
      continue;
    int64_t order = int64_t(getOrder());
    std::optional<NumberFinding> &best = context.finding;
    if (!best || std::pair(*rank, order) < std::pair(best->rank, best->order))
      best = {*rank, order, getCulprit().str(), sourceLine(getLoc()), number, i};
  }
  return success();
}
