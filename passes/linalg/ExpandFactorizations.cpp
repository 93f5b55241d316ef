#include "passes/Passes.h"
#include "passes/linalg/Factorizations.h"

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {
#define GEN_PASS_DEF_EXPANDFACTORIZATIONS
#include "passes/Passes.h.inc"

namespace {

struct ExpandFactorizationsPass : impl::ExpandFactorizationsBase<ExpandFactorizationsPass> {
  // Ops of this kind, those in loops and branches included.
  template <typename Op> void expand(SmallVector<Value> (*expansion)(OpBuilder &, Op)) {
    getOperation().walk([&](Op op) {
      OpBuilder builder(op);
      op->replaceAllUsesWith(expansion(builder, op));
      op->erase();
    });
  }

  // What is expanded into others goes before them.
  void runOnOperation() override {
    expand(expandCholesky);
    expand(expandLu);
    expand(expandTriangularSolve);
  }
};

} // namespace
} // namespace keratin::passes
