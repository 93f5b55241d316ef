// The code of one function on a CUDA device: the image that fits, and how its kernels are launched.
#ifndef KERATIN_RUNTIME_CUDA_CUDAMODULE_H
#define KERATIN_RUNTIME_CUDA_CUDAMODULE_H

#include "runtime/cuda/CudaDevice.h"
#include "runtime/cuda/CudaKernel.h"

namespace keratin::cuda {

// All with the device's context current.
class CudaModule {
public:
  static Code load(CudaDevice &device, const keratin_function_desc_t &function, CudaModule **module,
                   keratin_status_t *status);
  static void unload(CudaModule *module);
  CudaModule(CudaDevice &device, const keratin_function_desc_t &function)
      : device(device), function(function), code(*function.device_code) {}
  ~CudaModule();

  // nullptr where there is none of this number.
  const CudaKernel *kernel(int32_t number) const {
    return number >= 0 && number < code.num_kernels ? &kernels[number] : nullptr;
  }
  int64_t numKernels() const { return code.num_kernels; }

private:
  const keratin_image_t *imageOf(const char *kind) const;
  // Of the kinds that begin like this: that which suits the device best.
  const keratin_image_t *bestOf(const char *kind) const;
  const keratin_image_t *launches() const;
  Code loadImages(keratin_status_t *status);
  Code loadImage(const keratin_image_t &image, CUresult &result, keratin_status_t *status);
  Code refuseImages(keratin_status_t *status) const;
  Code findKernels(keratin_status_t *status);
  Code findKernel(CudaKernel &kernel, keratin_status_t *status);
  Code limitCooperative(CudaKernel &kernel, keratin_status_t *status);

  CudaDevice &device;
  const keratin_function_desc_t &function;
  const keratin_device_code_t &code;
  CUmodule module = nullptr;
  const char *loadedKind = "";
  CudaKernel *kernels = nullptr;
};

} // namespace keratin::cuda

#endif // KERATIN_RUNTIME_CUDA_CUDAMODULE_H
