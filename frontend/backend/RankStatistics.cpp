#include "frontend/backend/RankStatistics.h"

using namespace keratin;
using namespace keratin::frontend;

static constexpr char kFunction[] = "batch_normalization";

Value frontend::averageRanks(Call &call, Value statistic, Value rows,
                             llvm::ArrayRef<int64_t> axes) {
  return call.builder.create<ir::AverageRanksOp>(call.g.location(), statistic.getType(), statistic,
                                                 rows, axes);
}

Tensor frontend::enterRank(const Tensor &x, SourceLocation location) {
  Call call(kFunction, location);
  return call.tensor(call.g.enterRank(call.raw(x)));
}

Tensor frontend::leaveRank(const Tensor &x, SourceLocation location) {
  Call call(kFunction, location);
  return call.tensor(call.g.leaveRank(call.raw(x)));
}

Tensor frontend::averageRanks(const Tensor &statistic, const Tensor &rows,
                              llvm::ArrayRef<int64_t> axes, SourceLocation location) {
  Call call(kFunction, location);
  return call.tensor(averageRanks(call, call.raw(statistic), call.raw(rows), axes));
}
