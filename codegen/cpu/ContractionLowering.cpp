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

// Of the same product: one row.
ContractionSpec oneRow(ContractionSpec spec) {
  spec.m.constant = 1;
  spec.m.size = DimExpr(1);
  return spec;
}

class ContractionKernelPlan final : public ProductPlan {
public:
  ContractionKernelPlan(ir::KernelOp kernel, ContractionNest product, const MachineTarget &target)
      : ProductPlan(kernel, product.operations()), nest(std::move(product)), target(target),
        schedule(planContraction(nest.describe(), target)) {
    scratchBytes = schedule.scratch.bytes;
    // Tiles of several rows take twice as long for one, and that is how many a model gets that
    // answers one question at a time.
    if (ContractionSpec spec = nest.describe(); !spec.m.constant) {
      ofOneRow = planContraction(oneRow(spec), target);
      scratchBytes = std::max(scratchBytes, ofOneRow->scratch.bytes);
    }
  }

  void printNest(llvm::raw_ostream &out) const override { nest.print(out); }
  void printSchedule(llvm::raw_ostream &out) const override {
    print(out, schedule);
    if (ofOneRow)
      print(out << "of one row, ", *ofOneRow);
  }

private:
  Value emitUnits(OpBuilder &b, Location loc, SizeOf sizeOf) const override;
  SizeCases unitSizes() const override;
  void emitUnitsOf(CpuKernelBuilder &k) const override;
  void emitUnitsOf(CpuKernelBuilder &k, ContractionSpec spec, const ContractionPlan &plan) const;

  ContractionNest nest;
  const MachineTarget &target;
  ContractionPlan schedule;
  std::optional<ContractionPlan> ofOneRow; // where the call knows first how many there are
};

Value ContractionKernelPlan::emitUnits(OpBuilder &b, Location loc, SizeOf sizeOf) const {
  const ContractionSpec spec = nest.describe(b, loc, sizeOf);
  Value units = emitContractionUnits(b, loc, spec, schedule, target);
  if (!ofOneRow)
    return units;
  LoopEmitter emit(b, loc, target);
  Value isOneRow = emit.equal(numberOf(emit, spec.m), emit.constant(1));
  Value others = emitContractionUnits(b, loc, oneRow(spec), *ofOneRow, target);
  return emit.toIndex(emit.select(isOneRow, emit.fromIndex(others), emit.fromIndex(units)));
}

SizeCases ContractionKernelPlan::unitSizes() const {
  const ContractionSpec spec = nest.describe();
  SizeCases units = contractionUnits(spec, schedule);
  if (!ofOneRow)
    return units;
  SizeArithmetic arithmetic;
  return arithmetic.select(arithmetic.equal(numberOf(arithmetic, spec.m), 1),
                           contractionUnits(oneRow(spec), *ofOneRow), units);
}

void ContractionKernelPlan::emitUnitsOf(CpuKernelBuilder &k) const {
  ContractionSpec spec =
      nest.describe(k.b, k.loc, [&](const DimExpr &size) { return k.sizeOf(size); });
  if (!ofOneRow)
    return emitUnitsOf(k, spec, schedule);
  LoopEmitter emit(k.b, k.loc, target);
  emit.branch(
      emit.equal(numberOf(emit, spec.m), emit.constant(1)),
      [&] { emitUnitsOf(k, oneRow(spec), *ofOneRow); }, [&] { emitUnitsOf(k, spec, schedule); });
}

void ContractionKernelPlan::emitUnitsOf(CpuKernelBuilder &k, ContractionSpec spec,
                                        const ContractionPlan &plan) const {
  ContractionEpilogue epilogue(k, k.target, nest);
  spec.a.base = memoryOf(k, ir::DotGeneralOp(nest.dot).getA());
  spec.b.base = memoryOf(k, ir::DotGeneralOp(nest.dot).getB());
  spec.store = [&](OpBuilder &builder, Location loc, Value batch, Value m, Value n, Value sums,
                   Value mask) { epilogue.emit(builder, loc, batch, m, n, sums, mask); };
  spec.scratch = k.scratch();
  Value begin = toIndex(k, k.begin), end = toIndex(k, k.end);
  emitContraction(k.b, k.loc, spec, plan, k.target, begin, end);
}

} // namespace

CpuPlan keratin::codegen::planContractionKernel(ir::KernelOp kernel, const MachineTarget &target) {
  std::optional<ContractionNest> nest = ContractionNest::of(kernel);
  if (!nest)
    return nullptr;
  return std::make_shared<ContractionKernelPlan>(kernel, std::move(*nest), target);
}
