#include "codegen/gpu/convolutions/ConvolutionForms.h"

#include "codegen/gpu/convolutions/ConvolutionDirectPlan.h"
#include "codegen/gpu/convolutions/ConvolutionProductPlan.h"
#include "codegen/gpu/convolutions/ConvolutionSumsPlan.h"
#include "codegen/lowering/KernelKind.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;

// Filters of a group that leave most of a product's columns empty.
static bool hasFewFilters(const ConvolutionSpec &spec) {
  constexpr int64_t few = 4, fewOfGroup = 16;
  int64_t most = spec.groups.constant == 1 ? few : fewOfGroup;
  return spec.filters.constant && *spec.filters.constant <= most;
}

DevicePlanPtr keratin::codegen::planDeviceConvolution(ir::KernelOp kernel,
                                                      const DeviceTraits &device) {
  if (kindOf(kernel) != KernelKind::Convolution)
    return nullptr;
  std::optional<ConvolutionNest> nest = ConvolutionNest::of(kernel);
  if (!nest)
    return nullptr;
  ConvolutionSpec spec = nest->describe();
  if (spec.accumulatorType.isInteger(1))
    return nullptr;
  if (device.warpThreads > 1 && !hasFewFilters(spec))
    return std::make_shared<ConvolutionProductPlan>(kernel, std::move(*nest), device);
  if (auto plan = ConvolutionSumsPlan::make(kernel, *nest, device.warpThreads))
    return plan;
  return std::make_shared<ConvolutionDirectPlan>(kernel, std::move(*nest));
}
