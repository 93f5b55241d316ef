// What a function asks of the runtime while it runs, which code without one cannot have.
#ifndef KERATIN_COMPILER_FREESTANDING_RUNTIMENEEDS_H
#define KERATIN_COMPILER_FREESTANDING_RUNTIMENEEDS_H

#include "absl/status/status.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace keratin::compiler {

// INVALID_ARGUMENT, with the op and its source line, unless a planned function with its host
// program needs nothing: no printing, no other ranks, no sizes that the call computes, no loop
// without a bound. Precondition: fixSizes() for its graph.
absl::Status checkNeedsNoRuntime(mlir::func::FuncOp function);

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_FREESTANDING_RUNTIMENEEDS_H
