#include "passes/fusion/RowUpdates.h"

#include "ir/dialect/OwnRows.h"
#include "ir/dialect/Signature.h"
#include "ir/interfaces/OpProperties.h"
#include "passes/simplify/Matchers.h"

#include "llvm/ADT/SetVector.h"

#include <cmath>

using namespace keratin::ir;
using namespace keratin::passes;
using namespace mlir;

// A table has so many times as many elements at least as there are rows and indices.
static constexpr int64_t kLeastWidth = 8;
// Ops of an update that are looked at: an optimizer has about thirty.
static constexpr size_t kMostOps = 128;
// Indices of a unit at least, since all are looked through for it, and units at most.
static constexpr int64_t kLeastIndices = 2048, kMostUnits = 8;

//===-- Which rows ----------------------------------------------------------------------------===//

// Whether the table's size is known, and rows are lines of several floats.
static bool suits(ScatterAddOp scatter) {
  Shape table = getShape(scatter.getY());
  std::optional<DimExpr> count = product(getShape(scatter.getIndices()));
  if (!isFloat(scatter.getY()) || table.size() != 2 || !table[0].isConstant() ||
      !table[1].isConstant() || !count)
    return false;
  int64_t rows = table[0].constantValue(), width = table[1].constantValue();
  int64_t limit = INT32_MAX / 2;
  if (rows < 2 || width < kLeastWidth || rows > limit)
    return false;
  // Of an unknown number of rows the gradients take more memory than what finds equal ones.
  return !count->isConstant() || (count->constantValue() <= limit &&
                                  rows + count->constantValue() <= rows * (width / kLeastWidth));
}

// The same indices under another shape, or before they were checked.
static Value plainIndices(Value indices) {
  while (Operation *op = indices.getDefiningOp()) {
    if (!isa<ReshapeOp, CheckRangeOp>(op))
      break;
    indices = op->getOperand(0);
  }
  return indices;
}

// Whether it is true in all elements of the rows that are named, and nowhere else.
static bool saysNamedRows(Value condition, Value indices) {
  auto broadcast = condition.getDefiningOp<BroadcastOp>();
  if (!broadcast || broadcast.getDims() != ArrayRef<int64_t>{0})
    return false;
  auto compare = broadcast.getX().getDefiningOp<CompareOp>();
  if (!compare || compare.getDirection() != Comparison::GT || !isSplat(compare.getB(), 0))
    return false;
  auto counts = compare.getA().getDefiningOp<ScatterAddOp>();
  return counts && isSplat(counts.getUpdates(), 1) &&
         plainIndices(counts.getIndices()) == plainIndices(indices);
}

//===-- What becomes of zeros -----------------------------------------------------------------===//

// One number for all elements, which only the call may know.
static bool isNumber(Value value) {
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  return broadcast && llvm::all_of(getShape(broadcast.getX()),
                                   [](const DimExpr &size) { return size == DimExpr(1); });
}

// Zeros times it are zeros; of a number that is not finite the kernel sees that they are not.
static bool keepsZeros(Value factor) {
  while (auto neg = factor.getDefiningOp<NegOp>())
    factor = neg.getX();
  std::optional<double> number = getSplatNumber(factor);
  return number ? std::isfinite(*number) : isNumber(factor);
}

// Zeros divided by it.
static bool dividesZeros(Value divisor) {
  std::optional<double> number = getSplatNumber(divisor);
  return number ? *number != 0 && !std::isnan(*number) : isNumber(divisor);
}

namespace {

// The ops that compute new values from a scatter.
class UpdateFinder {
public:
  explicit UpdateFinder(ScatterAddOp scatter) : scatter(scatter), shape(getShape(scatter.getY())) {}
  std::optional<RowUpdate> find();

private:
  bool collectReaders();
  void collectProducers();
  Value variableOf(Value updated) const;
  bool isZero(Value value);
  bool isZeroTimes(Value a, Value b);
  bool isOld(Value updated);

  ScatterAddOp scatter;
  Shape shape;
  llvm::SetVector<Operation *> ops;
  SmallVector<Value> updated;
};

} // namespace

// The variable that the new value belongs to; null if it is none, or not this value's alone.
Value UpdateFinder::variableOf(Value updated) const {
  Value variable;
  for (OpOperand &use : updated.getUses()) {
    auto function = dyn_cast<func::FuncOp>(use.getOwner()->getParentOp());
    if (!function || !isa<func::ReturnOp>(use.getOwner()))
      continue;
    Signature signature(function);
    std::optional<int64_t> number = signature.updatedVariable(use.getOperandNumber());
    if (variable || !number || !signature.hasVariable(*number))
      return {};
    variable = function.getArgument(signature.firstVariable() + *number);
  }
  return variable;
}

// All that follows from the sums, if it is elements of the table and nobody else's.
bool UpdateFinder::collectReaders() {
  ops.insert(scatter);
  for (size_t i = 0; i < ops.size(); ++i) {
    Value value = ops[i]->getResult(0);
    for (Operation *user : value.getUsers()) {
      if (isa<func::ReturnOp>(user)) {
        if (!llvm::is_contained(updated, value))
          updated.push_back(value);
        continue;
      }
      if (!isa<ElementwiseOpInterface>(user) || user->getBlock() != scatter->getBlock() ||
          user->getNumResults() != 1 || getShape(user->getResult(0)) != shape ||
          ops.size() == kMostOps)
        return false;
      ops.insert(user);
    }
  }
  return !updated.empty();
}

// What these ops read and nobody else does, and is as large as the table.
void UpdateFinder::collectProducers() {
  for (size_t i = 1; i < ops.size(); ++i)
    for (Value operand : ops[i]->getOperands()) {
      Operation *op = operand.getDefiningOp();
      if (op && isa<ElementwiseOpInterface>(op) && op->getNumResults() == 1 &&
          op->getBlock() == scatter->getBlock() && getShape(operand) == shape &&
          ops.size() < kMostOps &&
          llvm::all_of(op->getUsers(), [&](Operation *user) { return ops.contains(user); }))
        ops.insert(op);
    }
}

// Whether nothing but zeros follows from rows of zeros.
bool UpdateFinder::isZero(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !ops.contains(op))
    return false;
  if (op == scatter)
    return true;
  if (isa<NegOp>(op))
    return isZero(op->getOperand(0));
  if (isa<MulOp>(op))
    return isZeroTimes(op->getOperand(0), op->getOperand(1));
  if (isa<DivOp>(op))
    return dividesZeros(op->getOperand(1)) && isZero(op->getOperand(0));
  if (isa<MinimumOp, MaximumOp>(op)) {
    for (unsigned place : {0u, 1u})
      if (std::optional<double> bound = getSplatNumber(op->getOperand(1 - place));
          bound && (isa<MinimumOp>(op) ? *bound >= 0 : *bound <= 0))
        return isZero(op->getOperand(place));
  }
  return false;
}

// One of them of zeros, by a number. The number is looked at first: of a square both factors would
// be followed, and of a square of squares each twice.
bool UpdateFinder::isZeroTimes(Value a, Value b) {
  return (keepsZeros(b) && isZero(a)) || (keepsZeros(a) && isZero(b));
}

// Whether the new value is the variable's old one where no row is added.
bool UpdateFinder::isOld(Value updated) {
  Value variable = variableOf(updated);
  Operation *op = updated.getDefiningOp();
  if (!variable || variable.getType() != scatter.getY().getType() ||
      rootOf(scatter.getUpdates()) == variable)
    return false;
  auto isVariable = [&](unsigned place) { return op->getOperand(place) == variable; };
  if (auto select = dyn_cast<SelectOp>(op))
    return isVariable(2) && saysNamedRows(select.getCondition(), scatter.getIndices());
  if (isa<MultiplyAddOp>(op))
    return isVariable(2) && isZeroTimes(op->getOperand(0), op->getOperand(1));
  if (isa<AddOp>(op) && isVariable(1))
    return isZero(op->getOperand(0));
  return isa<AddOp, SubOp>(op) && isVariable(0) && isZero(op->getOperand(1));
}

std::optional<RowUpdate> UpdateFinder::find() {
  if (!collectReaders() ||
      !llvm::all_of(updated, [&](Value value) { return value.getDefiningOp() != scatter; }) ||
      !llvm::all_of(updated, [&](Value value) { return isOld(value); }))
    return std::nullopt;
  collectProducers();
  RowUpdate update(ops.begin(), ops.end());
  llvm::sort(update, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return update;
}

std::optional<RowUpdate> keratin::passes::rowUpdateOf(ScatterAddOp scatter) {
  return suits(scatter) ? UpdateFinder(scatter).find() : std::nullopt;
}

//===-- Kernels -------------------------------------------------------------------------------===//

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
    if (hasOwnRows(scatter) || areChecked(scatter.getIndices(), rows) || !rowUpdateOf(scatter))
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

std::optional<RankedTensorType> keratin::passes::indexChainsOf(llvm::ArrayRef<Operation *> ops) {
  const auto *found = llvm::find_if(ops, llvm::IsaPred<ScatterAddOp>);
  if (found == ops.end() || ops.size() == 1)
    return std::nullopt;
  auto scatter = cast<ScatterAddOp>(*found);
  // Both are representable, since the indices are; units are never none.
  DimExpr count = product(getShape(scatter.getIndices())).value_or(DimExpr(0));
  DimExpr parts = floordiv(count, DimExpr(kLeastIndices)).value_or(DimExpr(1));
  DimExpr units =
      min(DimExpr(kMostUnits), max(DimExpr(1), parts).value_or(DimExpr(1))).value_or(DimExpr(1));
  MLIRContext *context = scatter.getContext();
  return getTensorType({units, count}, IntegerType::get(context, count.isConstant() ? 32 : 64));
}
