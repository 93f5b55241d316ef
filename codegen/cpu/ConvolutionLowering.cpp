// A convolution with everything that follows elementwise from its result.
#include "codegen/cpu/ConvolutionBlocks.h"
#include "codegen/cpu/ConvolutionKernel.h"
#include "codegen/cpu/DepthwisePlan.h"
#include "codegen/cpu/ProductPlan.h"
#include "codegen/elements/ConvolutionEpilogue.h"
#include "ir/interfaces/WeightPanels.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;

namespace {

class ConvolutionKernelPlan final : public ProductPlan {
public:
  ConvolutionKernelPlan(ir::KernelOp kernel, ConvolutionNest product, const MachineTarget &target)
      : ProductPlan(kernel, product.operations()), nest(std::move(product)), target(target),
        schedule(planConvolution(nest.describe(), target, ir::panelColumnsOf(kernel))) {
    scratchBytes = schedule.scratch.bytes;
  }

  void printNest(llvm::raw_ostream &out) const override { nest.print(out); }
  void printSchedule(llvm::raw_ostream &out) const override {
    print(out, schedule);
    if (asksForResults())
      out << "asks for results " << MemoryTraits::pageBytes << " bytes ahead\n";
  }

private:
  Value emitUnits(OpBuilder &b, Location loc, SizeOf sizeOf) const override {
    return emitConvolutionUnits(b, loc, nest.describe(b, loc, sizeOf), schedule, target);
  }
  SizeCases unitSizes() const override { return convolutionUnits(nest.describe(), schedule); }
  void emitUnitsOf(CpuKernelBuilder &k) const override;
  bool asksForResults() const;

  ConvolutionNest nest;
  const MachineTarget &target;
  ConvolutionPlan schedule;
};

// Few products come between the stores of a depthwise convolution, and a core begins to fetch a
// line when it is stored to.
bool ConvolutionKernelPlan::asksForResults() const {
  const Value y = ir::ConvolutionOp(nest.op).getY();
  const std::optional<DimExpr> elements = ir::product(ir::getShape(y));
  const int64_t bytes = ir::dtypeBytes(ir::dtypeOf(ir::getElementType(y)));
  return target.memory.isFar && schedule.depthwise && schedule.depthwise->stencil && elements &&
         elements->isConstant() && elements->constantValue() > MemoryTraits::nearBytes / bytes;
}

void ConvolutionKernelPlan::emitUnitsOf(CpuKernelBuilder &k) const {
  ConvolutionSpec spec =
      nest.describe(k.b, k.loc, [&](const DimExpr &size) { return k.sizeOf(size); });
  spec.x.base = memoryOf(k, nest.x());
  const bool isInPanels = schedule.filter == ConvolutionPlan::Filter::InPanels;
  spec.filter.base = memoryOf(k, isInPanels ? Value(ir::panelsOf(kernel)) : nest.filter());
  ConvolutionEpilogue epilogue(k, k.target, nest);
  spec.store = [&](OpBuilder &builder, Location loc, const ConvolutionPlace &place, Value sums,
                   Value mask) {
    epilogue.emit(builder, loc, place, sums, mask);
    if (asksForResults())
      epilogue.askForResults(builder, loc, place, schedule.tile.lanes, MemoryTraits::pageBytes);
  };
  spec.scratch = k.scratch();
  spec.unitsDone = k.unitsDone();
  Value begin = toIndex(k, k.begin), end = toIndex(k, k.end);
  emitConvolution(k.b, k.loc, spec, schedule, k.target, begin, end);
}

} // namespace

int64_t keratin::codegen::convolutionPanelColumns(ir::KernelOp kernel,
                                                  const MachineTarget &target) {
  std::optional<ConvolutionNest> nest = ConvolutionNest::of(kernel);
  if (!nest)
    return 0;
  const ConvolutionSpec spec = nest->describe();
  const ConvolutionPlan plan = planConvolution(spec, target);
  return gainsByPanels(spec, plan) ? plan.tile.tileColumns() : 0;
}

CpuPlan keratin::codegen::planConvolutionKernel(ir::KernelOp kernel, const MachineTarget &target) {
  std::optional<ConvolutionNest> nest = ConvolutionNest::of(kernel);
  if (!nest)
    return nullptr;
  return std::make_shared<ConvolutionKernelPlan>(kernel, std::move(*nest), target);
}
