#include "codegen/gpu/ConvolutionForms.h"

#include "codegen/gpu/ConvolutionDirectPlan.h"
#include "codegen/gpu/ConvolutionSumsPlan.h"
#include "codegen/lowering/KernelKind.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;

DevicePlanPtr keratin::codegen::planDeviceConvolution(ir::KernelOp kernel, unsigned warpThreads) {
  if (kindOf(kernel) != KernelKind::Convolution)
    return nullptr;
  std::optional<ConvolutionNest> nest = ConvolutionNest::of(kernel);
  if (!nest)
    return nullptr;
  if (nest->describe().accumulatorType.isInteger(1))
    return nullptr;
  if (auto plan = ConvolutionSumsPlan::make(kernel, *nest, warpThreads))
    return plan;
  return std::make_shared<ConvolutionDirectPlan>(kernel, std::move(*nest));
}
