#include "passes/autodiff/GivenGradients.h"

#include "ir/ops/InlinedBody.h"

using namespace keratin::ir;
using namespace mlir;

void keratin::passes::replaceGivenGradients(func::FuncOp function) {
  // Those inside of others first.
  function.walk([](Operation *op) {
    if (auto custom = dyn_cast<CustomGradientOp>(op)) {
      custom->replaceAllUsesWith(custom.getOutputs());
      custom.erase();
    } else if (auto checkpoint = dyn_cast<CheckpointOp>(op)) {
      OpBuilder builder(checkpoint);
      checkpoint->replaceAllUsesWith(
          inlineBody(builder, checkpoint.getBody().front(), checkpoint.getInputs()));
      checkpoint.erase();
    }
  });
}
