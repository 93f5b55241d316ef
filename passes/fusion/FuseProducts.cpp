// Fuses products into the sums that alone use them.
#include "ir/builder/GraphMath.h"
#include "passes/Passes.h"

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {
#define GEN_PASS_DEF_FUSEPRODUCTS
#include "passes/Passes.h.inc"

namespace {

// The product that the value is, if nothing else wants it rounded.
MulOp productOf(Value value) {
  auto product = value.getDefiningOp<MulOp>();
  return product && product->hasOneUse() ? product : MulOp();
}

struct FuseProductsPass : impl::FuseProductsBase<FuseProductsPass> {
  void runOnOperation() override {
    SmallVector<Operation *> sums;
    getOperation().walk([&](Operation *op) {
      if (isa<AddOp, SubOp>(op) && isa<FloatType>(getElementType(op->getResult(0))))
        sums.push_back(op);
    });
    for (Operation *sum : sums)
      fuse(sum);
  }

private:
  static void fuse(Operation *sum) {
    Value first = sum->getOperand(0), second = sum->getOperand(1);
    const bool isDifference = isa<SubOp>(sum);
    OpBuilder builder(sum);
    GraphMath g(builder, sum->getLoc());
    Value fused;
    MulOp product = productOf(first);
    if (product) {
      fused = g.multiplyAdd(product.getA(), product.getB(), isDifference ? g.neg(second) : second);
    } else if ((product = productOf(second))) {
      // A sign may go to either factor.
      Value factor = isDifference ? g.neg(product.getA()) : product.getA();
      fused = g.multiplyAdd(factor, product.getB(), first);
    } else {
      return;
    }
    sum->getResult(0).replaceAllUsesWith(fused);
    sum->erase();
    product->erase();
  }
};

} // namespace
} // namespace keratin::passes
