// Lookups in tables that are variables in parts, and what is added up by the same indices.
#include "passes/shard/VariableParts.h"

#include "ir/dialect/OwnRows.h"

using namespace keratin::passes;
using namespace keratin::ir;
using namespace mlir;

// A number of the call's: the symbol of an argument, or some times it.
Value VariableParts::valueOf(GraphMath &math, const DimExpr &number) const {
  for (BlockArgument argument : body.getArguments())
    for (const ArgumentSymbol &symbol : signature.symbols(argument.getArgNumber()))
      if (std::optional<DimExpr> times = floordiv(number, DimExpr::symbol(symbol.id));
          symbol.part == ValuePart::Whole && times && times->isConstant() &&
          mul(*times, DimExpr::symbol(symbol.id)) == number)
        return *times == DimExpr(1)
                   ? argument
                   : math.mul(argument,
                              math.constantLike(double(times->constantValue()), argument));
  return {};
}

// Counted from the rank's first row: what is no row of its own is another rank's, or an error.
FailureOr<Value> VariableParts::ownIndices(Operation *op, Value indices, const DimExpr &rows,
                                           StringRef message) {
  Value &own = picked[rows][indices];
  if (own)
    return own;
  OpBuilder builder(op);
  GraphMath math(builder, op->getLoc());
  const DimExpr whole = wholeOf(rows);
  Value begin = valueOf(math, beginOf(rows));
  if (!begin)
    return refuse(op);
  auto bound = [&](const DimExpr &size) { return DimsAttr::get(op->getContext(), {size}); };
  Value checked =
      builder.create<CheckRangeOp>(op->getLoc(), indices.getType(), indices, bound(DimExpr(0)),
                                   bound(whole), builder.getStringAttr(message));
  const bool isNarrow =
      getElementType(indices).isSignlessInteger(32) && whole.constantValue() <= INT32_MAX;
  Type type = isNarrow ? builder.getI32Type() : builder.getI64Type();
  return own = math.sub(math.cast(checked, type),
                        math.broadcastScalar(math.cast(begin, type), getShape(indices)));
}

// Of the rows that the indices pick each rank has its own, and zeros for the others: a share.
LogicalResult VariableParts::followLookup(GatherOp op) {
  const std::optional<Along> along = alongOf(op.getX());
  if (!along || alongOf(op.getIndices()))
    return refuse(op);
  if (along->dimension != 0)
    return inferResults(op);
  FailureOr<Value> own = ownIndices(op, op.getIndices(), along->size,
                                    "gather: an index is outside the first axis of the reference");
  if (failed(own))
    return failure();
  op.getIndicesMutable().assign(*own);
  setOwnRows(op);
  return inferResults(op);
}

// Whether rows are picked by them, or by all that they are made of.
bool VariableParts::arePicked(Value indices, const llvm::DenseMap<Value, Value> &known) const {
  if (known.contains(indices))
    return true;
  Operation *op = indices.getDefiningOp();
  return op && isa<ReshapeOp, ConcatenateOp, CheckRangeOp, CastOp>(op) &&
         llvm::all_of(op->getOperands(), [&](Value each) { return arePicked(each, known); });
}

// What is added up by the indices of a lookup, into as many rows, belongs to the rows of the table:
// its gradient, and how often each of them was picked.
LogicalResult VariableParts::followRows(ScatterAddOp op) {
  Shape shape = getShape(op.getY());
  for (const auto &[rows, known] : picked) {
    if (wholeOf(rows) != shape.front() || !arePicked(op.getIndices(), known))
      continue;
    FailureOr<Value> own = ownIndices(
        op, op.getIndices(), rows, "scatter_add: an index is outside the first axis of the result");
    if (failed(own))
      return failure();
    op.getIndicesMutable().assign(*own);
    setOwnRows(op);
    shape.front() = rows;
    return setShape(op.getY(), shape), success();
  }
  return success();
}

// What is added up into rows that are all here has the columns of what is added.
LogicalResult VariableParts::followColumns(ScatterAddOp op) {
  Shape shape = getShape(op.getY()), updates = getShape(op.getUpdates());
  const size_t counts = getShape(op.getIndices()).size();
  if (alongOf(op.getIndices()) || alongOf(op.getUpdates())->dimension < counts)
    return refuse(op);
  for (size_t i = 1; i < shape.size(); ++i)
    shape[i] = updates[counts + i - 1];
  return setShape(op.getY(), shape), success();
}
