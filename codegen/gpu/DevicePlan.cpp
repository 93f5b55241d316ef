#include "codegen/gpu/DevicePlan.h"

#include "codegen/gpu/UnitsPlan.h"
#include "codegen/gpu/attention/AttentionGradientTilesPlan.h"
#include "codegen/gpu/attention/AttentionTilesPlan.h"
#include "codegen/gpu/contractions/ContractionThinPlan.h"
#include "codegen/gpu/contractions/ContractionTilesPlan.h"
#include "codegen/gpu/convolutions/ConvolutionForms.h"
#include "codegen/gpu/moves/ElementsPlan.h"
#include "codegen/gpu/moves/RandomPlan.h"
#include "codegen/gpu/moves/ScatterPlan.h"
#include "codegen/gpu/moves/ScatterWindowsPlan.h"
#include "codegen/gpu/moves/TransposeChainPlan.h"
#include "codegen/gpu/moves/TransposePlan.h"
#include "codegen/gpu/moves/WindowsPlan.h"
#include "codegen/gpu/ptx/KernelBounds.h"
#include "codegen/gpu/ptx/KernelEntry.h"
#include "codegen/gpu/reductions/ArgReductionPlan.h"
#include "codegen/gpu/reductions/ReductionPlan.h"
#include "codegen/gpu/reductions/ScanPlan.h"
#include "codegen/gpu/reductions/TopKPlan.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;

void DevicePlan::printSchedule(llvm::raw_ostream &out) const {
  printForm(out);
  out << "launch: a unit " << (unitThreads == 1 ? "a thread" : counted(unitThreads, "thread"))
      << "; ";
  print(out, shape().launch);
}

void DevicePlan::setWork(const ir::DimExpr &units, const ir::DimExpr &perUnit) {
  KernelPlan::setWork(units, perUnit);
  grain = 1;
}

KernelFunction DevicePlan::finishOnDevice(KernelBuilder &k) const {
  KernelBounds::note(k, countsUnits() ? ir::DimExpr(INT64_MAX) : units);
  return finish(k);
}

Value DeviceKernelBuilder::parameter(keratin_cuda_parameter_t number) {
  return launchParameter(b, loc, number);
}

KernelFunction FormPlan::lower(OpBuilder &builder, StringRef name,
                               const MachineTarget &machine) const {
  DeviceKernelBuilder k(kernel, builder, name, machine);
  k.b.setInsertionPoint(k.result.function.getBody().front().getTerminator());
  emit(k);
  return finishOnDevice(k);
}

DevicePlanPtr keratin::codegen::planDeviceKernel(ir::KernelOp kernel, const DeviceTraits &device) {
  const unsigned warpThreads = device.warpThreads;
  if (auto plan = TransposePlan::make(kernel, warpThreads))
    return plan;
  if (auto plan = TransposeChainPlan::make(kernel, warpThreads))
    return plan;
  if (auto plan = WindowsPlan::make(kernel))
    return plan;
  if (auto plan = ScatterWindowsPlan::make(kernel))
    return plan;
  if (auto plan = ScatterPlan::make(kernel, warpThreads))
    return plan;
  if (auto plan = RandomPlan::make(kernel))
    return plan;
  if (auto plan = ElementsPlan::make(kernel))
    return plan;
  if (auto plan = ReductionPlan::make(kernel, warpThreads))
    return plan;
  if (auto plan = ArgReductionPlan::make(kernel, warpThreads))
    return plan;
  if (auto plan = ScanPlan::make(kernel, warpThreads))
    return plan;
  if (auto plan = TopKPlan::make(kernel, warpThreads))
    return plan;
  if (auto plan = AttentionTilesPlan::make(kernel, device))
    return plan;
  if (auto plan = AttentionGradientTilesPlan::make(kernel, device))
    return plan;
  if (auto plan = ContractionThinPlan::make(kernel, warpThreads))
    return plan;
  if (auto plan = ContractionTilesPlan::make(kernel, device))
    return plan;
  if (auto plan = planDeviceConvolution(kernel, device))
    return plan;
  return UnitsPlan::make(kernel, device.machine);
}
