// K functions: training and test phase, and choice by a condition.
#include "keratin/training_phase.h"

#include "frontend/backend/TrainingPhase.h"
#include "frontend/graph/Call.h"

#include "llvm/ADT/DenseSet.h"

using namespace keratin;
using namespace keratin::frontend;

namespace {

// Exactly one of them, or neither before the first use.
struct LearningPhase {
  std::optional<int> fixed;
  Tensor placeholder;
};

} // namespace

static LearningPhase &phase() {
  static auto *state = new LearningPhase;
  return *state;
}

void frontend::resetLearningPhase() { phase() = {}; }

// Whether the value depends on a value or op of this kind. Walks with its own stack.
static bool dependsOn(Value root, llvm::function_ref<bool(mlir::Operation *)> isKind) {
  llvm::DenseSet<mlir::Operation *> seen = {root.getDefiningOp()};
  std::vector<mlir::Operation *> stack = {root.getDefiningOp()};
  while (!stack.empty()) {
    mlir::Operation *op = stack.back();
    stack.pop_back();
    if (isKind(op))
      return true;
    for (Value operand : op->getOperands())
      if (seen.insert(operand.getDefiningOp()).second)
        stack.push_back(operand.getDefiningOp());
  }
  return false;
}

bool frontend::dependsOnLearningPhase(Value value) {
  if (phase().placeholder.isEmpty())
    return false;
  mlir::Operation *placeholder = valueOf(phase().placeholder).getDefiningOp();
  return dependsOn(value, [&](mlir::Operation *op) { return op == placeholder; });
}

// Whether evaluating the value does more than compute: such a value must not be evaluated when it
// is not chosen.
static bool hasEffects(Value value) {
  return dependsOn(value, [](mlir::Operation *op) {
    return op
        ->walk([](mlir::Operation *nested) {
          return llvm::isa<ir::PrintOp, ir::UpdateOp>(nested) ? mlir::WalkResult::interrupt()
                                                              : mlir::WalkResult::advance();
        })
        .wasInterrupted();
  });
}

static Tensor choose(Call &call, Value condition, const Operand &x, const Operand &y) {
  if (call.dtypeOf(condition) != DType::Bool)
    condition = call.cast(condition, DType::Bool);
  auto [a, b] = call.promoted(x, y);
  int64_t rank = call.rank(condition);
  ir::Shape shape = call.broadcastShape(ir::getShape(a), ir::getShape(b));
  if (rank == 0) {
    // A branch that is not chosen must have no effect.
    if (hasEffects(a) || hasEffects(b))
      call.notImplemented("a branch that prints or updates under a tensor condition");
    if (ir::getShape(a).size() != ir::getShape(b).size())
      call.notImplemented("branches of different ranks under a tensor condition");
  } else {
    if (rank > call.rank(a))
      call.valueError("the condition has rank " + std::to_string(rank) +
                      "; needed at most the rank of the then-expression, " +
                      std::to_string(call.rank(a)));
    // Its axes are the first of the expressions'.
    ir::Shape extended = ir::getShape(condition);
    extended.resize(shape.size(), DimExpr(1));
    condition = call.g.reshape(condition, extended);
    shape = call.broadcastShape(shape, extended);
  }
  return call.tensor(call.g.select(call.broadcastTo(condition, shape), call.broadcastTo(a, shape),
                                   call.broadcastTo(b, shape)));
}

namespace keratin::backend {

Operand learning_phase() {
  frontend::Graph &graph = frontend::Graph::get();
  std::lock_guard lock(graph.mutex);
  if (phase().fixed)
    return *phase().fixed;
  if (phase().placeholder.isEmpty()) {
    Call call("learning_phase", {});
    int64_t id = graph.placeholders.add(
        PlaceholderInfo{graph.uniqueName("keras_learning_phase"), Array(int32_t(0))});
    phase().placeholder = tensorOf(call.builder.create<ir::PlaceholderOp>(
        call.g.location(), ir::getTensorType({}, call.elementType(DType::Int32)), id,
        call.builder.getStringAttr("")));
  }
  return phase().placeholder;
}

void set_learning_phase(int value) {
  if (value != 0 && value != 1)
    throw ValueError("set_learning_phase: needed 0 or 1; found " + std::to_string(value));
  std::lock_guard lock(frontend::Graph::get().mutex);
  phase().fixed = value;
}

Tensor in_train_phase(const Branch &x, const Branch &alt, const Operand &training,
                      SourceLocation location) {
  Operand condition = training.isNone() ? learning_phase() : training;
  if (!condition.isTensor()) {
    Operand chosen = (condition.number() != 0 ? x : alt).evaluate();
    if (chosen.isTensor())
      return chosen.tensor();
    Call call("in_train_phase", location);
    return call.tensor(call.value(chosen));
  }
  Call call("in_train_phase", location);
  Tensor result = choose(call, call.value(condition), x.evaluate(), alt.evaluate());
  if (condition.tensor() == phase().placeholder)
    result.setUsesLearningPhase(true);
  return result;
}

Tensor in_test_phase(const Branch &x, const Branch &alt, const Operand &training,
                     SourceLocation location) {
  return in_train_phase(alt, x, training, location);
}

Tensor switch_(const Operand &condition, const Branch &then_expression,
               const Branch &else_expression, SourceLocation location) {
  Call call("switch", location);
  return choose(call, call.value(condition), then_expression.evaluate(),
                else_expression.evaluate());
}

} // namespace keratin::backend
