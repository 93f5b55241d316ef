// A contraction with everything that follows elementwise from its result, in the store of the
// register tile.
#include "codegen/cpu/ContractionBlocks.h"
#include "codegen/cpu/ContractionKernel.h"
#include "codegen/cpu/ProductPlan.h"
#include "codegen/elements/ContractionEpilogue.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;

namespace {

class ContractionKernelPlan final : public ProductPlan {
public:
  ContractionKernelPlan(ir::KernelOp kernel, ContractionNest product, const MachineTarget &target)
      : ProductPlan(kernel, product.operations()), nest(std::move(product)), target(target),
        schedule(planContraction(nest.describe(), target)) {
    scratchBytes = schedule.scratch.bytes;
  }

  void printNest(llvm::raw_ostream &out) const override { nest.print(out); }
  void printSchedule(llvm::raw_ostream &out) const override { print(out, schedule); }

private:
  Value emitUnits(OpBuilder &b, Location loc, SizeOf sizeOf) const override {
    return emitContractionUnits(b, loc, nest.describe(b, loc, sizeOf), schedule, target);
  }
  SizeCases unitSizes() const override { return contractionUnits(nest.describe(), schedule); }
  void emitUnitsOf(CpuKernelBuilder &k) const override;

  ContractionNest nest;
  const MachineTarget &target;
  ContractionPlan schedule;
};

void ContractionKernelPlan::emitUnitsOf(CpuKernelBuilder &k) const {
  ContractionEpilogue epilogue(k, k.target, nest);
  ContractionSpec spec =
      nest.describe(k.b, k.loc, [&](const DimExpr &size) { return k.sizeOf(size); });
  spec.a.base = memoryOf(k, ir::DotGeneralOp(nest.dot).getA());
  spec.b.base = memoryOf(k, ir::DotGeneralOp(nest.dot).getB());
  spec.store = [&](OpBuilder &builder, Location loc, Value batch, Value m, Value n, Value sums,
                   Value mask) { epilogue.emit(builder, loc, batch, m, n, sums, mask); };
  spec.scratch = k.scratch();
  Value begin = toIndex(k, k.begin), end = toIndex(k, k.end);
  emitContraction(k.b, k.loc, spec, schedule, k.target, begin, end);
}

} // namespace

CpuPlan keratin::codegen::planContractionKernel(ir::KernelOp kernel, const MachineTarget &target) {
  std::optional<ContractionNest> nest = ContractionNest::of(kernel);
  if (!nest)
    return nullptr;
  return std::make_shared<ContractionKernelPlan>(kernel, std::move(*nest), target);
}
