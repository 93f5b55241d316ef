// Copies and fills of a queue, through pinned memory where they come from the host or go there.
#include "runtime/cuda/CudaQueue.h"

#include <string.h>

namespace keratin::cuda {

static constexpr size_t smallestChunk = size_t(64) << 10, largestChunk = size_t(4) << 20;

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
  if (chunkBytes)
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
  if (Code code =
          check(driver.cuEventRecord(chunks[turn].isRead, lanes.main()), "cuEventRecord", status))
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

// Behind a guard by way of the device's own memory, a chunk after the other.
Code CudaQueue::copyIn(CUdeviceptr to, const void *from, size_t bytes, keratin_status_t *status) {
  if (Code code = start(status))
    return code;
  if (Code code = reserveStaging(bytes, status))
    return code;
  if (isGuarded)
    if (Code code = reserve(bounce, chunkBytes, "copies", status))
      return code;
  for (size_t done = 0; done < bytes;) {
    if (chunks[turn].used == chunkBytes)
      if (Code code = turnChunk(status))
        return code;
    Chunk &chunk = chunks[turn];
    size_t piece = bytes - done < chunkBytes - chunk.used ? bytes - done : chunkBytes - chunk.used;
    char *place = chunk.data + chunk.used;
    memcpy(place, static_cast<const char *>(from) + done, piece);
    if (Code code = put(CudaStep::copyIn(isGuarded ? bounce.address : to + done, place, piece),
                        status, place))
      return code;
    if (isGuarded)
      if (Code code = putGuardedCopy(to + done, bounce.address, piece, status))
        return code;
    chunk.used += piece;
    done += piece;
  }
  return KERATIN_OK;
}

Code CudaQueue::copyOut(void *to, CUdeviceptr from, size_t bytes, keratin_status_t *status) {
  stopRecording();
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
      if (Code code = check(
              device.driver.cuMemcpyDtoHAsync_v2(chunk.data, from + asked, piece, lanes.main()),
              "cuMemcpyDtoHAsync", status))
        return code;
      if (Code code = check(device.driver.cuEventRecord(chunk.isRead, lanes.main()),
                            "cuEventRecord", status))
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

Code CudaQueue::putGuardedCopy(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                               keratin_status_t *status) {
  GuardedCopies &guarded = device.guardedCopies;
  if (Code code = guarded.load(device, status))
    return code;
  const int64_t parameters[] = {int64_t(to), int64_t(from), int64_t(bytes), int64_t(words)};
  return put(CudaStep::launch(guarded.copy(), guarded.blocksFor(device, bytes), parameters,
                              guarded.numParameters),
             status);
}

Code CudaQueue::copyWithin(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                           keratin_status_t *status) {
  if (Code code = start(status))
    return code;
  return isGuarded ? putGuardedCopy(to, from, bytes, status)
                   : put(CudaStep::copyWithin(to, from, bytes), status);
}

Code CudaQueue::fill(CUdeviceptr to, uint8_t byte, size_t bytes, keratin_status_t *status) {
  if (Code code = start(status))
    return code;
  if (!isGuarded)
    return put(CudaStep::fill(to, byte, bytes), status);
  GuardedCopies &guarded = device.guardedCopies;
  if (Code code = guarded.load(device, status))
    return code;
  const int64_t parameters[] = {int64_t(to), byte, int64_t(bytes), int64_t(words)};
  return put(CudaStep::launch(guarded.fill(), guarded.blocksFor(device, bytes), parameters,
                              guarded.numParameters),
             status);
}

} // namespace keratin::cuda
