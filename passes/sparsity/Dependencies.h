// Which elements of a function's result depend on which of an argument, by a path that derivatives
// follow: the structure of its Jacobian.
#ifndef KERATIN_PASSES_SPARSITY_DEPENDENCIES_H
#define KERATIN_PASSES_SPARSITY_DEPENDENCIES_H

#include "passes/sparsity/SparsityPattern.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/StringRef.h"

namespace keratin::passes {

// Rows are the elements of the result, columns those of the argument, row-major. Precondition: no
// derivatives are left in the function. What is not among the entries is zero, whatever the
// arguments are; whether an entry is, may depend on them.
//
// Exact, if no element is found twice on different ways that cancel, for elementwise ops, whatever
// moves elements to places that no argument says, reductions, windows, contractions (with zeros
// where a constant factor has them) and products of constant structure. Places that depend on
// arguments may be anywhere. What a loop or a branch makes depends on all that goes in, and so
// does an element of a running sum on all along its axis.
//
// Fails with a diagnostic that begins with `function`, if a size on the way is unknown or there are
// too many entries to hold: 2^28, or `mostMembers` of all sets together.
mlir::FailureOr<SparsityPattern> structureOf(mlir::func::FuncOp of, unsigned argument,
                                             unsigned result, llvm::StringRef function,
                                             int64_t mostMembers = int64_t(1) << 27);

} // namespace keratin::passes

#endif // KERATIN_PASSES_SPARSITY_DEPENDENCIES_H
