// States of optimizers, of which each rank of a job has a part (FunctionOptions::shardStates).
#ifndef KERATIN_FRONTEND_GRAPH_STATEPARTS_H
#define KERATIN_FRONTEND_GRAPH_STATEPARTS_H

#include "frontend/graph/FunctionModule.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/SetVector.h"

namespace keratin::frontend {

// The other variables, by their numbers, that are made element by element of a state, as well as
// its own new value; none where the variable is no state: something else reads it.
llvm::SetVector<int64_t> updatedByState(mlir::func::FuncOp function, mlir::BlockArgument variable);

// Marks the states, for --keratin-shard, and adds two variables that say which rank this is, of how
// many. The ranks are those along an axis of the mesh; "": all. Alone a rank has all of them.
void divideStates(FunctionModule &module, const std::string &axis);

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_GRAPH_STATEPARTS_H
