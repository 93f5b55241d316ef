// K functions: training and test phase.
#include "keratin/graph.h"
#include "keratin/training_phase.h"

#include "frontend/backend/Choice.h"
#include "frontend/backend/TrainingPhase.h"

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

// Walks with its own stack.
bool frontend::dependsOnLearningPhase(Value value) {
  if (phase().placeholder.isEmpty())
    return false;
  Value placeholder = valueOf(phase().placeholder);
  llvm::DenseSet<mlir::Operation *> seen = {value.getDefiningOp()};
  std::vector<mlir::Operation *> stack = {value.getDefiningOp()};
  while (!stack.empty()) {
    mlir::Operation *op = stack.back();
    stack.pop_back();
    if (op == placeholder.getDefiningOp())
      return true;
    for (Value operand : op->getOperands())
      if (seen.insert(operand.getDefiningOp()).second)
        stack.push_back(operand.getDefiningOp());
  }
  return false;
}

namespace keratin::backend {

Operand learning_phase() {
  frontend::Graph &graph = frontend::Graph::get();
  frontend::Graph::Lock lock(graph);
  if (phase().fixed)
    return *phase().fixed;
  if (phase().placeholder.isEmpty()) {
    Call call("learning_phase", {});
    PlaceholderInfo info{graph.uniqueName("keras_learning_phase"), Array(int32_t(0))};
    info.askedName = "keras_learning_phase";
    int64_t id = graph.placeholders.add(std::move(info));
    phase().placeholder = tensorOf(call.builder.create<ir::PlaceholderOp>(
        call.g.location(), ir::getTensorType({}, call.elementType(DType::Int32)), id,
        call.builder.getStringAttr("")));
  }
  return phase().placeholder;
}

void set_learning_phase(int value) {
  if (value != 0 && value != 1)
    throw ValueError("set_learning_phase: needed 0 or 1; found " + std::to_string(value));
  frontend::Graph::Lock lock(frontend::Graph::get());
  phase().fixed = value;
}

static Tensor inPhase(const char *function, const Branch &x, const Branch &alt,
                      const Operand &training, SourceLocation location) {
  Operand condition = training.isNone() ? learning_phase() : training;
  if (!condition.isTensor()) {
    if (!condition.isNumber())
      Call(function, location).valueError("training is no number and no tensor");
    Operand chosen = (condition.number() != 0 ? x : alt).evaluate();
    Call call(function, location);
    if (chosen.isTensor()) {
      (void)call.raw(chosen.tensor());
      return chosen.tensor();
    }
    return call.tensor(call.value(chosen));
  }
  Call call(function, location);
  Tensor result = choose(call, call.value(condition), x, alt);
  if (is_same(condition.tensor(), phase().placeholder))
    result.setUsesLearningPhase(true);
  return result;
}

Tensor in_train_phase(const Branch &x, const Branch &alt, const Operand &training,
                      SourceLocation location) {
  return inPhase("in_train_phase", x, alt, training, location);
}

Tensor in_test_phase(const Branch &x, const Branch &alt, const Operand &training,
                     SourceLocation location) {
  return inPhase("in_test_phase", alt, x, training, location);
}

} // namespace keratin::backend
