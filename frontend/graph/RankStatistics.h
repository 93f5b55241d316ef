// What a function makes of its own rows' statistics, which ranks have apart or together.
#ifndef KERATIN_FRONTEND_GRAPH_RANKSTATISTICS_H
#define KERATIN_FRONTEND_GRAPH_RANKSTATISTICS_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace keratin::frontend {

// Means of ranks become sums of shares, of what is keratin.enter_rank; or all three go, where the
// function is not to have local statistics.
void resolveRankStatistics(mlir::FunctionOpInterface function, bool areLocal);

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_GRAPH_RANKSTATISTICS_H
