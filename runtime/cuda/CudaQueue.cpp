#include "runtime/cuda/CudaQueue.h"

#include "runtime/core/Allocator.h"

namespace keratin::cuda {

using runtime::fail;

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
  graphs.clear();
  (void)freeStaging(nullptr);
  if (parcel)
    (void)driver.cuMemFreeHost(parcel);
  for (Chunk &chunk : chunks)
    if (chunk.isRead)
      (void)driver.cuEventDestroy_v2(chunk.isRead);
  if (reached)
    (void)driver.cuEventDestroy_v2(reached);
  if (wordsRead)
    (void)driver.cuMemFreeHost(wordsRead);
  if (words)
    device.memory.release(words);
  for (const Room &room : {parts, counters, bounce})
    if (room.address)
      device.memory.release(room.address);
  for (CUstream each : {stream, capturing})
    if (each)
      (void)driver.cuStreamDestroy_v2(each);
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
  marks.restart();
  return isFresh ? KERATIN_OK : resetWords(status);
}

// What has come back of them.
void CudaQueue::understandWords() {
  isRead = true;
  isFresh =
      wordsRead->failed_site == KERATIN_CUDA_NO_FAILURE && wordsRead->has_suspect_numbers == 0;
}

Code CudaQueue::readWords(keratin_status_t *status) {
  stopRecording();
  if (!isRead)
    if (Code code = put(CudaStep::copyOut(wordsRead, words, sizeof(*wordsRead)), status))
      return code;
  if (Code code = synchronize(status))
    return code;
  understandWords();
  return KERATIN_OK;
}

int32_t CudaQueue::siteOf(const keratin_cuda_failure_t &words) {
  return words.failed_site == KERATIN_CUDA_NO_FAILURE ? 0 : int32_t(words.failed_site) + 1;
}

Code CudaQueue::wait(int32_t *failedSite, keratin_status_t *status) {
  if (Code code = start(status))
    return code;
  if (Code code = readWords(status))
    return code;
  *failedSite = siteOf(*wordsRead);
  return KERATIN_OK;
}

Code CudaQueue::follow(CUstream other, keratin_status_t *status) {
  const Driver &driver = device.driver;
  if (Code code = start(status))
    return code;
  if (!reached)
    if (Code code =
            check(driver.cuEventCreate(&reached, CU_EVENT_DISABLE_TIMING), "cuEventCreate", status))
      return code;
  static constexpr const char *about = " of the caller's stream";
  if (Code code = check(driver.cuEventRecord(reached, other), "cuEventRecord", status, about))
    return code;
  isBusy.store(true, std::memory_order_relaxed);
  return check(driver.cuStreamWaitEvent(stream, reached, 0), "cuStreamWaitEvent", status, about);
}

Code CudaQueue::mark(int32_t tag, keratin_status_t *status) {
  if (Code code = start(status))
    return code;
  isBusy.store(true, std::memory_order_relaxed);
  return marks.add(stream, tag, status);
}

//===-- What is recorded ----------------------------------------------------------------------===//

Code CudaQueue::put(const CudaStep &step, keratin_status_t *status, const void *sent) {
  isBusy.store(true, std::memory_order_relaxed);
  if (recording)
    recording->add(step, sent);
  return putIntoStream(device, stream, step, status);
}

void CudaQueue::stopRecording() {
  if (recording)
    recording->refuse();
  recording = nullptr;
}

void CudaQueue::forgetGraphs() {
  recording = nullptr;
  graphs.clear();
}

} // namespace keratin::cuda
