#include "runtime/cuda/CudaQueue.h"

#include "runtime/core/Allocator.h"
#include "runtime/core/Profile.h"

#include <time.h>
#include <utility>

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
  if (Code code = lanes.start(status))
    return code;
  for (Chunk &chunk : chunks)
    if (!chunk.isRead)
      if (Code code = check(driver.cuEventCreate(&chunk.isRead, CU_EVENT_DISABLE_TIMING),
                            "cuEventCreate", status))
        return code;
  if (!wordsRead) {
    void *pinned = nullptr;
    if (Code code =
            check(driver.cuMemHostAlloc(&pinned, sizeof(Words), 0), "cuMemHostAlloc", status))
      return code;
    wordsRead = static_cast<Words *>(pinned);
  }
  if (!words)
    words = device.memory.allocate(sizeof(Words), KERATIN_CUDA_ALIGNMENT);
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
}

void CudaQueue::waitForWork() {
  if (isBusy.load(std::memory_order_acquire))
    (void)device.driver.cuStreamSynchronize(lanes.main());
}

//===-- A call --------------------------------------------------------------------------------===//

// Who waits for others asks whether they still come.
Code CudaQueue::waitForStream(keratin_status_t *status) {
  const Driver &driver = device.driver;
  while (lanes.isForked())
    if (Code code = lanes.join(status))
      return code;
  Code ended = KERATIN_OK;
  if (watch.ask) {
    constexpr int64_t patience = 1000000; // nanoseconds
    for (const int64_t begin = runtime::profileClock(); ended == KERATIN_OK;) {
      CUresult result = driver.cuStreamQuery(lanes.main());
      if (result != CUDA_ERROR_NOT_READY)
        return check(result, "cuStreamQuery", status);
      int64_t waited = runtime::profileClock() - begin;
      ended = watch.ask(watch.user, waited, status);
      constexpr timespec pause = {0, 50000};
      if (waited > patience)
        nanosleep(&pause, nullptr);
    }
    watch = {};
  }
  CUresult result = driver.cuStreamSynchronize(lanes.main());
  return ended ? ended : check(result, "cuStreamSynchronize", status);
}

Code CudaQueue::synchronize(keratin_status_t *status) {
  if (!isBusy.load(std::memory_order_relaxed))
    return KERATIN_OK;
  Code code = waitForStream(status);
  if (code != KERATIN_OK)
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
  const Words first = {{KERATIN_CUDA_NO_FAILURE, 0}, notExposed};
  const std::pair<size_t, uint32_t> values[] = {
      {offsetof(Words, told.failed_site), first.told.failed_site},
      {offsetof(Words, told.has_suspect_numbers), first.told.has_suspect_numbers},
      {offsetof(Words, own), first.own}};
  for (auto [offset, value] : values)
    if (Code code = check(driver.cuMemsetD32Async(words + offset, value, 1, lanes.main()),
                          "cuMemsetD32Async", status))
      return code;
  *wordsRead = first;
  // Of a guarded kernel some blocks may have left when others failed.
  areCountersZero = false;
  isFresh = isRead = true;
  return KERATIN_OK;
}

Code CudaQueue::begin(keratin_status_t *status) {
  if (Code code = start(status))
    return code;
  isGuarded = false;
  watch = {};
  marks.restart();
  return isFresh ? KERATIN_OK : resetWords(status);
}

// What has come back of them.
void CudaQueue::understandWords() {
  isRead = true;
  isFresh = wordsRead->told.failed_site == KERATIN_CUDA_NO_FAILURE &&
            wordsRead->told.has_suspect_numbers == 0 && wordsRead->own == notExposed;
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

int32_t CudaQueue::siteOf(const Words &words) {
  uint32_t site = words.own == notExposed ? words.told.failed_site : words.own;
  return site == KERATIN_CUDA_NO_FAILURE ? 0 : int32_t(site) + 1;
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
  return check(driver.cuStreamWaitEvent(lanes.main(), reached, 0), "cuStreamWaitEvent", status,
               about);
}

Code CudaQueue::mark(int32_t tag, keratin_status_t *status) {
  if (Code code = start(status))
    return code;
  isBusy.store(true, std::memory_order_relaxed);
  return marks.add(lanes.main(), tag, status);
}

//===-- Work of others ------------------------------------------------------------------------===//

Code CudaQueue::fork(const keratin_stream_work_t &work, keratin_status_t *status) {
  isBusy.store(true, std::memory_order_relaxed);
  isFresh = isRead = false;
  watch = {work.watch, work.user};
  if (recording)
    recording->add(work);
  return putIntoStream(device, lanes, CudaStep::fork(work), status);
}

Code CudaQueue::join(keratin_status_t *status) {
  return lanes.isForked() ? put(CudaStep::join(), status) : KERATIN_OK;
}

// A message that is ended by force leaves the site 0, as if that had failed.
Code CudaQueue::expose(CUdeviceptr &own, CUdeviceptr &all, keratin_status_t *status) {
  own = words + offsetof(Words, own);
  all = words + offsetof(Words, told.failed_site);
  isFresh = isRead = false;
  if (Code code = put(CudaStep::copyWithin(own, all, sizeof(uint32_t)), status))
    return code;
  return put(CudaStep::fill(all, 0, sizeof(uint32_t)), status);
}

//===-- What is recorded ----------------------------------------------------------------------===//

Code CudaQueue::put(const CudaStep &step, keratin_status_t *status, const void *sent) {
  isBusy.store(true, std::memory_order_relaxed);
  if (recording)
    recording->add(step, sent);
  return putIntoStream(device, lanes, step, status);
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
