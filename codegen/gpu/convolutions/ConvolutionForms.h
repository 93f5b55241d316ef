// Which of its forms a convolution has on a device.
#ifndef KERATIN_CODEGEN_GPU_CONVOLUTIONS_CONVOLUTIONFORMS_H
#define KERATIN_CODEGEN_GPU_CONVOLUTIONS_CONVOLUTIONFORMS_H

#include "codegen/gpu/DevicePlan.h"

namespace keratin::codegen {

// Null where the kernel is no convolution. As planDeviceKernel.
DevicePlanPtr planDeviceConvolution(ir::KernelOp kernel, const DeviceTraits &device);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_CONVOLUTIONS_CONVOLUTIONFORMS_H
