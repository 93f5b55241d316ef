#include "passes/sparsity/DependencyRules.h"

#include "ir/interfaces/OpProperties.h"
#include "ir/reference/HostConversions.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace keratin::ir;
using namespace keratin::passes;
using namespace mlir;

HostTensor DependencyRules::emptySets(Value value) const {
  return *makeHostTensor(KERATIN_DTYPE_INT64, getTensorType(value).getShape().vec());
}

SetTensor DependencyRules::united(SetTensor a, SetTensor b) {
  if (!a || !b || a == b)
    return a ? a : b;
  HostTensor result = *a;
  for (auto [id, other] : llvm::zip(result.ints, b->ints))
    id = sets.unionOf(id, other);
  return std::make_shared<HostTensor>(std::move(result));
}

SetTensor DependencyRules::ofAnything(Value value, Operands operands) {
  std::vector<IndexSets::Id> ids;
  for (const SetTensor &operand : operands)
    if (operand)
      ids.insert(ids.end(), operand->ints.begin(), operand->ints.end());
  HostTensor result = emptySets(value);
  result.ints.assign(result.ints.size(), sets.unionOf(ids));
  return std::make_shared<HostTensor>(std::move(result));
}

//===-- Element by element --------------------------------------------------------------------===//

// The sets where the factor is not zero.
static SetTensor masked(const SetTensor &ids, const HostTensor &factor) {
  HostTensor result = *ids;
  for (auto [i, id] : llvm::enumerate(result.ints))
    if (factor.floats[i] == 0)
      id = 0;
  return std::make_shared<HostTensor>(std::move(result));
}

SetTensor DependencyRules::elementwise(Operation *op, Operands operands) {
  if (auto product = dyn_cast<MulOp>(op); product && !(operands[0] && operands[1])) {
    const unsigned variable = operands[0] ? 0 : 1;
    const HostTensor *factor = known.exactly(op->getOperand(1 - variable));
    return factor ? masked(operands[variable], *factor) : operands[variable];
  }
  if (auto select = dyn_cast<SelectOp>(op))
    if (const HostTensor *condition = known.of(op->getOperand(0))) {
      HostTensor result = emptySets(op->getResult(0));
      for (auto [i, id] : llvm::enumerate(result.ints))
        if (const SetTensor &taken = operands[condition->ints[i] ? 1 : 2])
          id = taken->ints[i];
      return std::make_shared<HostTensor>(std::move(result));
    }
  SetTensor result;
  for (const SetTensor &operand : operands)
    result = united(result, operand);
  return result;
}

//===-- Moves ---------------------------------------------------------------------------------===//

// The places are not known: each element may be of any row.
SetTensor DependencyRules::gatherAnywhere(GatherOp op, const HostTensor &x) {
  HostTensor result = emptySets(op.getY());
  const int64_t rows = x.dims[0], width = rows ? x.size() / rows : 0;
  std::vector<IndexSets::Id> ofColumn(width), ids;
  for (int64_t j = 0; j < width; ++j) {
    ids.clear();
    for (int64_t i = 0; i < rows; ++i)
      ids.push_back(x.ints[i * width + j]);
    ofColumn[j] = sets.unionOf(ids);
  }
  for (int64_t i = 0; i < result.size() && width; ++i)
    result.ints[i] = ofColumn[i % width];
  return std::make_shared<HostTensor>(std::move(result));
}

// The interpreter moves the sets as it would the elements: zeros are empty sets.
SetTensor DependencyRules::move(Operation *op, Operands operands) {
  SmallVector<const HostTensor *> moved;
  SmallVector<std::unique_ptr<HostTensor>> empty;
  for (OpOperand &operand : op->getOpOperands()) {
    if (const SetTensor &ids = operands[operand.getOperandNumber()]) {
      moved.push_back(ids.get());
    } else if (isa<FloatType>(getElementType(operand.get()))) {
      empty.push_back(std::make_unique<HostTensor>(emptySets(operand.get())));
      moved.push_back(empty.back().get());
    } else if (const HostTensor *places = known.of(operand.get())) {
      moved.push_back(places);
    } else if (auto gather = dyn_cast<GatherOp>(op)) {
      return gatherAnywhere(gather, *operands[0]);
    } else {
      return ofAnything(op->getResult(0), operands);
    }
  }
  HostTensor result = emptySets(op->getResult(0));
  EvaluationContext context;
  // Places outside are an error of the call, which then has no Jacobian.
  if (failed(cast<EvaluableOpInterface>(op).evaluate(context, moved, result)))
    return ofAnything(op->getResult(0), operands);
  return std::make_shared<HostTensor>(std::move(result));
}

//===-- All of them ---------------------------------------------------------------------------===//

SetTensor DependencyRules::apply(Operation *op, Operands operands) {
  auto first = [&]() -> const HostTensor & { return *operands[0]; };
  if (isa<RequireOp, DependOp, PrintOp, EnterRankOp, LeaveRankOp, AverageRanksOp>(op))
    return operands[0];
  if (isa<ElementwiseOpInterface>(op))
    return elementwise(op, operands);
  if (isa<IndexingOpInterface, ReshapeOp>(op))
    return move(op, operands);
  if (auto reduction = dyn_cast<ReductionOpInterface>(op))
    return reduce(op, first(), reduction.getReducedAxes());
  return llvm::TypeSwitch<Operation *, SetTensor>(op)
      .Case([&](CumsumOp x) { return along(op, operands, x.getAxis()); })
      .Case([&](CumprodOp x) { return along(op, operands, x.getAxis()); })
      .Case([&](LinearRecurrenceOp x) { return along(op, operands, x.getAxis()); })
      .Case([&](ScatterAddOp x) { return scatter(x, *operands[1]); })
      .Case([&](DotGeneralOp x) { return contract(x, operands); })
      .Case([&](ConvolutionOp x) { return convolve(x, operands); })
      .Case([&](WindowSumOp x) { return window(x, first(), x.getXDilation()); })
      .Case([&](WindowMaxOp x) { return window(x, first(), {}); })
      .Case([&](WindowPickOp x) { return window(x, *operands[1], {}); })
      .Case([&](WindowScatterOp x) { return scatterWindows(x, *operands[1]); })
      .Case([&](SparseDotOp x) { return sparseDot(x, operands); })
      .Default([&](Operation *) { return ofAnything(op->getResult(0), operands); });
}
