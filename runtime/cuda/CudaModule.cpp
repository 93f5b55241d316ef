#include "runtime/cuda/CudaModule.h"

#include "runtime/core/Allocator.h"
#include "runtime/core/Descriptor.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

namespace keratin::cuda {

using runtime::fail;
using runtime::functionName;
using runtime::ShortText;

static constexpr uint32_t maxGrid = 0x7fffffff;
// More dynamic shared memory than this a kernel has to be allowed.
static constexpr uint32_t freeShared = 48 * 1024;

//===-- Images --------------------------------------------------------------------------------===//

const keratin_image_t *CudaModule::imageOf(const char *kind) const {
  for (int64_t i = 0; i < code.num_images; ++i)
    if (strcmp(code.images[i].kind, kind) == 0)
      return &code.images[i];
  return nullptr;
}

// How well machine code of "sm_86" or "sm_90a" suits a device: the higher the better, 0 not at all.
// It runs on devices of the same major number and no lower minor one; with a letter, on that one
// alone.
static int suitability(const char *architecture, int major, int minor) {
  if (strncmp(architecture, "sm_", 3) != 0)
    return 0;
  char *end = nullptr;
  long number = strtol(architecture + 3, &end, 10);
  bool isExact = number == major * 10 + minor;
  if (strcmp(end, "a") == 0)
    return isExact ? 1000 : 0;
  return *end == '\0' && number / 10 == major && number % 10 <= minor ? int(number % 10) + 1 : 0;
}

const keratin_image_t *CudaModule::bestOf(const char *kind) const {
  const keratin_image_t *best = nullptr;
  int bestScore = 0;
  size_t prefix = strlen(kind);
  for (int64_t i = 0; i < code.num_images; ++i) {
    const keratin_image_t &image = code.images[i];
    if (strncmp(image.kind, kind, prefix) != 0)
      continue;
    if (int score = suitability(image.kind + prefix, device.major, device.minor);
        score > bestScore) {
      best = &image;
      bestScore = score;
    }
  }
  return best;
}

// Room for what the driver says to PTX that it does not compile.
static constexpr size_t logBytes = 640;

Code CudaModule::loadImage(const keratin_image_t &image, CUresult &result,
                           keratin_status_t *status) {
  char log[logBytes] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, reinterpret_cast<void *>(sizeof(log) - 1)};
  result = device.driver.cuModuleLoadDataEx(&module, image.data, 2, options, values);
  if (result == CUDA_SUCCESS) {
    loadedKind = image.kind;
    return KERATIN_OK;
  }
  for (size_t end = strlen(log); end > 0 && isspace(static_cast<unsigned char>(log[end - 1]));)
    log[--end] = '\0';
  ShortText about;
  about.add(" of image '%s' of function '%s'", image.kind, functionName(function));
  Code failure = device.check(result, "cuModuleLoadDataEx", status, about.text());
  size_t length = status ? strlen(status->message) : 0;
  if (log[0] && status)
    snprintf(status->message + length, sizeof(status->message) - length, ": %s", log);
  return failure;
}

Code CudaModule::refuseImages(keratin_status_t *status) const {
  ShortText kinds;
  for (int64_t i = 0; i < code.num_images; ++i)
    if (strncmp(code.images[i].kind, KERATIN_CUDA_IMAGE_KERNELS,
                strlen(KERATIN_CUDA_IMAGE_KERNELS)) != 0)
      kinds.add("%s'%s'", kinds.text()[0] ? ", " : "", code.images[i].kind);
  return fail(status, KERATIN_FAILED_PRECONDITION,
              "function '%s' has no image that device '%s' (%s) runs; it has %s; needed is '%s' or "
              "'%ssm_%d%d'",
              functionName(function), device.name, device.model,
              kinds.text()[0] ? kinds.text() : "none", KERATIN_CUDA_IMAGE_PTX,
              KERATIN_CUDA_IMAGE_CUBIN, device.major, device.minor);
}

// Machine code where there is some that the driver takes, else PTX, which it compiles: for this
// architecture alone, else for all.
Code CudaModule::loadImages(keratin_status_t *status) {
  const keratin_image_t *ptx[] = {bestOf(KERATIN_CUDA_IMAGE_PTX KERATIN_CUDA_IMAGE_OF),
                                  imageOf(KERATIN_CUDA_IMAGE_PTX)};
  for (const keratin_image_t *text : ptx)
    if (text && (text->bytes < 1 || static_cast<const char *>(text->data)[text->bytes - 1] != '\0'))
      return fail(status, KERATIN_INVALID_ARGUMENT,
                  "function '%s': its image '%s' does not end in NUL", functionName(function),
                  text->kind);
  Code failure = KERATIN_OK;
  bool isForOthers = true;
  for (const keratin_image_t *image : {bestOf(KERATIN_CUDA_IMAGE_CUBIN), ptx[0], ptx[1]}) {
    if (!image || !isForOthers)
      continue;
    CUresult result = CUDA_SUCCESS;
    failure = loadImage(*image, result, status);
    isForOthers = result == CUDA_ERROR_NO_BINARY_FOR_GPU || result == CUDA_ERROR_INVALID_IMAGE;
    if (failure == KERATIN_OK)
      return failure;
  }
  return failure == KERATIN_OK ? refuseImages(status) : failure;
}

// How kernels are launched: those of an architecture's own module may be so in another way.
const keratin_image_t *CudaModule::launches() const {
  char kind[64] = "";
  if (const char *architecture = strstr(loadedKind, KERATIN_CUDA_IMAGE_OF))
    snprintf(kind, sizeof(kind), "%s%s", KERATIN_CUDA_IMAGE_KERNELS, architecture);
  const keratin_image_t *own = imageOf(kind);
  return own ? own : imageOf(KERATIN_CUDA_IMAGE_KERNELS);
}

//===-- Kernels -------------------------------------------------------------------------------===//

static bool isLaunchable(const keratin_cuda_kernel_t &shape) {
  return shape.block_threads >= 1 && shape.block_threads <= 1024 && shape.max_blocks <= maxGrid;
}

// All blocks of a cooperative kernel are resident at once, or it does not start.
Code CudaModule::limitCooperative(CudaKernel &kernel, keratin_status_t *status) {
  int blocks = 0;
  const Driver &driver = device.driver;
  if (Code code = device.check(
          driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(
              &blocks, kernel.function, int(kernel.shape.block_threads), kernel.shape.shared_bytes),
          "cuOccupancyMaxActiveBlocksPerMultiprocessor", status))
    return code;
  uint32_t resident = uint32_t(blocks) * uint32_t(device.multiprocessors);
  if (resident == 0)
    return fail(
        status, KERATIN_FAILED_PRECONDITION,
        "function '%s': device '%s' (%s) has no room for a block of kernel '%s' with %" PRIu32
        " threads and %" PRIu32 " bytes of shared memory",
        functionName(function), device.name, device.model, kernel.name, kernel.shape.block_threads,
        kernel.shape.shared_bytes);
  if (kernel.maxBlocks > resident)
    kernel.maxBlocks = resident;
  return KERATIN_OK;
}

Code CudaModule::findKernel(CudaKernel &kernel, keratin_status_t *status) {
  const Driver &driver = device.driver;
  ShortText about;
  about.add(" of kernel '%s' of function '%s'", kernel.name, functionName(function));
  if (!isLaunchable(kernel.shape))
    return fail(status, KERATIN_INVALID_ARGUMENT,
                "function '%s': kernel '%s' cannot be launched with blocks of %" PRIu32
                " threads and %" PRIu32 " blocks at most",
                functionName(function), kernel.name, kernel.shape.block_threads,
                kernel.shape.max_blocks);
  if (Code code = device.check(driver.cuModuleGetFunction(&kernel.function, module, kernel.name),
                               "cuModuleGetFunction", status, about.text()))
    return code;
  if (kernel.shape.shared_bytes > freeShared)
    if (Code code =
            device.check(driver.cuFuncSetAttribute(kernel.function,
                                                   CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                                   int(kernel.shape.shared_bytes)),
                         "cuFuncSetAttribute", status, about.text()))
      return code;
  kernel.maxBlocks = kernel.shape.max_blocks ? kernel.shape.max_blocks : maxGrid;
  return kernel.shape.flags & KERATIN_CUDA_COOPERATIVE ? limitCooperative(kernel, status)
                                                       : KERATIN_OK;
}

Code CudaModule::findKernels(keratin_status_t *status) {
  const keratin_image_t *shapes = launches();
  int64_t bytes = code.num_kernels * int64_t(sizeof(keratin_cuda_kernel_t));
  if (!shapes || shapes->bytes != bytes)
    return fail(status, KERATIN_INVALID_ARGUMENT,
                "function '%s': its image '%s' has %" PRId64 " bytes; needed %" PRId64
                " for %" PRId64 " kernels",
                functionName(function), shapes ? shapes->kind : KERATIN_CUDA_IMAGE_KERNELS,
                shapes ? shapes->bytes : 0, bytes, code.num_kernels);
  kernels = static_cast<CudaKernel *>(
      runtime::allocate(size_t(code.num_kernels) * sizeof(CudaKernel), alignof(CudaKernel)));
  if (!kernels)
    return fail(status, KERATIN_RESOURCE_EXHAUSTED, "function '%s': no memory for its kernels",
                functionName(function));
  for (int64_t i = 0; i < code.num_kernels; ++i) {
    CudaKernel &kernel = *new (&kernels[i]) CudaKernel();
    kernel.name = code.kernels[i];
    memcpy(&kernel.shape,
           static_cast<const char *>(shapes->data) + size_t(i) * sizeof(kernel.shape),
           sizeof(kernel.shape));
    if (Code failure = findKernel(kernel, status))
      return failure;
  }
  return KERATIN_OK;
}

//===-- Its life ------------------------------------------------------------------------------===//

Code CudaModule::load(CudaDevice &device, const keratin_function_desc_t &function,
                      CudaModule **module, keratin_status_t *status) {
  if (Code failure = device.checkAlive(status))
    return failure;
  auto *made = runtime::makeObject<CudaModule>(device, function);
  if (!made)
    return fail(status, KERATIN_RESOURCE_EXHAUSTED, "function '%s': no memory for its code",
                functionName(function));
  Code failure = made->code.num_kernels ? made->loadImages(status) : KERATIN_OK;
  if (failure == KERATIN_OK && made->code.num_kernels)
    failure = made->findKernels(status);
  if (failure != KERATIN_OK) {
    runtime::destroyObject(made);
    return failure;
  }
  *module = made;
  return KERATIN_OK;
}

void CudaModule::unload(CudaModule *module) { runtime::destroyObject(module); }

CudaModule::~CudaModule() {
  if (module)
    (void)device.driver.cuModuleUnload(module);
  if (kernels)
    runtime::deallocate(kernels, size_t(code.num_kernels) * sizeof(CudaKernel),
                        alignof(CudaKernel));
}

} // namespace keratin::cuda
