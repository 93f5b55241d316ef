// States of optimizers, of which each rank of a job has a part (FunctionOptions::shardStates).
#ifndef KERATIN_FRONTEND_GRAPH_STATEPARTS_H
#define KERATIN_FRONTEND_GRAPH_STATEPARTS_H

#include "frontend/graph/FunctionModule.h"

namespace keratin::frontend {

// Marks the states, for --keratin-shard, and adds two variables that say which rank this is, of how
// many. The ranks are those along an axis of the mesh; "": all. Alone a rank has all of them.
void divideStates(FunctionModule &module, const std::string &axis);

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_GRAPH_STATEPARTS_H
