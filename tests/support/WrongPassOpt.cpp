// keratin-opt with passes that are wrong on purpose, for tests of what finds them:
//
//   keratin-opt-wrong %s --wrong-swap-operands --verify-numerics
#include "ir/dialect/Keratin.h"
#include "tools/keratin-opt/OptMain.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace keratin::ir;

namespace {

// a - b becomes b - a.
struct SwapOperands : PassWrapper<SwapOperands, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SwapOperands)
  StringRef getArgument() const override { return "wrong-swap-operands"; }
  StringRef getDescription() const override { return "Swap the operands of differences"; }
  void runOnOperation() override {
    getOperation().walk([](SubOp op) {
      Value a = op.getA(), b = op.getB();
      op->setOperands({b, a});
    });
  }
};

// Wrong by less than anybody sees: a factor of 1.001.
struct ScaleALittle : PassWrapper<ScaleALittle, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ScaleALittle)
  StringRef getArgument() const override { return "wrong-scale-a-little"; }
  StringRef getDescription() const override { return "Multiply exponentials by 1.001"; }
  void runOnOperation() override {
    getOperation().walk([](ExpOp op) {
      OpBuilder builder(op);
      builder.setInsertionPointAfter(op);
      auto type = cast<RankedTensorType>(op.getType());
      if (!type.hasStaticShape())
        return;
      auto value = DenseElementsAttr::get(
          type, builder.getFloatAttr(type.getElementType(), 1.001).getValue());
      Value factor = builder.create<ConstantOp>(op.getLoc(), type, value);
      auto product = builder.create<MulOp>(op.getLoc(), op.getY(), factor);
      op.getY().replaceAllUsesExcept(product, product);
    });
  }
};

} // namespace

int main(int argc, char **argv) {
  PassRegistration<SwapOperands>();
  PassRegistration<ScaleALittle>();
  return keratin::tools::optMain(argc, argv);
}
