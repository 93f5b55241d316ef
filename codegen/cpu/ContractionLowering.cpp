// A contraction with everything that follows elementwise from its result, in the store of the
// register tile.
#include "codegen/cpu/ContractionBlocks.h"
#include "codegen/cpu/ContractionKernel.h"
#include "codegen/cpu/ProductPlan.h"
#include "codegen/elements/ContractionEpilogue.h"
#include "ir/dialect/Signature.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;

namespace {

// The same product, of so many rows.
ContractionSpec withRows(ContractionSpec spec, int64_t rows) {
  spec.m.constant = rows;
  spec.m.size = DimExpr(rows);
  return spec;
}

bool updatesVariables(ir::KernelOp kernel) {
  auto function = kernel->getParentOfType<func::FuncOp>();
  if (!function)
    return false;
  const ir::Signature signature(function);
  for (unsigned i = function.getNumResults(); i-- > 0;)
    if (signature.isUpdate(i))
      return true;
  return false;
}

class ContractionKernelPlan final : public ProductPlan {
public:
  ContractionKernelPlan(ir::KernelOp kernel, ContractionNest product, const MachineTarget &target)
      : ProductPlan(kernel, product.operations()), nest(std::move(product)), target(target),
        schedule(planContraction(nest.describe(), target)) {
    scratchBytes = schedule.scratch.bytes;
    // Tiles of many rows take twice as long for one or two, and that is how many a model gets that
    // answers one question at a time. What trains gets many, and is spared a fifth of its
    // compilation.
    if (ContractionSpec spec = nest.describe(); !spec.m.constant && !updatesVariables(kernel))
      for (int64_t rows : {1, 2}) {
        ofFewRows.push_back(planContraction(withRows(spec, rows), target));
        scratchBytes = std::max(scratchBytes, ofFewRows.back().scratch.bytes);
      }
  }

  void printNest(llvm::raw_ostream &out) const override { nest.print(out); }
  void printSchedule(llvm::raw_ostream &out) const override {
    print(out, schedule);
    for (auto [i, plan] : llvm::enumerate(ofFewRows))
      print(out << (i == 0 ? "of one row, " : "of two rows, "), plan);
  }

private:
  Value emitUnits(OpBuilder &b, Location loc, SizeOf sizeOf) const override;
  SizeCases unitSizes() const override;
  void emitUnitsOf(CpuKernelBuilder &k) const override;
  void emitUnitsOf(CpuKernelBuilder &k, const ContractionSpec &spec, size_t fewRows) const;
  void emitUnitsOf(CpuKernelBuilder &k, ContractionSpec spec, const ContractionPlan &plan) const;

  ContractionNest nest;
  const MachineTarget &target;
  ContractionPlan schedule;
  std::vector<ContractionPlan> ofFewRows; // 1, 2: where the call knows first how many there are
};

Value ContractionKernelPlan::emitUnits(OpBuilder &b, Location loc, SizeOf sizeOf) const {
  const ContractionSpec spec = nest.describe(b, loc, sizeOf);
  LoopEmitter emit(b, loc, target);
  Value units = emit.fromIndex(emitContractionUnits(b, loc, spec, schedule, target));
  for (auto [i, plan] : llvm::enumerate(ofFewRows)) {
    const int64_t rows = int64_t(i) + 1;
    Value others = emitContractionUnits(b, loc, withRows(spec, rows), plan, target);
    units = emit.select(emit.equal(numberOf(emit, spec.m), emit.constant(rows)),
                        emit.fromIndex(others), units);
  }
  return emit.toIndex(units);
}

SizeCases ContractionKernelPlan::unitSizes() const {
  SizeArithmetic arithmetic;
  const ContractionSpec spec = nest.describe();
  SizeCases units = contractionUnits(spec, schedule);
  for (auto [i, plan] : llvm::enumerate(ofFewRows)) {
    const int64_t rows = int64_t(i) + 1;
    units = arithmetic.select(arithmetic.equal(numberOf(arithmetic, spec.m), rows),
                              contractionUnits(withRows(spec, rows), plan), units);
  }
  return units;
}

void ContractionKernelPlan::emitUnitsOf(CpuKernelBuilder &k) const {
  emitUnitsOf(k, nest.describe(k.b, k.loc, [&](const DimExpr &size) { return k.sizeOf(size); }), 0);
}

// Where there are not as few rows as those before.
void ContractionKernelPlan::emitUnitsOf(CpuKernelBuilder &k, const ContractionSpec &spec,
                                        size_t fewRows) const {
  if (fewRows == ofFewRows.size())
    return emitUnitsOf(k, spec, schedule);
  const int64_t rows = int64_t(fewRows) + 1;
  LoopEmitter emit(k.b, k.loc, target);
  emit.branch(
      emit.equal(numberOf(emit, spec.m), emit.constant(rows)),
      [&] { emitUnitsOf(k, withRows(spec, rows), ofFewRows[fewRows]); },
      [&] { emitUnitsOf(k, spec, fewRows + 1); });
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
