// Markers, checks and prints; ops that a function no longer has when it is run.
#include "ir/reference/BlockRunner.h"
#include "ir/reference/Evaluation.h"
#include "ir/reference/HostConversions.h"
#include "ir/reference/HostText.h"

using namespace keratin::ir;
using namespace keratin::ir::reference;
using namespace mlir;

LogicalResult DependOp::evaluate(EvaluationContext &, Operands operands, Results results) {
  results[0] = *operands[0];
  return success();
}

LogicalResult DelayOp::evaluate(EvaluationContext &, Operands operands, Results results) {
  results[0] = *operands[0];
  return success();
}

LogicalResult CustomGradientOp::evaluate(EvaluationContext &, Operands operands, Results results) {
  for (auto [result, output] : llvm::zip(results, operands))
    result = *output;
  return success();
}

LogicalResult CheckpointOp::evaluate(EvaluationContext &context, Operands operands,
                                     Results results) {
  std::vector<HostTensor> yielded;
  if (failed(runBlock(getBody().front(), operands, context, yielded)))
    return failure();
  std::move(yielded.begin(), yielded.end(), results.begin());
  return success();
}

LogicalResult EnterRankOp::evaluate(EvaluationContext &, Operands operands, Results results) {
  results[0] = *operands[0];
  return success();
}

LogicalResult LeaveRankOp::evaluate(EvaluationContext &, Operands operands, Results results) {
  results[0] = *operands[0];
  return success();
}

LogicalResult AverageRanksOp::evaluate(EvaluationContext &, Operands operands, Results results) {
  results[0] = *operands[0];
  return success();
}

LogicalResult PrintOp::evaluate(EvaluationContext &context, Operands operands, Results results) {
  context.output += getMessage().str() + " " + numpyText(*operands[0]) + "\n";
  results[0] = *operands[0];
  return success();
}

static bool holds(Requirement kind, int64_t lhs, int64_t rhs) {
  switch (kind) {
  case Requirement::Equal:
    return lhs == rhs;
  case Requirement::Broadcast:
    return lhs == rhs || lhs == 1;
  case Requirement::AtLeast:
    return lhs >= rhs;
  }
  return false;
}

LogicalResult RequireOp::evaluate(EvaluationContext &context, Operands operands, Results results) {
  for (auto [left, right] : llvm::zip(getLhs().getDims(), getRhs().getDims())) {
    // Like the runtime, a size that cannot be computed is a size that does not agree.
    std::optional<int64_t> lhs = context.evaluate(left), rhs = context.evaluate(right);
    if (!lhs || !rhs || !holds(getKind(), *lhs, *rhs))
      return fail(context, getMessage());
  }
  results[0] = *operands[0];
  return success();
}

// The symbol has its value already (reference::defineSizes).
LogicalResult DefineSizeOp::evaluate(EvaluationContext &, Operands, Results) { return success(); }

//===-- Gone before a function runs -----------------------------------------------------------===//

static LogicalResult notRunnable(EvaluationContext &context, StringRef op, StringRef why) {
  return fail(context, op + ": " + why);
}

static const char *const bound = "is made an argument before a function runs";

LogicalResult PlaceholderOp::evaluate(EvaluationContext &context, Operands, Results) {
  return notRunnable(context, "placeholder", bound);
}
LogicalResult VariableOp::evaluate(EvaluationContext &context, Operands, Results) {
  return notRunnable(context, "variable", bound);
}
LogicalResult LiteralOp::evaluate(EvaluationContext &context, Operands, Results) {
  return notRunnable(context, "literal", bound);
}

LogicalResult SparseMatrixOp::evaluate(EvaluationContext &context, Operands, Results) {
  return notRunnable(context, "sparse_matrix", bound);
}
LogicalResult UpdateOp::evaluate(EvaluationContext &context, Operands, Results) {
  return notRunnable(context, "update", "is made a result before a function runs");
}
LogicalResult GradientsOp::evaluate(EvaluationContext &context, Operands, Results) {
  return notRunnable(context, "gradients", "is expanded before a function runs");
}
LogicalResult JvpOp::evaluate(EvaluationContext &context, Operands, Results) {
  return notRunnable(context, "jvp", "is expanded before a function runs");
}
LogicalResult VjpOp::evaluate(EvaluationContext &context, Operands, Results) {
  return notRunnable(context, "vjp", "is expanded before a function runs");
}
