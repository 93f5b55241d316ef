#include "passes/Passes.h"
#include "passes/simplify/GradientPins.h"

#include "ir/builder/GraphMath.h"
#include "ir/interfaces/ContractionShape.h"
#include "ir/interfaces/OpCost.h"
#include "ir/interfaces/OpProperties.h"
#include "ir/reference/HostConversions.h"

#include "mlir/IR/Iterators.h"

#include <cmath>

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {
#define GEN_PASS_DEF_FOLDCONSTANTS
#include "passes/Passes.h.inc"

namespace {

constexpr int64_t kLargestConstant = 1 << 20; // bytes
// Elements that one run of the pass may look at: a long chain of constants, or a product of two
// matrices, would otherwise take the interpreter minutes. What is left is computed when called.
constexpr int64_t kMostWork = 1 << 24;

// A tensor of the type's shape with the scalar everywhere.
std::optional<HostTensor> repeat(const HostTensor &scalar, RankedTensorType type) {
  std::optional<HostTensor> tensor = makeHostTensor(scalar.dtype, type.getShape().vec());
  if (tensor && tensor->isFloat())
    std::fill(tensor->floats.begin(), tensor->floats.end(), scalar.floats.front());
  else if (tensor)
    std::fill(tensor->ints.begin(), tensor->ints.end(), scalar.ints.front());
  return tensor;
}

// The value of a constant, or of a broadcast of a scalar one.
std::optional<HostTensor> getConstant(Value value) {
  Value source = value;
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  if (broadcast && broadcast.getDims().empty())
    source = broadcast.getX();
  auto constant = source.getDefiningOp<ConstantOp>();
  std::optional<HostTensor> tensor = constant ? fromElements(constant.getValue()) : std::nullopt;
  return tensor && source != value ? repeat(*tensor, getTensorType(value)) : tensor;
}

// Elements that computing the op looks at, or what it does with them, where that is more; every
// size is known and small.
int64_t workOf(Operation *op) {
  auto elements = [](Value value) { return elementCount(getShape(value))->constantValue(); };
  int64_t work = 0;
  for (Value operand : op->getOperands())
    work += elements(operand);
  for (Value result : op->getResults())
    work += elements(result);
  // Contractions and windows meet each element many times.
  std::optional<DimExpr> operations = operationCount(op);
  return operations ? std::max(work, operations->constantValue()) : INT64_MAX;
}

bool isFinite(const HostTensor &tensor) {
  return llvm::all_of(tensor.floats, [](double number) { return std::isfinite(number); });
}

bool isConstant(Value value) {
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  if (broadcast && broadcast.getDims().empty())
    value = broadcast.getX();
  return value.getDefiningOp<ConstantOp>();
}

struct FoldConstantsPass : impl::FoldConstantsBase<FoldConstantsPass> {
  using FoldConstantsBase::FoldConstantsBase;

  void runOnOperation() override {
    GradientPins pins(getOperation());
    workLeft = kMostWork;
    // Definitions stand before uses, so one walk folds whole chains.
    getOperation().walk([&](Operation *op) { fold(op); });
    // What only folded ops used: constants and their broadcasts.
    getOperation().walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
      if (isOpTriviallyDead(op))
        op->erase();
    });
  }

private:
  bool fits(Value value) const {
    std::optional<DimExpr> bytes = byteCount(value);
    return bytes && bytes->isConstant() &&
           bytes->constantValue() <= std::min<int64_t>(maxBytes, kLargestConstant);
  }

  bool isCandidate(Operation *op) const {
    auto evaluable = dyn_cast<EvaluableOpInterface>(op);
    // Broadcasts of scalars are the form of splats; other broadcasts would only grow. What stands
    // for derivatives or checks is no value to compute.
    if (!evaluable || isa<BroadcastOp, RequireOp, DependOp, FromPartsOp>(op) || isDerivative(op) ||
        !isMemoryEffectFree(op) || op->getNumOperands() == 0 || op->getNumRegions() != 0)
      return false;
    return llvm::all_of(op->getOperands(), [&](Value x) { return isConstant(x) && fits(x); }) &&
           llvm::all_of(op->getResults(), [&](Value y) { return fits(y); });
  }

  void fold(Operation *op) {
    if (workLeft == 0 || !isCandidate(op) || llvm::all_of(op->getUses(), staysShort))
      return;
    int64_t work = workOf(op);
    if (work > workLeft) {
      workLeft = 0;
      return;
    }
    workLeft -= work;
    SmallVector<HostTensor> operands, results;
    for (Value x : op->getOperands()) {
      std::optional<HostTensor> operand = getConstant(x);
      if (!operand)
        return;
      operands.push_back(std::move(*operand));
    }
    SmallVector<const HostTensor *> pointers;
    for (const HostTensor &operand : operands)
      pointers.push_back(&operand);
    for (Value y : op->getResults()) {
      RankedTensorType type = getTensorType(y);
      std::optional<HostTensor> result =
          makeHostTensor(dtypeOf(type.getElementType()), type.getShape().vec());
      if (!result)
        return;
      results.push_back(std::move(*result));
    }
    EvaluationContext context;
    // An op that fails (an index out of range, say) is left to fail when it is called.
    if (failed(cast<EvaluableOpInterface>(op).evaluate(context, pointers, results)) ||
        !context.error.empty())
      return;
    if (keepNotFinite && llvm::all_of(operands, isFinite) && !staysFinite(op, results))
      return;
    OpBuilder builder(op);
    for (auto [y, result] : llvm::zip(op->getResults(), results))
      y.replaceUsesWithIf(materialize(builder, op->getLoc(), getTensorType(y), result),
                          [](OpOperand &use) { return !staysShort(use); });
    if (op->use_empty())
      op->erase();
  }

  // Short integers in front of a contraction, which widens them for itself.
  static bool staysShort(OpOperand &use) {
    return isContraction(use.getOwner()) && isWidening(use.get().getDefiningOp());
  }

  // With the results rounded to their types.
  static bool staysFinite(Operation *op, ArrayRef<HostTensor> results) {
    for (auto [y, result] : llvm::zip(op->getResults(), results)) {
      std::optional<HostTensor> rounded = fromElements(toElements(result, getTensorType(y)));
      if (rounded && !isFinite(*rounded))
        return false;
    }
    return true;
  }

  static Value materialize(OpBuilder &builder, Location loc, RankedTensorType type,
                           const HostTensor &tensor) {
    DenseElementsAttr elements = toElements(tensor, type);
    if (!elements.isSplat() || elements.empty())
      return builder.create<ConstantOp>(loc, type, elements);
    auto scalar = RankedTensorType::get({}, type.getElementType());
    Value value = builder.create<ConstantOp>(
        loc, scalar, DenseElementsAttr::get(scalar, elements.getSplatValue<Attribute>()));
    return GraphMath(builder, loc).broadcastScalar(value, getShape(type));
  }

  int64_t workLeft = 0;
};

} // namespace
} // namespace keratin::passes
