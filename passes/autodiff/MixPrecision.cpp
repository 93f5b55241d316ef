// Products of float32 by units for shorter floats.
#include "ir/builder/GraphMath.h"
#include "ir/dialect/GraphError.h"
#include "ir/dialect/Precision.h"
#include "passes/Passes.h"

using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {
#define GEN_PASS_DEF_MIXPRECISION
#include "passes/Passes.h.inc"
} // namespace keratin::passes

namespace {

bool isProductOfFloat32(Operation *op) {
  return isa<DotGeneralOp, ConvolutionOp>(op) && getElementType(op->getResult(0)).isF32() &&
         llvm::all_of(op->getOperands(), [](Value x) { return getElementType(x).isF32(); });
}

// The same product of the operands as numbers of the dtype, its result a float32 again.
void compute(Operation *op, Type dtype) {
  OpBuilder builder(op);
  GraphMath g(builder, op->getLoc());
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(g.cast(operand, dtype));
  Operation *product = builder.clone(*op);
  product->setOperands(operands);
  Value result = product->getResult(0);
  result.setType(withElementType(getTensorType(result), dtype));
  op->getResult(0).replaceAllUsesWith(g.cast(result, builder.getF32Type()));
  op->erase();
}

class MixPrecision : public keratin::passes::impl::MixPrecisionBase<MixPrecision> {
public:
  void runOnOperation() override {
    auto name = dyn_cast_or_null<StringAttr>(getOperation()->removeAttr(kProductDTypeAttr));
    if (!name)
      return;
    if (name != "bfloat16") {
      emitGraphError(getOperation()) << "not implemented: products in " << name.getValue();
      return signalPassFailure();
    }
    SmallVector<Operation *> products;
    getOperation().walk([&](Operation *op) {
      if (isProductOfFloat32(op))
        products.push_back(op);
    });
    for (Operation *op : products)
      compute(op, BFloat16Type::get(&getContext()));
  }
};

} // namespace
