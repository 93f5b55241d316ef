// Greedy rewriting that always ends and never lets a function grow without limit.
#ifndef KERATIN_PASSES_SIMPLIFY_BOUNDEDREWRITE_H
#define KERATIN_PASSES_SIMPLIFY_BOUNDEDREWRITE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"

namespace keratin::passes {

// Ops of the function, those inside regions included.
int64_t countOps(mlir::func::FuncOp function);

// Applies the patterns and folders until none applies, or until as many rewrites as 32 times the
// ops (and at least 1024) are done, or until the function holds more than maxOps ops (0: four times
// what it held, and at least 1024). In every case the IR is left valid; rewrites that did not
// happen only cost speed.
void rewriteWithin(mlir::func::FuncOp function, const mlir::FrozenRewritePatternSet &patterns,
                   int64_t maxOps);

} // namespace keratin::passes

#endif // KERATIN_PASSES_SIMPLIFY_BOUNDEDREWRITE_H
