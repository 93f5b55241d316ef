// Whether a kernel may write a result over one of its operands.
#ifndef KERATIN_PASSES_MEMORY_INPLACE_H
#define KERATIN_PASSES_MEMORY_INPLACE_H

#include "passes/memory/KernelProgram.h"

#include <optional>

namespace keratin::passes {

// True if `result` may be written into the storage `root` that is read through some of the kernel's
// operands, as far as this kernel is concerned (later readers are the caller's care). Holds if for
// each such operand
//  - elements are as wide as those of the result, and all results of the kernel have its shape, so
//    that one loop over the same index makes them;
//  - everything computed from it, directly or through other ops, is computed by elementwise ops:
//    at an index only the element at that index is read;
// and if nothing in the body sums, contracts, scans or prints, since such ops may keep intermediate
// values in the place of the result.
bool canWriteOver(ir::KernelOp kernel, unsigned result, mlir::Value root);

// True if the kernel that makes the new value may write the variable's own buffer, wherever it
// stands: it cannot fail, it is the only one to update the variable, the new value has the
// variable's type, and the old value, if it reads it, can be written over.
bool canUpdateInPlace(const KernelProgram &program, const UpdateResult &update);

// The kernel that makes the new value. Precondition: canUpdateInPlace or after copySharedResults.
int64_t updatingKernel(const KernelProgram &program, const UpdateResult &update);

// The first operand that reads this storage.
std::optional<unsigned> operandOf(ir::KernelOp kernel, mlir::Value root);

} // namespace keratin::passes

#endif // KERATIN_PASSES_MEMORY_INPLACE_H
