#include "runtime/core/Lease.h"
#include "runtime/core/SymbolSource.h"

#include <string.h>

namespace keratin::runtime {

LeaseLayout::LeaseLayout(const keratin_function_desc_t &descriptor) {
  for (int32_t i = 0; i < descriptor.num_inputs; ++i)
    inputDims += descriptor.inputs[i].rank;
  for (int32_t i = 0; i < descriptor.num_outputs; ++i)
    outputDims += descriptor.outputs[i].rank;
  for (int64_t i = 0; i < descriptor.num_symbols; ++i)
    valueSymbols += isRead(descriptor.symbols[i].source);
  for (int32_t i = 0; i < descriptor.num_updates; ++i)
    spares += !descriptor.updates[i].in_place;
  buffers = int64_t(descriptor.num_inputs) + descriptor.num_variables + descriptor.num_outputs +
            spares + descriptor.num_constants + 1 + (descriptor.prepared != nullptr);
  memories = descriptor.computed ? descriptor.computed->num_memories : 0;
  buffers += memories;
}

static_assert(sizeof(LateMemory) % sizeof(int64_t) == 0 && alignof(LateMemory) == alignof(int64_t));

static_assert(sizeof(keratin_transfer_t) == 3 * sizeof(int64_t));

// Of the tensors of a function that a device runs.
static int64_t numTransfers(const keratin_function_desc_t &descriptor) {
  return descriptor.device_code ? int64_t(descriptor.num_inputs) + descriptor.num_outputs : 0;
}

// Every element of the arrays has eight bytes, or some times as many.
size_t Lease::arrayBytes(const keratin_function_desc_t &descriptor, const LeaseLayout &layout) {
  int64_t total = layout.inputDims + layout.valueSymbols + descriptor.num_variables +
                  descriptor.num_symbols + descriptor.num_programs + descriptor.num_inputs +
                  layout.outputDims + descriptor.num_outputs + layout.buffers +
                  3 * numTransfers(descriptor) +
                  layout.memories * int64_t(sizeof(LateMemory) / sizeof(int64_t));
  return size_t(total) * sizeof(int64_t);
}

void Lease::layOut(const keratin_function_desc_t &descriptor, const LeaseLayout &layout,
                   void *arrays) {
  memset(arrays, 0, arrayBytes(descriptor, layout));
  auto *next = static_cast<int64_t *>(arrays);
  auto carve = [&next](int64_t length) {
    int64_t *array = next;
    next += length;
    return array;
  };
  key = carve(layout.inputDims + layout.valueSymbols);
  sizes = carve(descriptor.num_symbols + descriptor.num_programs);
  buffers = reinterpret_cast<void **>(carve(layout.buffers));
  inputBytes = carve(descriptor.num_inputs);
  outputDims = carve(layout.outputDims);
  outputBytes = carve(descriptor.num_outputs);
  variableIds = reinterpret_cast<uint64_t *>(carve(descriptor.num_variables));
  sent = reinterpret_cast<keratin_transfer_t *>(carve(3 * numTransfers(descriptor)));
  fetched = sent + descriptor.num_inputs;
  numMemories = layout.memories;
  memories = reinterpret_cast<LateMemory *>(
      carve(numMemories * int64_t(sizeof(LateMemory) / sizeof(int64_t))));
  for (int64_t i = 0; i < numMemories; ++i)
    new (&memories[i]) LateMemory();
  void **constants = buffers + (layout.buffers - 1 - (descriptor.prepared != nullptr) -
                                numMemories - descriptor.num_constants);
  for (int32_t i = 0; i < descriptor.num_constants; ++i) {
    const keratin_constant_desc_t &constant = descriptor.constants[i];
    constants[i] = layout.constants ? layout.constants[i]
                   : constant.bytes ? const_cast<void *>(constant.data)
                                    : emptyBuffer();
  }
}

// To the device of the layout. False where it has no queue for a call.
bool Lease::moveTo(const LeaseLayout &layout) {
  device = layout.device;
  for (Block *block : {&arena, &packed, &results})
    block->setDevice(*device);
  for (int64_t i = 0; i < numMemories; ++i)
    memories[i].block.setDevice(*device);
  return !device->open || device->open(device->user, &queue, nullptr) == KERATIN_OK;
}

Lease::~Lease() {
  if (queue)
    device->close(device->user, queue);
  for (int64_t i = 0; i < numMemories; ++i)
    memories[i].~LateMemory();
}

Lease *Lease::create(const keratin_function_desc_t &descriptor, const LeaseLayout &layout) {
  Lease *lease = makeObject<Lease>();
  if (!lease)
    return nullptr;
  lease->storageBytes = arrayBytes(descriptor, layout);
  lease->storage = allocate(lease->storageBytes, KERATIN_ALIGNMENT);
  if (!lease->storage) {
    destroyObject(lease);
    return nullptr;
  }
  lease->layOut(descriptor, layout, lease->storage);
  if (!lease->moveTo(layout)) {
    destroy(lease);
    return nullptr;
  }
  return lease;
}

void Lease::destroy(Lease *lease) {
  if (!lease)
    return;
  void *storage = lease->storage;
  size_t bytes = lease->storageBytes;
  destroyObject(lease); // uses what is in there
  deallocate(storage, bytes, KERATIN_ALIGNMENT);
}

} // namespace keratin::runtime
