#include "passes/simplify/GradientPins.h"

#include "ir/builder/DifferentiablePaths.h"
#include "llvm/ADT/SetVector.h"

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {

GradientPins::GradientPins(func::FuncOp function) {
  llvm::SetVector<Value> computed;
  function.walk([&](Operation *op) {
    std::optional<Derivative> derivative = derivativeOf(op);
    if (!derivative)
      return;
    foundGradients = true;
    for (Value x : derivative->variables)
      if (!isa<BlockArgument>(x))
        computed.insert(x);
  });
  for (Value x : computed) {
    OpBuilder builder(function.getContext());
    builder.setInsertionPointAfterValue(x);
    auto variable = builder.create<VariableOp>(x.getLoc(), x.getType(), -1, "pinned for gradients");
    x.replaceAllUsesWith(variable);
    pins.push_back(
        builder.create<UpdateOp>(x.getLoc(), x.getType(), variable, x, UpdateKind::Assign));
  }
}

GradientPins::~GradientPins() {
  for (UpdateOp pin : pins) {
    auto variable = pin.getVariable().getDefiningOp<VariableOp>();
    Value value = pin.getValue();
    // Folding and merging may have given x the value of something else; it stays a value of its
    // own.
    if (!value.hasOneUse() || isa<BlockArgument>(value))
      value = OpBuilder(pin).create<IdentityOp>(pin.getLoc(), value);
    variable.getY().replaceAllUsesWith(value);
    pin.erase();
    variable.erase();
  }
}

} // namespace keratin::passes
