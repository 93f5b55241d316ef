// Launches of a queue, and the memory that kernels work in.
#include "runtime/cuda/CudaQueue.h"

#include <inttypes.h>
#include <string.h>

namespace keratin::cuda {

using runtime::fail;

// Of the kernels launched so far one may still use the old one.
Code CudaQueue::reserve(Room &room, uint64_t bytes, const char *what, keratin_status_t *status) {
  if (bytes <= room.bytes)
    return KERATIN_OK;
  if (room.address) {
    if (Code code = synchronize(status))
      return code;
    forgetGraphs();
    device.memory.release(room.address);
  }
  room.bytes = 0;
  room.address = device.memory.allocate(size_t(bytes), KERATIN_CUDA_ALIGNMENT);
  if (!room.address)
    return fail(status, KERATIN_RESOURCE_EXHAUSTED,
                "device '%s' (%s): no memory for %" PRIu64 " bytes of %s", device.name,
                device.model, bytes, what);
  room.bytes = size_t(bytes);
  return KERATIN_OK;
}

// For so many units, and the counters by which they and blocks know of each other.
Code CudaQueue::reserveParts(const keratin_cuda_kernel_t &shape, uint64_t units,
                             keratin_status_t *status) {
  uint64_t bytes = 0;
  if (__builtin_mul_overflow(units, uint64_t(shape.unit_bytes), &bytes))
    bytes = UINT64_MAX / 2;
  if (Code code = reserve(parts, bytes, "parts of results", status))
    return code;
  constexpr size_t counterBytes =
      (KERATIN_CUDA_COUNTERS_OF_CALL + KERATIN_CUDA_BARRIER_WORDS) * sizeof(uint32_t);
  if (!counters.address)
    areCountersZero = false;
  if (Code code = reserve(counters, counterBytes, "counters", status))
    return code;
  return clearCounters(status);
}

// A graph finds them so, too: this is no step of it.
Code CudaQueue::clearCounters(keratin_status_t *status) {
  if (areCountersZero || !counters.address)
    return KERATIN_OK;
  isBusy.store(true, std::memory_order_relaxed);
  if (Code code =
          check(device.driver.cuMemsetD8Async(counters.address, 0, counters.bytes, lanes.main()),
                "cuMemsetD8Async", status))
    return code;
  areCountersZero = true;
  return KERATIN_OK;
}

static uint64_t blocksFor(const CudaKernel &kernel, uint64_t units, uint64_t grain) {
  uint64_t each = kernel.shape.units_per_block;
  if (each == 0 && __builtin_mul_overflow(uint64_t(kernel.shape.block_threads), grain, &each))
    each = UINT64_MAX;
  uint64_t blocks = units / each + (units % each != 0);
  return blocks < kernel.maxBlocks ? blocks : kernel.maxBlocks;
}

static constexpr int32_t maxSlots = CudaStep::maxParameters - KERATIN_CUDA_PARAMETERS;

Code CudaQueue::launch(const CudaModule &module, int32_t number, const int64_t *argv, int32_t slots,
                       int64_t units, int64_t grain, keratin_status_t *status) {
  if (Code code = start(status))
    return code;
  const CudaKernel *kernel = module.kernel(number);
  if (!kernel || slots < 0 || slots > maxSlots || grain < 1)
    return fail(status, KERATIN_INVALID_ARGUMENT,
                "device '%s': a launch of kernel %" PRId32 " of %" PRId64 " with %" PRId32
                " slots and grain %" PRId64 "; needed is a kernel there is, %" PRId32
                " slots at most, and a grain of 1 or more",
                device.name, number, module.numKernels(), slots, grain, maxSlots);
  if (units <= 0)
    return KERATIN_OK;
  const keratin_cuda_kernel_t &shape = kernel->shape;
  uint64_t blocks = blocksFor(*kernel, uint64_t(units), uint64_t(grain));
  const bool hasCounters = shape.unit_bytes || (shape.flags & KERATIN_CUDA_COOPERATIVE);
  if (hasCounters)
    if (Code code = reserveParts(shape, uint64_t(units), status))
      return code;

  int64_t values[maxSlots + KERATIN_CUDA_PARAMETERS];
  if (slots)
    memcpy(values, argv, size_t(slots) * sizeof(*values));
  int64_t *rest = values + slots;
  rest[KERATIN_CUDA_UNITS] = units;
  rest[KERATIN_CUDA_GRAIN] = grain;
  rest[KERATIN_CUDA_FAILURE] = int64_t(words);
  rest[KERATIN_CUDA_GUARDED] = isGuarded;
  rest[KERATIN_CUDA_PARTS] = shape.unit_bytes ? int64_t(parts.address) : 0;
  rest[KERATIN_CUDA_COUNTERS] = hasCounters ? int64_t(counters.address) : 0;

  isFresh = isRead = false;
  return put(CudaStep::launch(*kernel, unsigned(blocks), values, slots + KERATIN_CUDA_PARAMETERS),
             status);
}

} // namespace keratin::cuda
