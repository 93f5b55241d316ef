#include "runtime/cuda/CudaMemory.h"

#include "runtime/abi/keratin_cuda_abi.h"
#include "runtime/core/Allocator.h"
#include "runtime/cuda/CudaDevice.h"

namespace keratin::cuda {

static constexpr size_t smallest = 512, large = size_t(2) << 20;

size_t CudaMemory::roundUp(size_t bytes) {
  if (bytes <= smallest)
    return smallest;
  if (bytes > PTRDIFF_MAX - large)
    return PTRDIFF_MAX;
  size_t step = large;
  if (bytes < large) {
    // An eighth of the power of two below.
    size_t power = size_t(1) << (63 - __builtin_clzll(bytes - 1));
    step = power / 8 < smallest ? smallest : power / 8;
  }
  return (bytes + step - 1) / step * step;
}

// Equal sizes meet in one bucket, and most others stay apart.
size_t CudaMemory::keptBucket(size_t bytes) {
  return (bytes / smallest ^ bytes / large) % keptBuckets;
}

CudaMemory::Piece *CudaMemory::takeKept(size_t bytes) {
  for (Piece **link = &kept[keptBucket(bytes)]; *link; link = &(*link)->next)
    if ((*link)->bytes == bytes) {
      Piece *piece = *link;
      *link = piece->next;
      return piece;
    }
  return nullptr;
}

CudaMemory::Piece *CudaMemory::ask(size_t bytes) {
  auto *piece = runtime::makeObject<Piece>();
  if (!piece)
    return nullptr;
  CUresult result = device.driver.cuMemAlloc_v2(&piece->base, bytes);
  if (result == CUDA_ERROR_OUT_OF_MEMORY) {
    trimLocked();
    result = device.driver.cuMemAlloc_v2(&piece->base, bytes);
  }
  if (device.check(result, "cuMemAlloc", nullptr) != KERATIN_OK) {
    runtime::destroyObject(piece);
    return nullptr;
  }
  piece->bytes = bytes;
  return piece;
}

CUdeviceptr CudaMemory::allocate(size_t bytes, size_t alignment) {
  // More than the driver promises takes room to move.
  size_t room = alignment > KERATIN_CUDA_ALIGNMENT ? alignment : 0;
  if (bytes > PTRDIFF_MAX - room)
    return 0;
  size_t wanted = roundUp(bytes + room);
  MutexGuard guard(mutex);
  Piece *piece = takeKept(wanted);
  if (!piece)
    piece = ask(wanted);
  if (!piece)
    return 0;
  piece->address = room ? (piece->base + room - 1) & ~CUdeviceptr(room - 1) : piece->base;
  Piece *&bucket = used[usedBucket(piece->address)];
  piece->next = bucket;
  bucket = piece;
  return piece->address;
}

bool CudaMemory::release(CUdeviceptr address) {
  MutexGuard guard(mutex);
  for (Piece **link = &used[usedBucket(address)]; *link; link = &(*link)->next)
    if ((*link)->address == address) {
      Piece *piece = *link;
      *link = piece->next;
      Piece *&bucket = kept[keptBucket(piece->bytes)];
      piece->next = bucket;
      bucket = piece;
      return true;
    }
  return false;
}

void CudaMemory::trim() {
  MutexGuard guard(mutex);
  trimLocked();
}

// What the driver does not take back is lost with its context: there is nobody to tell.
void CudaMemory::trimLocked() {
  for (Piece *&bucket : kept)
    while (Piece *piece = bucket) {
      bucket = piece->next;
      (void)device.driver.cuMemFree_v2(piece->base);
      runtime::destroyObject(piece);
    }
}

} // namespace keratin::cuda
