#include "passes/Passes.h"
#include "passes/simplify/GradientPins.h"

#include "ir/builder/GraphMath.h"
#include "ir/dialect/OwnRows.h"
#include "ir/interfaces/ContractionShape.h"
#include "ir/interfaces/OpCost.h"
#include "ir/interfaces/OpProperties.h"
#include "ir/reference/HostConversions.h"

#include "mlir/IR/Iterators.h"
#include "mlir/IR/Matchers.h"

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

// What is added up at places that are constant is a sum along an axis, in the same order: which
// elements each place has is computed here, and zeros where others have more. A scatter waits for
// the sum that an element shortly before has left in memory at the same place, which takes as long
// as to gather two or three. (Rows of several elements wait less often, and are added as vectors.)
void sumAtKnownPlaces(ScatterAddOp op) {
  constexpr int64_t fewestPlaces = 16, near = 3;
  const Type type = getElementType(op.getUpdates());
  const Shape shape = getShape(op.getY());
  DenseIntElementsAttr places;
  if (shape.size() != 1 || !shape[0].isConstant() || !(type.isF32() || type.isF64()) ||
      hasOwnRows(op) || !matchPattern(op.getIndices(), m_Constant(&places)))
    return;
  const int64_t count = shape[0].constantValue(), elements = places.getNumElements();
  if (count < fewestPlaces || elements > std::numeric_limits<int32_t>::max() / 4 ||
      count > 4 * elements)
    return;
  std::vector<int64_t> found(count, 0);        // so far, at each place
  std::vector<int64_t> last(count, -near - 1); // of these
  int64_t waiting = 0;
  for (auto [element, value] : llvm::enumerate(places.getValues<APInt>())) {
    if (value.isNegative() || value.uge(count))
      return;
    const int64_t place = value.getZExtValue();
    ++found[place];
    waiting += int64_t(element) - last[place] <= near;
    last[place] = element;
  }
  const int64_t most = *llvm::max_element(found);
  if (2 * (most * count - elements) > 5 * waiting)
    return;
  // The number behind the last is outside: zero.
  std::vector<int32_t> numbers(most * count, int32_t(elements));
  std::fill(found.begin(), found.end(), 0);
  for (auto [element, value] : llvm::enumerate(places.getValues<APInt>())) {
    const int64_t place = value.getZExtValue();
    numbers[found[place]++ * count + place] = int32_t(element);
  }
  OpBuilder builder(op);
  GraphMath g(builder, op.getLoc());
  auto numbersType = RankedTensorType::get({most, count}, builder.getI32Type());
  Value which = builder.create<ConstantOp>(op.getLoc(), numbersType,
                                           DenseElementsAttr::get(numbersType, ArrayRef(numbers)));
  Value ofPlaces = g.gather(g.reshape(op.getUpdates(), {DimExpr(elements)}), which);
  setOwnRows(ofPlaces.getDefiningOp());
  op.getY().replaceAllUsesWith(g.reduceSum(ofPlaces, {0}));
  op.erase();
}

struct FoldConstantsPass : impl::FoldConstantsBase<FoldConstantsPass> {
  using FoldConstantsBase::FoldConstantsBase;

  void runOnOperation() override {
    GradientPins pins(getOperation());
    workLeft = kMostWork;
    // Definitions stand before uses, so one walk folds whole chains.
    getOperation().walk([&](Operation *op) { fold(op); });
    // The gradient of a scatter is a gather; that of the sum would be none.
    if (!pins.beforeGradients())
      getOperation().walk(sumAtKnownPlaces);
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
