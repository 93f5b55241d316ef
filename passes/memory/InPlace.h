// Whether a kernel or a loop may write a result over one of its operands.
#ifndef KERATIN_PASSES_MEMORY_INPLACE_H
#define KERATIN_PASSES_MEMORY_INPLACE_H

#include "passes/memory/KernelProgram.h"

#include <optional>

namespace keratin::passes {

// True if `result` may be written into the storage `root` that is read through some of the node's
// operands, as far as this node is concerned (later readers are the caller's care).
// Of a kernel, it holds if for each such operand
//  - elements are as wide as those of the result, and all results of the kernel have its shape, so
//    that one loop over the same index makes them;
//  - everything computed from it, directly or through other ops, is computed by elementwise ops:
//    at an index only the element at that index is read;
// and if nothing in the body sums, contracts, scans or prints, since such ops may keep intermediate
// values in the place of the result; scatter_add among elementwise ops keeps none there.
// Of a message, if it adds up all of what is there.
// Of a loop, if the result is a state that each step changes in place, and the storage is read as
// its first value and in no other way. Of a branch, never.
bool canWriteOver(mlir::Operation *node, unsigned result, mlir::Value root);

// Where a state of a loop lives.
enum class StateHome {
  InPlace,   // each step writes the next value over the last one
  InStack,   // it is an element of a stack: the last that was written
  TwoBuffers // steps read one and write the other
};
// Precondition: after copySharedResults. Depends on the order of the body's nodes.
StateHome homeOf(ir::LoopOpInterface loop, unsigned state);
// The stack that state and value share, if its home is there.
unsigned stackOfState(ir::LoopOpInterface loop, unsigned state);

// True if the node that makes the new value may write the variable's own buffer, wherever it
// stands: it cannot fail, it is the only one to update the variable, the new value has the
// variable's type, and the old value, if it reads it, can be written over.
bool canUpdateInPlace(const KernelProgram &program, const UpdateResult &update);

// The node that makes the new value. Precondition: canUpdateInPlace or after copySharedResults.
int64_t updatingNode(const KernelProgram &program, const UpdateResult &update);

// The first operand that reads this storage.
std::optional<unsigned> operandOf(mlir::Operation *node, mlir::Value root);

} // namespace keratin::passes

#endif // KERATIN_PASSES_MEMORY_INPLACE_H
