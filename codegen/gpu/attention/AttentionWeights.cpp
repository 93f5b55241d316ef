#include "codegen/gpu/attention/AttentionWeights.h"

#include "ir/dialect/Keratin.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <cmath>

using namespace mlir;
namespace ir = keratin::ir;

Value keratin::codegen::powerOfTwo(OpBuilder &b, Location loc, Value x) {
  return b
      .create<LLVM::CallIntrinsicOp>(loc, b.getF32Type(),
                                     b.getStringAttr("llvm.nvvm.ex2.approx.ftz.f"), x)
      .getResult(0);
}

static std::optional<double> splatOf(Value value) {
  if (auto broadcast = value.getDefiningOp<ir::BroadcastOp>())
    value = broadcast.getX();
  auto constant = value.getDefiningOp<ir::ConstantOp>();
  auto elements = constant ? dyn_cast<DenseFPElementsAttr>(constant.getValue()) : nullptr;
  if (!elements || !elements.isSplat())
    return std::nullopt;
  return elements.getSplatValue<APFloat>().convertToDouble();
}

std::pair<Value, double> keratin::codegen::unroundedFactor(Value factor) {
  auto castOf = [](Value value) {
    auto cast = value.getDefiningOp<ir::CastOp>();
    return cast && ir::getElementType(cast.getX()).isF32() ? cast : ir::CastOp();
  };
  if (auto cast = castOf(factor))
    return {cast.getX(), 1};
  auto mul = factor.getDefiningOp<ir::MulOp>();
  if (!mul)
    return {factor, 1};
  for (auto [value, other] :
       {std::pair(mul.getA(), mul.getB()), std::pair(mul.getB(), mul.getA())}) {
    std::optional<double> scale = splatOf(other);
    int exponent;
    if (auto cast = castOf(value); cast && scale && std::frexp(std::fabs(*scale), &exponent) == 0.5)
      return {cast.getX(), *scale};
  }
  return {factor, 1};
}

std::optional<double> keratin::codegen::scaleOf(Value logits, Value product) {
  double scale = 1;
  for (Value value = logits; value != product;) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return std::nullopt;
    if (auto mul = dyn_cast<ir::MulOp>(op)) {
      std::optional<double> left = splatOf(mul.getA()), right = splatOf(mul.getB());
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
