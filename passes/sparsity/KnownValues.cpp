#include "passes/sparsity/KnownValues.h"

#include "ir/dialect/Keratin.h"
#include "ir/interfaces/OpProperties.h"
#include "ir/reference/HostConversions.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace keratin::ir;
using namespace keratin::passes;
using namespace mlir;

const HostTensor *KnownValues::of(Value value) {
  compute(value);
  return values.find(value)->second.tensor.get();
}

const HostTensor *KnownValues::exactly(Value value) {
  const HostTensor *tensor = of(value);
  return values.find(value)->second.rounds ? nullptr : tensor;
}

// Contractions take more work than a structure is worth.
static bool isComputable(Operation *op) {
  return op && isa<EvaluableOpInterface>(op) && isMemoryEffectFree(op) &&
         op->getNumRegions() == 0 && op->getNumResults() == 1 && !isDerivative(op) &&
         !isContraction(op) && getTensorType(op->getResult(0)).hasStaticShape();
}

static bool mayRound(Operation *op) {
  return isa<FloatType>(getElementType(op->getResult(0))) &&
         !isa<ConstantOp, IndexingOpInterface, ReshapeOp, CastOp, SelectOp>(op) && !neverRounds(op);
}

bool KnownValues::compute(Operation *op) {
  SmallVector<const HostTensor *> operands;
  bool rounds = mayRound(op);
  for (Value operand : op->getOperands()) {
    const Known &known = values.find(operand)->second;
    if (!known.tensor)
      return false;
    operands.push_back(known.tensor.get());
    rounds |= known.rounds;
  }
  RankedTensorType type = getTensorType(op->getResult(0));
  std::optional<HostTensor> made =
      makeHostTensor(dtypeOf(type.getElementType()), type.getShape().vec());
  if (!made)
    return false;
  EvaluationContext context;
  // An op that fails (an index out of range, say) is left to fail when it is called.
  if (failed(cast<EvaluableOpInterface>(op).evaluate(context, operands, *made)))
    return false;
  values[op->getResult(0)] = {std::make_unique<HostTensor>(std::move(*made)), rounds};
  return true;
}

// With a stack of its own: graphs are deep.
void KnownValues::compute(Value value) {
  SmallVector<Value> pending{value};
  while (!pending.empty()) {
    Value next = pending.back();
    Operation *op = next.getDefiningOp();
    if (values.contains(next)) {
      pending.pop_back();
      continue;
    }
    if (!isComputable(op)) {
      values[next] = {};
      continue;
    }
    // One operand after the other, since one that is not known spares the rest.
    Value missing;
    bool isHopeless = false;
    for (Value operand : op->getOperands()) {
      auto found = values.find(operand);
      if (found == values.end()) {
        missing = operand;
        break;
      }
      if (!found->second.tensor) {
        isHopeless = true;
        break;
      }
    }
    if (missing)
      pending.push_back(missing);
    else if (isHopeless || !compute(op))
      values[next] = {};
  }
}
