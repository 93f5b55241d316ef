#include "passes/Passes.h"
#include "passes/memory/LastingValues.h"

namespace keratin::passes {
#define GEN_PASS_DEF_PREPAREKERNELS
#include "passes/Passes.h.inc"
} // namespace keratin::passes

using namespace keratin::ir;
using namespace keratin::passes;
using namespace mlir;

namespace {

struct PrepareKernelsPass : keratin::passes::impl::PrepareKernelsBase<PrepareKernelsPass> {
  void runOnOperation() override {
    FailureOr<KernelProgram> program = KernelProgram::build(getOperation());
    if (failed(program))
      return signalPassFailure();
    std::vector<int64_t> order = LastingValues(getOperation(), *program).nodes();
    if (order.empty())
      return;
    for (int64_t position : order)
      program->nodes()[position]->setAttr(kPreparedAttr, UnitAttr::get(&getContext()));
    for (auto [position, node] : llvm::enumerate(program->nodes()))
      if (!isPrepared(node))
        order.push_back(position);
    putInOrder(*program, order);
  }
};

} // namespace
