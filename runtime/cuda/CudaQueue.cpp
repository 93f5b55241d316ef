#include "runtime/cuda/CudaQueue.h"

#include "runtime/core/Allocator.h"

#include <inttypes.h>
#include <string.h>

namespace keratin::cuda {

using runtime::fail;
using runtime::ShortText;

static constexpr size_t smallestChunk = size_t(64) << 10, largestChunk = size_t(4) << 20;

//===-- Its life ------------------------------------------------------------------------------===//

Code CudaQueue::create(CudaDevice &device, CudaQueue **queue, keratin_status_t *status) {
  auto *made = runtime::makeObject<CudaQueue>(device);
  if (!made)
    return fail(status, KERATIN_RESOURCE_EXHAUSTED, "device '%s': no memory for a queue",
                device.name);
  (void)made->start(nullptr);
  device.add(*made);
  *queue = made;
  return KERATIN_OK;
}

Code CudaQueue::start(keratin_status_t *status) {
  if (Code code = device.checkAlive(status))
    return code;
  if (isStarted)
    return KERATIN_OK;
  Code code = make(status);
  isStarted = code == KERATIN_OK;
  return code;
}

Code CudaQueue::make(keratin_status_t *status) {
  const Driver &driver = device.driver;
  // Not the stream 0, nor one that waits for it: that one is everybody's.
  if (!stream)
    if (Code code =
            check(driver.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate", status))
      return code;
  for (Chunk &chunk : chunks)
    if (!chunk.isRead)
      if (Code code = check(driver.cuEventCreate(&chunk.isRead, CU_EVENT_DISABLE_TIMING),
                            "cuEventCreate", status))
        return code;
  if (!wordsRead) {
    void *pinned = nullptr;
    if (Code code = check(driver.cuMemHostAlloc(&pinned, sizeof(keratin_cuda_failure_t), 0),
                          "cuMemHostAlloc", status))
      return code;
    wordsRead = static_cast<keratin_cuda_failure_t *>(pinned);
  }
  if (!words)
    words = device.memory.allocate(sizeof(keratin_cuda_failure_t), KERATIN_CUDA_ALIGNMENT);
  if (!words)
    return fail(status, KERATIN_RESOURCE_EXHAUSTED, "device '%s' (%s): no memory for a queue",
                device.name, device.model);
  return resetWords(status);
}

void CudaQueue::destroy(CudaQueue *queue) {
  queue->device.remove(*queue);
  runtime::destroyObject(queue);
}

// What a lost device does not take back is gone with it.
CudaQueue::~CudaQueue() {
  const Driver &driver = device.driver;
  waitForWork();
  (void)freeStaging(nullptr);
  for (Chunk &chunk : chunks)
    if (chunk.isRead)
      (void)driver.cuEventDestroy_v2(chunk.isRead);
  if (wordsRead)
    (void)driver.cuMemFreeHost(wordsRead);
  if (words)
    device.memory.release(words);
  for (const Room &room : {scratch, parts, counters})
    if (room.address)
      device.memory.release(room.address);
  if (stream)
    (void)driver.cuStreamDestroy_v2(stream);
}

void CudaQueue::waitForWork() {
  if (isBusy.load(std::memory_order_acquire))
    (void)device.driver.cuStreamSynchronize(stream);
}

//===-- A call --------------------------------------------------------------------------------===//

Code CudaQueue::synchronize(keratin_status_t *status) {
  if (!isBusy.load(std::memory_order_relaxed))
    return KERATIN_OK;
  if (Code code = check(device.driver.cuStreamSynchronize(stream), "cuStreamSynchronize", status))
    return code;
  isBusy.store(false, std::memory_order_release);
  for (Chunk &chunk : chunks) {
    chunk.used = 0;
    chunk.isUnderWay = false;
  }
  return KERATIN_OK;
}

// As a call finds them.
Code CudaQueue::resetWords(keratin_status_t *status) {
  const Driver &driver = device.driver;
  isBusy.store(true, std::memory_order_relaxed);
  isRead = false;
  if (Code code = check(driver.cuMemsetD32Async(words, KERATIN_CUDA_NO_FAILURE, 1, stream),
                        "cuMemsetD32Async", status))
    return code;
  CUdeviceptr second = words + offsetof(keratin_cuda_failure_t, has_suspect_numbers);
  if (Code code = check(driver.cuMemsetD32Async(second, 0, 1, stream), "cuMemsetD32Async", status))
    return code;
  *wordsRead = {KERATIN_CUDA_NO_FAILURE, 0};
  // Of a guarded kernel some blocks may have left when others failed.
  areCountersZero = false;
  isFresh = isRead = true;
  return KERATIN_OK;
}

Code CudaQueue::begin(keratin_status_t *status) {
  if (Code code = start(status))
    return code;
  isGuarded = false;
  return isFresh ? KERATIN_OK : resetWords(status);
}

Code CudaQueue::readWords(keratin_status_t *status) {
  if (!isRead) {
    if (Code code =
            check(device.driver.cuMemcpyDtoHAsync_v2(wordsRead, words, sizeof(*wordsRead), stream),
                  "cuMemcpyDtoHAsync", status))
      return code;
  }
  if (Code code = synchronize(status))
    return code;
  isRead = true;
  isFresh =
      wordsRead->failed_site == KERATIN_CUDA_NO_FAILURE && wordsRead->has_suspect_numbers == 0;
  return KERATIN_OK;
}

Code CudaQueue::wait(int32_t *failedSite, keratin_status_t *status) {
  if (Code code = start(status))
    return code;
  if (Code code = readWords(status))
    return code;
  uint32_t site = wordsRead->failed_site;
  *failedSite = site == KERATIN_CUDA_NO_FAILURE ? 0 : int32_t(site) + 1;
  return KERATIN_OK;
}

Code CudaQueue::checkGuard(bool &isSkipped, keratin_status_t *status) {
  int32_t site = 0;
  isSkipped = false;
  if (!isGuarded)
    return start(status);
  if (Code code = wait(&site, status))
    return code;
  isSkipped = site != 0;
  return KERATIN_OK;
}

//===-- Copies --------------------------------------------------------------------------------===//

Code CudaQueue::freeStaging(keratin_status_t *status) {
  for (Chunk &chunk : chunks) {
    char *data = chunk.data;
    chunk.data = nullptr;
    if (data)
      if (Code code = check(device.driver.cuMemFreeHost(data), "cuMemFreeHost", status))
        return code;
  }
  return KERATIN_OK;
}

// Chunks grow with what they are asked for, up to where more makes nothing faster.
Code CudaQueue::reserveStaging(size_t bytes, keratin_status_t *status) {
  size_t wanted = smallestChunk;
  while (wanted < bytes && wanted < largestChunk)
    wanted *= 2;
  if (chunkBytes >= wanted)
    return KERATIN_OK;
  if (Code code = synchronize(status))
    return code;
  chunkBytes = 0;
  if (Code code = freeStaging(status))
    return code;
  for (Chunk &chunk : chunks) {
    void *data = nullptr;
    if (Code code = check(device.driver.cuMemHostAlloc(&data, wanted, 0), "cuMemHostAlloc", status))
      return code;
    chunk.data = static_cast<char *>(data);
  }
  chunkBytes = wanted;
  return KERATIN_OK;
}

// The other chunk is the one to be filled, once the device has read it.
Code CudaQueue::turnChunk(keratin_status_t *status) {
  const Driver &driver = device.driver;
  if (Code code = check(driver.cuEventRecord(chunks[turn].isRead, stream), "cuEventRecord", status))
    return code;
  chunks[turn].isUnderWay = true;
  turn ^= 1;
  Chunk &next = chunks[turn];
  if (next.isUnderWay)
    if (Code code = check(driver.cuEventSynchronize(next.isRead), "cuEventSynchronize", status))
      return code;
  next.isUnderWay = false;
  next.used = 0;
  return KERATIN_OK;
}

Code CudaQueue::copyIn(CUdeviceptr to, const void *from, size_t bytes, keratin_status_t *status) {
  bool isSkipped = false;
  if (Code code = checkGuard(isSkipped, status))
    return code;
  if (isSkipped)
    return KERATIN_OK;
  if (Code code = reserveStaging(bytes, status))
    return code;
  isBusy.store(true, std::memory_order_relaxed);
  for (size_t done = 0; done < bytes;) {
    if (chunks[turn].used == chunkBytes)
      if (Code code = turnChunk(status))
        return code;
    Chunk &chunk = chunks[turn];
    size_t piece = bytes - done < chunkBytes - chunk.used ? bytes - done : chunkBytes - chunk.used;
    memcpy(chunk.data + chunk.used, static_cast<const char *>(from) + done, piece);
    if (Code code = check(
            device.driver.cuMemcpyHtoDAsync_v2(to + done, chunk.data + chunk.used, piece, stream),
            "cuMemcpyHtoDAsync", status))
      return code;
    chunk.used += piece;
    done += piece;
  }
  return KERATIN_OK;
}

Code CudaQueue::copyOut(void *to, CUdeviceptr from, size_t bytes, keratin_status_t *status) {
  if (Code code = start(status))
    return code;
  if (Code code = reserveStaging(bytes, status))
    return code;
  isBusy.store(true, std::memory_order_relaxed);
  // One piece is under way while the one before goes to the caller. What the chunks held for the
  // device has been read by then: the stream keeps the order.
  size_t asked = 0, done = 0;
  size_t pieces[2] = {};
  for (int i = 0; done < bytes; ++i) {
    if (asked < bytes) {
      Chunk &chunk = chunks[i & 1];
      size_t piece = pieces[i & 1] = bytes - asked < chunkBytes ? bytes - asked : chunkBytes;
      if (Code code =
              check(device.driver.cuMemcpyDtoHAsync_v2(chunk.data, from + asked, piece, stream),
                    "cuMemcpyDtoHAsync", status))
        return code;
      if (Code code =
              check(device.driver.cuEventRecord(chunk.isRead, stream), "cuEventRecord", status))
        return code;
      asked += piece;
    }
    if (i == 0)
      continue;
    Chunk &chunk = chunks[(i - 1) & 1];
    if (Code code =
            check(device.driver.cuEventSynchronize(chunk.isRead), "cuEventSynchronize", status))
      return code;
    memcpy(static_cast<char *>(to) + done, chunk.data, pieces[(i - 1) & 1]);
    done += pieces[(i - 1) & 1];
  }
  return synchronize(status);
}

Code CudaQueue::copyWithin(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                           keratin_status_t *status) {
  bool isSkipped = false;
  if (Code code = checkGuard(isSkipped, status))
    return code;
  if (isSkipped)
    return KERATIN_OK;
  isBusy.store(true, std::memory_order_relaxed);
  return check(device.driver.cuMemcpyDtoDAsync_v2(to, from, bytes, stream), "cuMemcpyDtoDAsync",
               status);
}

Code CudaQueue::fill(CUdeviceptr to, uint8_t byte, size_t bytes, keratin_status_t *status) {
  bool isSkipped = false;
  if (Code code = checkGuard(isSkipped, status))
    return code;
  if (isSkipped)
    return KERATIN_OK;
  isBusy.store(true, std::memory_order_relaxed);
  return check(device.driver.cuMemsetD8Async(to, byte, bytes, stream), "cuMemsetD8Async", status);
}

//===-- Launches ------------------------------------------------------------------------------===//

// Of the kernels launched so far one may still use the old one.
Code CudaQueue::reserve(Room &room, uint64_t bytes, const char *what, keratin_status_t *status) {
  if (bytes <= room.bytes)
    return KERATIN_OK;
  if (Code code = synchronize(status))
    return code;
  if (room.address)
    device.memory.release(room.address);
  room.bytes = 0;
  room.address = device.memory.allocate(size_t(bytes), KERATIN_CUDA_ALIGNMENT);
  if (!room.address)
    return fail(status, KERATIN_RESOURCE_EXHAUSTED,
                "device '%s' (%s): no memory for %" PRIu64 " bytes of %s", device.name,
                device.model, bytes, what);
  room.bytes = size_t(bytes);
  return KERATIN_OK;
}

Code CudaQueue::reserveScratch(uint64_t bytes, keratin_status_t *status) {
  if (bytes <= scratch.bytes)
    return KERATIN_OK;
  if (Code code = reserve(scratch, bytes, "scratch", status))
    return code;
  // A tile reads whole rows of it, also those at its edge that nothing was put into, and drops what
  // it makes of them. What is read is then at least known.
  isBusy.store(true, std::memory_order_relaxed);
  Code code = check(device.driver.cuMemsetD8Async(scratch.address, 0, size_t(bytes), stream),
                    "cuMemsetD8Async", status);
  if (code != KERATIN_OK)
    scratch.bytes = 0;
  return code;
}

// And the counters by which units and blocks know of each other.
Code CudaQueue::reserveParts(const keratin_cuda_kernel_t &shape, uint64_t units,
                             keratin_status_t *status) {
  uint64_t bytes = 0;
  if (__builtin_mul_overflow(units, uint64_t(shape.unit_bytes), &bytes))
    bytes = UINT64_MAX / 2;
  if (Code code = reserve(parts, bytes, "parts of results", status))
    return code;
  constexpr size_t counterBytes =
      (KERATIN_CUDA_COUNTERS_OF_CALL + KERATIN_CUDA_BARRIER_WORDS) * sizeof(uint32_t);
  if (Code code = reserve(counters, counterBytes, "counters", status))
    return code;
  if (areCountersZero)
    return KERATIN_OK;
  isBusy.store(true, std::memory_order_relaxed);
  if (Code code = check(device.driver.cuMemsetD8Async(counters.address, 0, counterBytes, stream),
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

static constexpr int32_t maxSlots = KERATIN_CUDA_MOST_SLOTS;

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
  if (shape.scratch_bytes)
    if (Code code = reserveScratch(blocks * shape.block_threads * shape.scratch_bytes, status))
      return code;

  const bool isCooperative = shape.flags & KERATIN_CUDA_COOPERATIVE;
  const bool hasCounters = isCooperative || shape.unit_bytes;
  if (hasCounters)
    if (Code code = reserveParts(shape, uint64_t(units), status))
      return code;

  int64_t values[maxSlots + KERATIN_CUDA_PARAMETERS];
  void *parameters[maxSlots + KERATIN_CUDA_PARAMETERS];
  if (slots)
    memcpy(values, argv, size_t(slots) * sizeof(*values));
  int64_t *rest = values + slots;
  rest[KERATIN_CUDA_UNITS] = units;
  rest[KERATIN_CUDA_GRAIN] = grain;
  rest[KERATIN_CUDA_FAILURE] = int64_t(words);
  rest[KERATIN_CUDA_SCRATCH] = shape.scratch_bytes ? int64_t(scratch.address) : 0;
  rest[KERATIN_CUDA_GUARDED] = isGuarded;
  rest[KERATIN_CUDA_PARTS] = shape.unit_bytes ? int64_t(parts.address) : 0;
  rest[KERATIN_CUDA_COUNTERS] = hasCounters ? int64_t(counters.address) : 0;
  for (int32_t i = 0; i < slots + KERATIN_CUDA_PARAMETERS; ++i)
    parameters[i] = values + i;

  isBusy.store(true, std::memory_order_relaxed);
  isFresh = isRead = false;
  const Driver &driver = device.driver;
  CUresult result =
      isCooperative
          ? driver.cuLaunchCooperativeKernel(kernel->function, unsigned(blocks), 1, 1,
                                             shape.block_threads, 1, 1, shape.shared_bytes, stream,
                                             parameters)
          : driver.cuLaunchKernel(kernel->function, unsigned(blocks), 1, 1, shape.block_threads, 1,
                                  1, shape.shared_bytes, stream, parameters, nullptr);
  if (result == CUDA_SUCCESS)
    return KERATIN_OK;
  return check(result, isCooperative ? "cuLaunchCooperativeKernel" : "cuLaunchKernel", status,
               ShortText().add(" of kernel '%s'", kernel->name).text());
}

} // namespace keratin::cuda
