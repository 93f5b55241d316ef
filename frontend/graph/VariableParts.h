// Variables of which each rank of a job has a part along a dimension (FunctionOptions::shard).
#ifndef KERATIN_FRONTEND_GRAPH_VARIABLEPARTS_H
#define KERATIN_FRONTEND_GRAPH_VARIABLEPARTS_H

#include "frontend/graph/Call.h"
#include "frontend/graph/FunctionModule.h"
#include "keratin/distributed.h"

namespace keratin::frontend {

// Marks those among the shards, and the states of optimizers that belong to them, for
// --keratin-shard, and adds variables that say which part this rank has. ValueError for what is no
// variable of the function, or in parts along two dimensions. Alone along its axis a rank has all
// of a variable.
void divideVariables(Call &call, FunctionModule &module, const std::vector<Shard> &shards);

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_GRAPH_VARIABLEPARTS_H
