#include "codegen/gpu/ptx/KernelBounds.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;

static constexpr StringRef tensorAttribute = "keratin.bounded_tensor";
static constexpr StringRef unitsAttribute = "keratin.few_units";

// Unknown sizes may be anything.
static bool isBounded(Value tensor) {
  int64_t bytes = (ir::getElementType(tensor).getIntOrFloatBitWidth() + 7) / 8;
  for (const ir::DimExpr &size : ir::getShape(tensor))
    if (!size.isConstant() || llvm::MulOverflow(bytes, size.constantValue(), bytes))
      return false;
  return bytes < KernelBounds::bytes;
}

void KernelBounds::note(KernelBuilder &k, const ir::DimExpr &units) {
  auto look = [&](Value tensor, Value pointer) {
    if (isBounded(tensor))
      pointer.getDefiningOp()->setAttr(tensorAttribute, k.b.getUnitAttr());
  };
  for (auto [argument, pointer] : llvm::zip(k.body().getArguments(), k.inputs))
    look(argument, pointer);
  for (auto [value, pointer] : llvm::zip(k.body().getTerminator()->getOperands(), k.outputs))
    look(value, pointer);
  if (units.isConstant() && units.constantValue() < KernelBounds::units)
    k.result.function.getBody().front().getTerminator()->setAttr(unitsAttribute, k.b.getUnitAttr());
}

KernelBounds KernelBounds::of(LLVM::LLVMFuncOp function) {
  KernelBounds bounds;
  for (Operation &op : function.getBody().front()) {
    bounds.hasFewUnits |= op.hasAttr(unitsAttribute);
    if (!op.hasAttr(tensorAttribute))
      continue;
    // Slots are read at constant places, the first without one.
    auto place = cast<LLVM::LoadOp>(op).getAddr().getDefiningOp<LLVM::GEPOp>();
    bounds.boundedSlots.push_back(place ? unsigned(place.getRawConstantIndices()[0]) : 0);
  }
  return bounds;
}
