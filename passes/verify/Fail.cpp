#include "passes/Passes.h"

namespace keratin::passes {
#define GEN_PASS_DEF_FAIL
#include "passes/Passes.h.inc"

namespace {
struct FailPass : impl::FailBase<FailPass> {
  void runOnOperation() override {
    getOperation().emitError("failed on purpose");
    signalPassFailure();
  }
};
} // namespace
} // namespace keratin::passes
