#include "codegen/gpu/DevicePlan.h"

#include "codegen/gpu/ContractionThinPlan.h"
#include "codegen/gpu/ContractionTilesPlan.h"
#include "codegen/gpu/ConvolutionForms.h"
#include "codegen/gpu/ElementsPlan.h"
#include "codegen/gpu/KernelEntry.h"
#include "codegen/gpu/RowsPlan.h"
#include "codegen/gpu/UnitsPlan.h"

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

Value DeviceKernelBuilder::parameter(keratin_cuda_parameter_t number) {
  return launchParameter(b, loc, number);
}

KernelFunction FormPlan::lower(OpBuilder &builder, StringRef name,
                               const MachineTarget &machine) const {
  DeviceKernelBuilder k(kernel, builder, name, machine);
  k.b.setInsertionPoint(k.result.function.getBody().front().getTerminator());
  emit(k);
  return finish(k);
}

DevicePlanPtr keratin::codegen::planDeviceKernel(ir::KernelOp kernel, const MachineTarget &machine,
                                                 unsigned warpThreads) {
  if (auto plan = ElementsPlan::make(kernel))
    return plan;
  if (auto plan = RowsPlan::make(kernel, warpThreads))
    return plan;
  if (auto plan = ContractionThinPlan::make(kernel, warpThreads))
    return plan;
  if (auto plan = ContractionTilesPlan::make(kernel, warpThreads))
    return plan;
  if (auto plan = planDeviceConvolution(kernel, warpThreads))
    return plan;
  return UnitsPlan::make(kernel, machine);
}
