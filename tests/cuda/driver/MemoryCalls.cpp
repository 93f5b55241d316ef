// The driver's functions about memory.
#include "tests/cuda/driver/Machine.h"

#include <cstdlib>
#include <cstring>

using namespace keratin;
using namespace keratin::emulator;

//===-- Copies and fills ----------------------------------------------------------------------===//

// A copy that is put into a stream is checked there and then, and again when it is done: its memory
// may have been given back.

static CUresult lose(Machine &machine, const char *what) {
  machine.note(what);
  return CUDA_ERROR_ILLEGAL_ADDRESS;
}

static Operation copyIn(Machine &machine, Context &context, CUdeviceptr to, const void *from,
                        size_t bytes, bool isCaptured) {
  // Memory that is not pinned is read now, or whenever a graph with the copy is launched.
  std::shared_ptr<std::vector<char>> staged;
  bool isPinned = machine.isPinned(from, bytes);
  if (!isPinned && !isCaptured)
    staged = std::make_shared<std::vector<char>>(static_cast<const char *>(from),
                                                 static_cast<const char *>(from) + bytes);
  return {Operation::Kind::CopyIn,
          [&machine, &context, to, from, bytes, isPinned, staged]() -> CUresult {
            std::byte *place = context.memory->at(to, bytes);
            if (!place || (isPinned && !machine.isPinned(from, bytes)))
              return lose(machine, "a copy to a device whose memory was given back meanwhile");
            std::memcpy(place, staged ? staged->data() : from, bytes);
            context.memory->setInitialised(to, bytes);
            return CUDA_SUCCESS;
          }};
}

static Operation copyOut(Machine &machine, Context &context, void *to, CUdeviceptr from,
                         size_t bytes) {
  bool isPinned = machine.isPinned(to, bytes);
  return {Operation::Kind::CopyOut, [&machine, &context, to, from, bytes, isPinned]() -> CUresult {
            std::byte *place = context.memory->at(from, bytes);
            if (!place || (isPinned && !machine.isPinned(to, bytes)))
              return lose(machine, "a copy from a device whose memory was given back meanwhile");
            std::memcpy(to, place, bytes);
            return CUDA_SUCCESS;
          }};
}

static Operation copyWithin(Machine &machine, Context &context, CUdeviceptr to, CUdeviceptr from,
                            size_t bytes) {
  return {Operation::Kind::CopyWithin, [&machine, &context, to, from, bytes]() -> CUresult {
            std::byte *target = context.memory->at(to, bytes);
            std::byte *source = context.memory->at(from, bytes);
            if (!target || !source)
              return lose(machine, "a copy within a device whose memory was given back meanwhile");
            std::memmove(target, source, bytes);
            context.memory->copyInitialised(to, from, bytes);
            return CUDA_SUCCESS;
          }};
}

static Operation fill(Machine &machine, Context &context, CUdeviceptr to, uint32_t word,
                      size_t width, size_t count) {
  return {Operation::Kind::Fill, [&machine, &context, to, word, width, count]() -> CUresult {
            std::byte *place = context.memory->at(to, width * count);
            if (!place)
              return lose(machine, "a fill of memory that was given back meanwhile");
            for (size_t i = 0; i < count; ++i)
              std::memcpy(place + i * width, &word, width);
            context.memory->setInitialised(to, width * count);
            return CUDA_SUCCESS;
          }};
}

// Puts it into the stream; `waits` until it is done, unless it is captured.
static CUresult enqueue(Machine &machine, Context &context, CUstream handle, Operation operation,
                        bool waits) {
  Stream *stream = machine.streamOf(handle, context);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (CUresult result = machine.submit(*stream, std::move(operation)))
    return result;
  if (!waits || stream->capture)
    return CUDA_SUCCESS;
  machine.schedules.finish(stream->last, machine.options);
  return context.lost;
}

static bool isPlaceFor(Machine &machine, Context &context, CUdeviceptr address, size_t bytes) {
  if (context.memory->at(address, bytes))
    return true;
  if (const Context *owner = machine.ownerOf(address); owner && owner != &context)
    machine.note("memory of another device: a copy or a fill on device " +
                 std::to_string(context.ordinal) + " at memory of device " +
                 std::to_string(owner->ordinal));
  return false;
}

static CUresult enqueueCopyIn(Machine &machine, Context &context, CUstream stream, CUdeviceptr to,
                              const void *from, size_t bytes, bool waits) {
  if (bytes == 0)
    return CUDA_SUCCESS;
  if (!machine.isHost(from) || !isPlaceFor(machine, context, to, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  Stream *found = machine.streamOf(stream, context);
  bool isCaptured = found && found->capture;
  ++machine.counts.copies_in;
  return enqueue(machine, context, stream, copyIn(machine, context, to, from, bytes, isCaptured),
                 waits);
}

static CUresult enqueueCopyOut(Machine &machine, Context &context, CUstream stream, void *to,
                               CUdeviceptr from, size_t bytes, bool waits) {
  if (bytes == 0)
    return CUDA_SUCCESS;
  if (!machine.isHost(to) || !isPlaceFor(machine, context, from, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  ++machine.counts.copies_out;
  // Into memory that is not pinned nothing is copied behind the caller's back.
  return enqueue(machine, context, stream, copyOut(machine, context, to, from, bytes),
                 waits || !machine.isPinned(to, bytes));
}

static CUresult enqueueCopyWithin(Machine &machine, Context &context, CUstream stream,
                                  CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  if (bytes == 0)
    return CUDA_SUCCESS;
  if (!isPlaceFor(machine, context, to, bytes) || !isPlaceFor(machine, context, from, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  ++machine.counts.copies_within;
  return enqueue(machine, context, stream, copyWithin(machine, context, to, from, bytes), false);
}

static CUresult enqueueFill(Machine &machine, Context &context, CUstream stream, CUdeviceptr to,
                            uint32_t word, size_t width, size_t count) {
  if (count == 0)
    return CUDA_SUCCESS;
  if (to % width || count > SIZE_MAX / width || !isPlaceFor(machine, context, to, width * count))
    return CUDA_ERROR_INVALID_VALUE;
  ++machine.counts.fills;
  return enqueue(machine, context, stream, fill(machine, context, to, word, width, count), false);
}

//===-- Allocations ---------------------------------------------------------------------------===//

static CUresult allocate(Machine &machine, Context &context, CUdeviceptr *address, size_t bytes) {
  if (!address || bytes == 0)
    return CUDA_ERROR_INVALID_VALUE;
  // The limit may have become lower than the memory's capacity.
  uint64_t used = context.memory->bytesInUse();
  if (bytes > machine.options.memory || used > machine.options.memory - bytes)
    return CUDA_ERROR_OUT_OF_MEMORY;
  *address = context.memory->allocate(bytes);
  return *address ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static bool beginsAllocation(Context &context, CUdeviceptr address) {
  return address && context.memory->rangeOf(address).address == address;
}

extern "C" {

CUresult cuMemGetInfo_v2(size_t *unused, size_t *total) {
  return call("cuMemGetInfo_v2", Needs::Context, [&](Machine &machine, Context *now) -> CUresult {
    if (!unused || !total)
      return CUDA_ERROR_INVALID_VALUE;
    *total = machine.options.memory;
    *unused = *total - std::min<size_t>(*total, now->memory->bytesInUse());
    return CUDA_SUCCESS;
  });
}
KERATIN_EMULATED(cuMemGetInfo_v2);

// Of an address that nobody knows the driver tells nothing, and that is no error.
CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute *attributes, void **values,
                                CUdeviceptr address) {
  return call("cuPointerGetAttributes", Needs::Context,
              [&](Machine &machine, Context *) -> CUresult {
                if (count && (!attributes || !values))
                  return CUDA_ERROR_INVALID_VALUE;
                const Context *owner = machine.ownerOf(address);
                unsigned type = owner ? unsigned(CU_MEMORYTYPE_DEVICE) : 0;
                int ordinal = owner ? owner->ordinal : -2;
                if (machine.isPinned(reinterpret_cast<const void *>(address), 1))
                  type = CU_MEMORYTYPE_HOST;
                for (unsigned i = 0; i < count; ++i)
                  if (attributes[i] == CU_POINTER_ATTRIBUTE_MEMORY_TYPE)
                    *static_cast<unsigned *>(values[i]) = type;
                  else if (attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
                    *static_cast<int *>(values[i]) = ordinal;
                  else
                    return CUDA_ERROR_INVALID_VALUE;
                return CUDA_SUCCESS;
              });
}
KERATIN_EMULATED(cuPointerGetAttributes);

CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
  return call("cuMemAlloc_v2", Needs::Quiet, [&](Machine &machine, Context *now) {
    return allocate(machine, *now, address, bytes);
  });
}
KERATIN_EMULATED(cuMemAlloc_v2);

// Waits, as the driver does, for everything that may use the memory.
CUresult cuMemFree_v2(CUdeviceptr address) {
  return call("cuMemFree_v2", Needs::Quiet, [&](Machine &machine, Context *now) -> CUresult {
    if (!address)
      return CUDA_SUCCESS;
    if (!beginsAllocation(*now, address))
      return CUDA_ERROR_INVALID_VALUE;
    machine.schedules.finishAll(now, machine.options);
    if (now->lost)
      return now->lost;
    now->memory->release(address);
    return CUDA_SUCCESS;
  });
}
KERATIN_EMULATED(cuMemFree_v2);

// Its address is known at once, as the driver's is.
CUresult cuMemAllocAsync(CUdeviceptr *address, size_t bytes, CUstream stream) {
  return call("cuMemAllocAsync", Needs::Context, [&](Machine &machine, Context *now) -> CUresult {
    Stream *found = machine.streamOf(stream, *now);
    if (!found)
      return CUDA_ERROR_INVALID_HANDLE;
    return found->capture ? CUDA_ERROR_NOT_SUPPORTED : allocate(machine, *now, address, bytes);
  });
}
KERATIN_EMULATED(cuMemAllocAsync);

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  return call("cuMemFreeAsync", Needs::Context, [&](Machine &machine, Context *now) -> CUresult {
    if (!beginsAllocation(*now, address))
      return CUDA_ERROR_INVALID_VALUE;
    return enqueue(machine, *now, stream,
                   {Operation::Kind::Free,
                    [now, address, &machine]() -> CUresult {
                      return now->memory->release(address)
                                 ? CUDA_SUCCESS
                                 : lose(machine, "memory that was given back twice");
                    }},
                   false);
  });
}
KERATIN_EMULATED(cuMemFreeAsync);

CUresult cuMemHostAlloc(void **data, size_t bytes, unsigned flags) {
  return call("cuMemHostAlloc", Needs::Quiet, [&](Machine &machine, Context *) -> CUresult {
    if (!data || bytes == 0 || flags > 7)
      return CUDA_ERROR_INVALID_VALUE;
    *data = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    if (!*data)
      return CUDA_ERROR_OUT_OF_MEMORY;
    machine.pinned[reinterpret_cast<uint64_t>(*data)] = bytes;
    return CUDA_SUCCESS;
  });
}
KERATIN_EMULATED(cuMemHostAlloc);

CUresult cuMemFreeHost(void *data) {
  return call("cuMemFreeHost", Needs::Quiet, [&](Machine &machine, Context *now) -> CUresult {
    auto found = machine.pinned.find(reinterpret_cast<uint64_t>(data));
    if (found == machine.pinned.end())
      return CUDA_ERROR_INVALID_VALUE;
    machine.schedules.finishAll(nullptr, machine.options);
    machine.pinned.erase(found);
    std::free(data);
    return now->lost;
  });
}
KERATIN_EMULATED(cuMemFreeHost);

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes) {
  return call("cuMemcpyHtoD_v2", Needs::Quiet, [&](Machine &machine, Context *now) {
    return enqueueCopyIn(machine, *now, nullptr, to, from, bytes, true);
  });
}
KERATIN_EMULATED(cuMemcpyHtoD_v2);

CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes) {
  return call("cuMemcpyDtoH_v2", Needs::Quiet, [&](Machine &machine, Context *now) {
    return enqueueCopyOut(machine, *now, nullptr, to, from, bytes, true);
  });
}
KERATIN_EMULATED(cuMemcpyDtoH_v2);

CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return call("cuMemcpyDtoD_v2", Needs::Quiet, [&](Machine &machine, Context *now) {
    return enqueueCopyWithin(machine, *now, nullptr, to, from, bytes);
  });
}
KERATIN_EMULATED(cuMemcpyDtoD_v2);

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, CUstream stream) {
  return call("cuMemcpyHtoDAsync_v2", Needs::Context, [&](Machine &machine, Context *now) {
    return enqueueCopyIn(machine, *now, stream, to, from, bytes, false);
  });
}
KERATIN_EMULATED(cuMemcpyHtoDAsync_v2);

CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return call("cuMemcpyDtoHAsync_v2", Needs::Context, [&](Machine &machine, Context *now) {
    return enqueueCopyOut(machine, *now, stream, to, from, bytes, false);
  });
}
KERATIN_EMULATED(cuMemcpyDtoHAsync_v2);

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return call("cuMemcpyDtoDAsync_v2", Needs::Context, [&](Machine &machine, Context *now) {
    return enqueueCopyWithin(machine, *now, stream, to, from, bytes);
  });
}
KERATIN_EMULATED(cuMemcpyDtoDAsync_v2);

CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char byte, size_t count) {
  return call("cuMemsetD8_v2", Needs::Quiet, [&](Machine &machine, Context *now) {
    return enqueueFill(machine, *now, nullptr, to, byte, 1, count);
  });
}
KERATIN_EMULATED(cuMemsetD8_v2);

CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned word, size_t count) {
  return call("cuMemsetD32_v2", Needs::Quiet, [&](Machine &machine, Context *now) {
    return enqueueFill(machine, *now, nullptr, to, word, 4, count);
  });
}
KERATIN_EMULATED(cuMemsetD32_v2);

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char byte, size_t count, CUstream stream) {
  return call("cuMemsetD8Async", Needs::Context, [&](Machine &machine, Context *now) {
    return enqueueFill(machine, *now, stream, to, byte, 1, count);
  });
}
KERATIN_EMULATED(cuMemsetD8Async);

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned word, size_t count, CUstream stream) {
  return call("cuMemsetD32Async", Needs::Context, [&](Machine &machine, Context *now) {
    return enqueueFill(machine, *now, stream, to, word, 4, count);
  });
}
KERATIN_EMULATED(cuMemsetD32Async);

} // extern "C"
