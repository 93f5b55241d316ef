// Greedy rewriting that always ends and never lets a function grow without limit.
#ifndef KERATIN_PASSES_SIMPLIFY_BOUNDEDREWRITE_H
#define KERATIN_PASSES_SIMPLIFY_BOUNDEDREWRITE_H

#include "passes/simplify/Patterns.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"

#include <optional>

namespace keratin::passes {

// Ops of the function, those inside regions included.
int64_t countOps(mlir::func::FuncOp function);

// Applies the patterns and folders until none applies, or until as many rewrites as 32 times the
// ops (and at least 1024) are done, or until the function holds more than maxOps ops (0: four times
// what it held, and at least 1024). In every case the IR is left valid; rewrites that did not
// happen only cost speed.
void rewriteWithin(mlir::func::FuncOp function, const mlir::FrozenRewritePatternSet &patterns,
                   int64_t maxOps);

// Patterns of both phases, for passes that run before and after gradients are expanded. They are
// made when they are needed, once in a context that keeps them (KeptPatterns.h).
class PhasedPatterns {
public:
  using Populate = void (*)(mlir::RewritePatternSet &set, RewritePhase phase);

  explicit PhasedPatterns(Populate populate) : populate(populate) {}
  // Rewrites the function within bounds, as its phase allows.
  void apply(mlir::func::FuncOp function, int64_t maxOps);

private:
  const mlir::FrozenRewritePatternSet &of(RewritePhase phase, mlir::MLIRContext *context);

  Populate populate;
  std::optional<mlir::FrozenRewritePatternSet> own[2];
};

} // namespace keratin::passes

#endif // KERATIN_PASSES_SIMPLIFY_BOUNDEDREWRITE_H
