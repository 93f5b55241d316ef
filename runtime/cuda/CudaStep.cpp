#include "runtime/cuda/CudaStep.h"

namespace keratin::cuda {

using runtime::ShortText;

static Code launch(CudaDevice &device, CUstream stream, const CudaStep &step,
                   keratin_status_t *status) {
  const Driver &driver = device.driver;
  const keratin_cuda_kernel_t &shape = step.kernel->shape;
  void *parameters[CudaStep::maxParameters];
  for (int32_t i = 0; i < step.numParameters; ++i)
    parameters[i] = const_cast<int64_t *>(step.parameters + i);
  bool isCooperative = shape.flags & KERATIN_CUDA_COOPERATIVE;
  CUresult result =
      isCooperative
          ? driver.cuLaunchCooperativeKernel(step.kernel->function, step.blocks, 1, 1,
                                             shape.block_threads, 1, 1, shape.shared_bytes, stream,
                                             parameters)
          : driver.cuLaunchKernel(step.kernel->function, step.blocks, 1, 1, shape.block_threads, 1,
                                  1, shape.shared_bytes, stream, parameters, nullptr);
  if (result == CUDA_SUCCESS)
    return KERATIN_OK;
  return device.check(result, isCooperative ? "cuLaunchCooperativeKernel" : "cuLaunchKernel",
                      status, ShortText().add(" of kernel '%s'", step.kernel->name).text());
}

Code putIntoStream(CudaDevice &device, CudaLanes &lanes, const CudaStep &step,
                   keratin_status_t *status) {
  const Driver &driver = device.driver;
  CUstream stream = lanes.main();
  switch (step.kind) {
  case CudaStep::Kind::CopyIn:
    return device.check(driver.cuMemcpyHtoDAsync_v2(step.to, step.host, step.bytes, stream),
                        "cuMemcpyHtoDAsync", status);
  case CudaStep::Kind::CopyOut:
    return device.check(driver.cuMemcpyDtoHAsync_v2(step.host, step.from, step.bytes, stream),
                        "cuMemcpyDtoHAsync", status);
  case CudaStep::Kind::CopyWithin:
    return device.check(driver.cuMemcpyDtoDAsync_v2(step.to, step.from, step.bytes, stream),
                        "cuMemcpyDtoDAsync", status);
  case CudaStep::Kind::Fill:
    return device.check(driver.cuMemsetD8Async(step.to, step.byte, step.bytes, stream),
                        "cuMemsetD8Async", status);
  case CudaStep::Kind::Launch:
    return launch(device, stream, step, status);
  case CudaStep::Kind::Fork:
    return lanes.fork(status, [&](CUstream beside) {
      return step.put(step.user, step.parameters, beside, status);
    });
  case CudaStep::Kind::Join:
    return lanes.join(status);
  }
  __builtin_unreachable();
}

} // namespace keratin::cuda
