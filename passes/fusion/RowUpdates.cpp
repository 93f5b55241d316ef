#include "passes/fusion/RowUpdates.h"

#include "ir/dialect/Signature.h"
#include "ir/interfaces/OpProperties.h"
#include "passes/simplify/Matchers.h"

#include <cmath>

using namespace keratin::ir;
using namespace keratin::passes;
using namespace mlir;

// A table has so many times as many elements at least as there are rows and indices.
static constexpr int64_t kLeastWidth = 8;

// A finite number at every index: zeros times anything else may be NaN.
static bool isFiniteSplat(Value value) {
  while (auto neg = value.getDefiningOp<NegOp>())
    value = neg.getX();
  std::optional<double> number = getSplatNumber(value);
  return number && std::isfinite(*number);
}

// Whether sizes are known, rows are lines of several elements, and sums have the precision of the
// table: those of float16 would be rounded in each step.
static bool suits(ScatterAddOp scatter) {
  Type type = getElementType(scatter.getY());
  Shape table = getShape(scatter.getY());
  std::optional<DimExpr> count = product(getShape(scatter.getIndices()));
  if (!(type.isF32() || type.isF64()) || table.size() != 2 || !table[0].isConstant() ||
      !table[1].isConstant() || !count || !count->isConstant())
    return false;
  int64_t rows = table[0].constantValue(), width = table[1].constantValue();
  int64_t limit = INT32_MAX / 2;
  if (rows < 2 || width < kLeastWidth || rows > limit || count->constantValue() > limit)
    return false;
  return rows + count->constantValue() <= rows * (width / kLeastWidth);
}

// The variable that the new value belongs to; null if it is none, or not this value's alone.
static Value variableOf(Value updated) {
  if (!updated.hasOneUse())
    return {};
  OpOperand &use = *updated.use_begin();
  auto function = dyn_cast<func::FuncOp>(use.getOwner()->getParentOp());
  if (!function || !isa<func::ReturnOp>(use.getOwner()))
    return {};
  Signature signature(function);
  std::optional<int64_t> number = signature.updatedVariable(use.getOperandNumber());
  if (!number || !signature.hasVariable(*number))
    return {};
  return function.getArgument(signature.firstVariable() + *number);
}

std::optional<RowUpdate> keratin::passes::rowUpdateOf(ScatterAddOp scatter) {
  if (!suits(scatter))
    return std::nullopt;
  RowUpdate update{scatter};
  Value value = scatter.getY();
  while (value.hasOneUse()) {
    OpOperand &use = *value.use_begin();
    Operation *op = use.getOwner();
    unsigned place = use.getOperandNumber();
    if (op->getBlock() != scatter->getBlock())
      return std::nullopt;
    update.push_back(op);
    Value old;
    if (isa<MultiplyAddOp>(op) && place < 2 && isFiniteSplat(op->getOperand(1 - place)))
      old = op->getOperand(2);
    else if (isa<AddOp>(op))
      old = op->getOperand(1 - place);
    else if (isa<SubOp>(op) && place == 1)
      old = op->getOperand(0);
    if (old) {
      bool isOfVariable = old == variableOf(op->getResult(0)) && old != value &&
                          rootOf(scatter.getUpdates()) != old;
      return isOfVariable ? std::optional(update) : std::nullopt;
    }
    bool isScaled = isa<NegOp>(op) || (isa<MulOp>(op) && isFiniteSplat(op->getOperand(1 - place)));
    if (!isScaled)
      return std::nullopt;
    value = op->getResult(0);
  }
  return std::nullopt;
}

// Whether an op that fails otherwise hands on numbers of rows.
static bool areChecked(Value indices, const DimExpr &rows) {
  while (auto reshape = indices.getDefiningOp<ReshapeOp>())
    indices = reshape.getX();
  auto check = indices.getDefiningOp<CheckRangeOp>();
  return check && check.getLower().getDims().front() == DimExpr(0) &&
         check.getUpper().getDims().front() == rows;
}

void keratin::passes::checkUpdatedRows(func::FuncOp function) {
  for (auto scatter : function.getBody().front().getOps<ScatterAddOp>()) {
    DimExpr rows = getShape(scatter.getY())[0];
    if (areChecked(scatter.getIndices(), rows) || !rowUpdateOf(scatter))
      continue;
    OpBuilder builder(scatter);
    auto bound = [&](const DimExpr &size) { return DimsAttr::get(builder.getContext(), {size}); };
    Value indices = scatter.getIndices();
    Value checked = builder.create<CheckRangeOp>(
        scatter.getLoc(), indices.getType(), indices, bound(DimExpr(0)), bound(rows),
        builder.getStringAttr("scatter_add: an index is outside the first axis of the result"));
    scatter.getIndicesMutable().assign(checked);
  }
}
