// Verifiers of what the ranks of a job do together.
#include "ir/dialect/Keratin.h"

#include "llvm/ADT/SmallSet.h"

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

static LogicalResult verifyReduction(Operation *op, RankReduction reduction) {
  Type element = getElementType(op->getOperand(0));
  if (reduction == RankReduction::Mean && !isa<FloatType>(element))
    return op->emitOpError("mean needs floats, found ") << element;
  return success();
}

LogicalResult AllReduceOp::verify() { return verifyReduction(*this, getReduction()); }

LogicalResult AllGatherOp::verify() { return verifyRows(*this); }

LogicalResult BroadcastFromOp::verify() {
  if (int64_t root = getRoot(); root < 0)
    return emitOpError("from rank ") << root << "; ranks are numbers from 0 on";
  return success();
}

LogicalResult PermuteOp::verify() {
  if (getPairs().empty() || getPairs().size() % 2 != 0)
    return emitOpError("needs pairs of ranks, found ") << getPairs().size() << " numbers";
  llvm::SmallSet<int64_t, 8> firsts, seconds;
  for (auto [i, rank] : llvm::enumerate(getPairs())) {
    if (rank < 0)
      return emitOpError("has rank ") << rank << " in a pair; ranks are numbers from 0 on";
    if (!(i % 2 ? seconds : firsts).insert(rank).second)
      return emitOpError("has two pairs in which rank ")
             << rank << (i % 2 ? " receives" : " sends");
  }
  return success();
}

LogicalResult ReduceScatterOp::verify() {
  if (getReduction() == RankReduction::Before)
    return emitOpError("has no parts of the sum before a rank");
  return success(succeeded(verifyReduction(*this, getReduction())) && succeeded(verifyRows(*this)));
}
