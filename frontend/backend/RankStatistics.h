// Statistics that a rank has by itself, where a function is to have such (localStatistics).
#ifndef KERATIN_FRONTEND_BACKEND_RANKSTATISTICS_H
#define KERATIN_FRONTEND_BACKEND_RANKSTATISTICS_H

#include "frontend/graph/Call.h"

namespace keratin::frontend {

// The mean over ranks of what each has made, by reductions of the axes, of call.g.enterRank(rows).
Value averageRanks(Call &call, Value statistic, Value rows, llvm::ArrayRef<int64_t> axes);

// As GraphMath has them.
Tensor enterRank(const Tensor &x, SourceLocation location);
Tensor leaveRank(const Tensor &x, SourceLocation location);
Tensor averageRanks(const Tensor &statistic, const Tensor &rows, llvm::ArrayRef<int64_t> axes,
                    SourceLocation location);

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_BACKEND_RANKSTATISTICS_H
