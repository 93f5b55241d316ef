#include "frontend/graph/RankStatistics.h"

#include "ir/builder/GraphMath.h"
#include "ir/dialect/LocalStatistics.h"

using namespace keratin;
using namespace keratin::ir;
using namespace mlir;

static Value meanOfRanks(AverageRanksOp op) {
  OpBuilder builder(op);
  GraphMath g(builder, op.getLoc());
  Type element = getElementType(op.getX());
  Value own = g.count(g.enterRank(op.getRows()), op.getAxes(), element);
  Value all = g.count(op.getRows(), op.getAxes(), element);
  Value weight = g.broadcastScalar(g.div(own, all), getShape(op.getX()));
  return g.leaveRank(g.mul(op.getX(), weight));
}

void frontend::resolveRankStatistics(FunctionOpInterface function, bool areLocal) {
  function.walk([&](Operation *op) {
    auto average = dyn_cast<AverageRanksOp>(op);
    if (!average && (areLocal || !isa<EnterRankOp, LeaveRankOp>(op)))
      return;
    op->getResult(0).replaceAllUsesWith(areLocal ? meanOfRanks(average) : op->getOperand(0));
    op->erase();
  });
  if (areLocal)
    function->setAttr(kLocalStatisticsAttr, UnitAttr::get(function.getContext()));
}
