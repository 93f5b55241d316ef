#include "codegen/gpu/ptx/KernelBounds.h"

#include "ir/dialect/SizeLimits.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;

static constexpr StringRef tensorAttribute = "keratin.bounded_tensor";
static constexpr StringRef unitsAttribute = "keratin.few_units";

// Sizes without limits may be anything.
static bool isBounded(Value tensor, const ir::LimitedSizes &limited) {
  std::optional<ir::DimExpr> bytes = ir::byteCount(tensor);
  std::optional<int64_t> most = bytes ? limited.most(*bytes) : std::nullopt;
  return most && *most < KernelBounds::bytes;
}

void KernelBounds::note(KernelBuilder &k, const ir::DimExpr &units) {
  const ir::LimitedSizes limited(k.body().getParentOp()->getParentOfType<FunctionOpInterface>());
  auto look = [&](Value tensor, Value pointer) {
    if (isBounded(tensor, limited))
      pointer.getDefiningOp()->setAttr(tensorAttribute, k.b.getUnitAttr());
  };
  for (auto [argument, pointer] : llvm::zip(k.body().getArguments(), k.inputs))
    look(argument, pointer);
  for (auto [value, pointer] : llvm::zip(k.body().getTerminator()->getOperands(), k.outputs))
    look(value, pointer);
  if (std::optional<int64_t> most = limited.most(units); most && *most < KernelBounds::units)
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
