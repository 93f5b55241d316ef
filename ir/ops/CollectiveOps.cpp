// Verifiers of what the ranks of a job do together.
#include "ir/dialect/Keratin.h"

using namespace keratin::ir;
using namespace mlir;

// One of the two is a part of the other, along the rows.
static LogicalResult verifyRows(Operation *op) {
  Value x = op->getOperand(0), y = op->getResult(0);
  const Shape from = getShape(x), to = getShape(y);
  if (from.empty())
    return op->emitOpError("needs rows, found ") << x.getType();
  if (getElementType(x) != getElementType(y) || from.size() != to.size())
    return op->emitOpError("operand and result must have the same element type and rank");
  for (size_t i = 1; i < from.size(); ++i)
    if (from[i] != to[i])
      return op->emitOpError("dimension ") << i << " has sizes " << from[i].str() << " and "
                                           << to[i].str() << "; they must be equal";
  return success();
}

LogicalResult AllGatherOp::verify() { return verifyRows(*this); }

LogicalResult ReduceScatterOp::verify() {
  if (getReduction() == RankReduction::Before)
    return emitOpError("has no parts of the sum before a rank");
  return verifyRows(*this);
}
