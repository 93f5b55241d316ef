#include "codegen/gpu/attention/AttentionWeights.h"

#include "ir/dialect/Keratin.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
namespace ir = keratin::ir;

Value keratin::codegen::powerOfTwo(OpBuilder &b, Location loc, Value x) {
  return b
      .create<LLVM::CallIntrinsicOp>(loc, b.getF32Type(),
                                     b.getStringAttr("llvm.nvvm.ex2.approx.ftz.f"), x)
      .getResult(0);
}

std::optional<double> keratin::codegen::scaleOf(Value logits, Value product) {
  double scale = 1;
  auto constantOf = [](Value value) -> std::optional<double> {
    if (auto broadcast = value.getDefiningOp<ir::BroadcastOp>())
      value = broadcast.getX();
    auto constant = value.getDefiningOp<ir::ConstantOp>();
    auto elements = constant ? dyn_cast<DenseFPElementsAttr>(constant.getValue()) : nullptr;
    if (!elements || !elements.isSplat())
      return std::nullopt;
    return elements.getSplatValue<APFloat>().convertToDouble();
  };
  for (Value value = logits; value != product;) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return std::nullopt;
    if (auto mul = dyn_cast<ir::MulOp>(op)) {
      std::optional<double> left = constantOf(mul.getA()), right = constantOf(mul.getB());
      if (!left && !right)
        return std::nullopt;
      scale *= left ? *left : *right;
      value = left ? mul.getB() : mul.getA();
    } else if (isa<ir::ReshapeOp, ir::CastOp>(op) &&
               isa<FloatType>(ir::getElementType(op->getOperand(0)))) {
      value = op->getOperand(0);
    } else {
      return std::nullopt;
    }
  }
  constexpr double least = 0x1p-60, most = 0x1p60;
  return scale >= least && scale <= most ? std::optional(scale) : std::nullopt;
}
