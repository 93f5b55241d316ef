#include "passes/simplify/GradientPins.h"

#include "ir/builder/DifferentiablePaths.h"
#include "llvm/ADT/SetVector.h"

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {

GradientPins::GradientPins(func::FuncOp function) {
  llvm::SetVector<Value> pinned;
  function.walk([&](Operation *op) {
    std::optional<Derivative> derivative = derivativeOf(op);
    if (!derivative)
      return;
    foundGradients = true;
    for (Value x : derivative->variables)
      if (!isa<BlockArgument>(x) || x.getParentBlock() != &function.getBody().front())
        pinned.insert(x);
  });
  for (Value x : pinned) {
    OpBuilder builder(function.getContext());
    builder.setInsertionPointAfterValue(x);
    auto variable = builder.create<VariableOp>(x.getLoc(), x.getType(), -1, "pinned for gradients");
    x.replaceAllUsesWith(variable);
    auto update =
        builder.create<UpdateOp>(x.getLoc(), x.getType(), variable, x, UpdateKind::Assign);
    pins.push_back({update, dyn_cast<BlockArgument>(x)});
  }
}

GradientPins::~GradientPins() {
  for (auto [pin, argument] : pins) {
    auto variable = pin.getVariable().getDefiningOp<VariableOp>();
    Value value = pin.getValue();
    // Folding and merging may have given x the value of something else; it stays a value of its
    // own.
    if (!value.hasOneUse() || (isa<BlockArgument>(value) && value != argument))
      value = OpBuilder(pin).create<IdentityOp>(pin.getLoc(), value);
    variable.getY().replaceAllUsesWith(value);
    pin.erase();
    variable.erase();
  }
}

} // namespace keratin::passes
