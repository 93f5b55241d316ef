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
  // Updates come last.
  const unsigned results = function.getNumResults();
  return results > 0 && ir::Signature(function).isUpdate(results - 1);
}

class ContractionKernelPlan final : public ProductPlan {
public:
  ContractionKernelPlan(ir::KernelOp kernel, ContractionNest product, const MachineTarget &target)
      : ProductPlan(kernel, product.operations()), nest(std::move(product)), target(target),
        schedule(planContraction(nest.describe(), target, !updatesVariables(kernel))) {
    scratchBytes = schedule.scratch.bytes;
    // Tiles of many rows take twice as long for one or two, and that is how many a model gets that
    // answers one question at a time. What trains gets many, and is spared a fifth of its
    // compilation.
    if (ContractionSpec spec = nest.describe(); !spec.m.constant && !updatesVariables(kernel))
      for (int64_t rows : {1, 2}) {
        ofFewRows.push_back({rows, planContraction(withRows(spec, rows), target)});
        scratchBytes = std::max(scratchBytes, ofFewRows.back().schedule.scratch.bytes);
      }
  }

  void printNest(llvm::raw_ostream &out) const override { nest.print(out); }
  void printSchedule(llvm::raw_ostream &out) const override {
    print(out, schedule);
    for (const FewRows &few : ofFewRows)
      print(out << (few.rows == 1 ? "of one row, " : "of two rows, "), few.schedule);
  }

private:
  Value emitUnits(OpBuilder &b, Location loc, SizeOf sizeOf) const override;
  SizeCases unitSizes() const override;
  void emitUnitsOf(CpuKernelBuilder &k) const override;
  struct FewRows {
    int64_t rows;
    ContractionPlan schedule;
  };
  void emitUnitsOf(CpuKernelBuilder &k, const ContractionSpec &spec,
                   llvm::ArrayRef<FewRows> candidates) const;
  void emitUnitsOf(CpuKernelBuilder &k, ContractionSpec spec, const ContractionPlan &plan) const;

  ContractionNest nest;
  const MachineTarget &target;
  ContractionPlan schedule;
  std::vector<FewRows> ofFewRows; // where the call knows first how many there are
};

Value ContractionKernelPlan::emitUnits(OpBuilder &b, Location loc, SizeOf sizeOf) const {
  const ContractionSpec spec = nest.describe(b, loc, sizeOf);
  LoopEmitter emit(b, loc, target);
  Value units = emit.fromIndex(emitContractionUnits(b, loc, spec, schedule, target));
  for (const auto &[rows, plan] : ofFewRows) {
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
  for (const auto &[rows, plan] : ofFewRows)
    units = arithmetic.select(arithmetic.equal(numberOf(arithmetic, spec.m), rows),
                              contractionUnits(withRows(spec, rows), plan), units);
  return units;
}

void ContractionKernelPlan::emitUnitsOf(CpuKernelBuilder &k) const {
  emitUnitsOf(k, nest.describe(k.b, k.loc, [&](const DimExpr &size) { return k.sizeOf(size); }),
              ofFewRows);
}

// Asks for one number of rows after the other.
void ContractionKernelPlan::emitUnitsOf(CpuKernelBuilder &k, const ContractionSpec &spec,
                                        llvm::ArrayRef<FewRows> candidates) const {
  if (candidates.empty())
    return emitUnitsOf(k, spec, schedule);
  const FewRows &few = candidates.front();
  LoopEmitter emit(k.b, k.loc, target);
  emit.branch(
      emit.equal(numberOf(emit, spec.m), emit.constant(few.rows)),
      [&] { emitUnitsOf(k, withRows(spec, few.rows), few.schedule); },
      [&] { emitUnitsOf(k, spec, candidates.drop_front()); });
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
