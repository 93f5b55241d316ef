// Where everything lies that a call works with: found before anything shows, or while it runs.
#include "runtime/core/DType.h"
#include "runtime/core/Invocation.h"
#include "runtime/core/StridedCopy.h"

#include <inttypes.h>
#include <string.h>

namespace keratin::runtime {

constinit std::atomic<int32_t> debugFill{-1};

static bool overlap(const void *a, int64_t aBytes, const void *b, int64_t bBytes) {
  return aBytes && bBytes &&
         (a <= b ? uintptr_t(b) - uintptr_t(a) < size_t(aBytes)
                 : uintptr_t(a) - uintptr_t(b) < size_t(bBytes));
}

bool Invocation::takeLeaseIn(Workspace &workspace) {
  if ((lease = executable.leases.takeIdle()))
    return true;
  void *memory = workspace.carve(sizeof(Lease));
  void *arrays = workspace.carve(Lease::arrayBytes(descriptor, executable.layout));
  if (!memory || !arrays)
    return false;
  lease = new (memory) Lease();
  lease->layOut(descriptor, executable.layout, arrays);
  leaseInWorkspace = true;
  return true;
}

// Before the first byte of it is written.
bool Invocation::checkWorkspace() {
  for (int32_t i = 0; i < descriptor.num_inputs; ++i)
    if (touches(arguments.inputs[i], workspace->data(), workspace->bytes()))
      return refuseWorkspace(inputText(i));
  for (int32_t i = 0; i < descriptor.num_outputs; ++i)
    if (touches(outputs.tensors[i], workspace->data(), workspace->bytes()))
      return refuseWorkspace(outputText(i));
  for (int32_t i = 0; i < descriptor.num_variables; ++i)
    for (const Block *block : {&arguments.variables[i]->value, &arguments.variables[i]->spare})
      if (overlap(workspace->data(), int64_t(workspace->bytes()), block->data(),
                  int64_t(block->capacity())))
        return refuseWorkspace(variableText(i));
  return true;
}

bool Invocation::refuseWorkspace(const ShortText &tensor) {
  return refuse(KERATIN_INVALID_ARGUMENT, "function '%s': the workspace overlaps the memory of %s",
                function(), tensor.text());
}

// With the number that keratin_executable_workspace_bytes says.
Code Invocation::refuseSmallWorkspace() {
  int64_t bytes = 0;
  Lease *own = lease;
  if (!own && (own = executable.leases.take(descriptor, executable.layout)))
    code = planCall(executable, *own, arguments, status);
  if (code == KERATIN_OK && (!own || !workspaceBytes(executable, arguments, *own, bytes)))
    bytes = INT64_MAX;
  if (own && own != lease)
    executable.leases.giveBack(own);
  if (code == KERATIN_OK)
    refuse(KERATIN_RESOURCE_EXHAUSTED,
           "function '%s': the workspace has %zu bytes; needed %" PRId64, function(),
           workspace->bytes(), bytes);
  return code;
}

// Memory for part of the call: of the workspace, or of a block of the lease. Null, the call
// refused, where there is not enough.
void *Invocation::find(Block &block, int64_t bytes, const char *what) {
  if (workspace) {
    void *found = workspace->carve(size_t(bytes));
    if (!found && !isRunning)
      refuseSmallWorkspace();
    else if (!found)
      refuse(KERATIN_RESOURCE_EXHAUSTED,
             "function '%s': the workspace of %zu bytes has no room for %s of %" PRId64 " bytes",
             function(), workspace->bytes(), what, bytes);
    return found;
  }
  if (size_t(bytes) <= block.capacity() || block.reserve(size_t(bytes)))
    return block.data();
  refuse(KERATIN_RESOURCE_EXHAUSTED, "function '%s': no memory for %s of %" PRId64 " bytes",
         function(), what, bytes);
  return nullptr;
}

//===-- Before the entry function -------------------------------------------------------------===//

static bool readsInPlace(const keratin_tensor_t &input) {
  return isRowMajor(input) && uintptr_t(input.data) % size_t(dtypeSize(input.dtype)) == 0;
}

bool Invocation::refuseDevice(const ShortText &tensor, const keratin_tensor_t &view) {
  return refuse(KERATIN_INVALID_ARGUMENT, "function '%s' runs on the CPU; %s lies on device '%s'",
                function(), tensor.text(), deviceOf(view).name);
}

// A copied input is known by its null buffer until copyInputs.
bool Invocation::bindInputs() {
  int64_t packedBytes = 0;
  for (int32_t i = 0; i < descriptor.num_inputs; ++i) {
    const keratin_tensor_t &input = arguments.inputs[i];
    int64_t bytes = lease->inputBytes[i];
    if (!isOnHost(input))
      return refuseDevice(inputText(i), input);
    if (bytes == 0) {
      inputBuffers()[i] = emptyBuffer();
    } else if (!input.data) {
      return refuse(KERATIN_INVALID_ARGUMENT, "function '%s': %s is fed no data", function(),
                    inputText(i).text());
    } else if (readsInPlace(input)) {
      inputBuffers()[i] = input.data;
    } else {
      inputBuffers()[i] = nullptr;
      if (workspace && isRowMajor(input))
        return refuse(KERATIN_INVALID_ARGUMENT,
                      "function '%s': the data of %s is not aligned to its elements", function(),
                      inputText(i).text());
      if (bytes > PTRDIFF_MAX - KERATIN_ALIGNMENT - packedBytes)
        return refuse(KERATIN_RESOURCE_EXHAUSTED,
                      "function '%s': the copies of its inputs do not fit in memory", function());
      packedBytes += Workspace::roundUp(bytes);
    }
  }
  return packedBytes == 0 ||
         (packed = static_cast<char *>(find(lease->packed, packedBytes, "copies of inputs")));
}

void Invocation::copyInputs() {
  if (!packed)
    return;
  char *place = packed;
  for (int32_t i = 0; i < descriptor.num_inputs; ++i) {
    if (inputBuffers()[i])
      continue;
    packRowMajor(arguments.inputs[i], place);
    inputBuffers()[i] = place;
    place += Workspace::roundUp(lease->inputBytes[i]);
  }
}

bool Invocation::bindArena() {
  return (*arenaBuffer() = find(lease->arena, lease->arenaBytes, "an arena"));
}

// Before any work: a kernel that runs has its working memory.
bool Invocation::bindScratch() {
  if (descriptor.scratch_bytes == 0)
    return true;
  int slots = scratchSlots();
  if (workspace) // made for a number of threads that may have changed
    slots = workspace->fitting(descriptor.scratch_bytes, slots);
  if (__builtin_mul_overflow(descriptor.scratch_bytes, int64_t(slots), &scratchBytes))
    scratchBytes = PTRDIFF_MAX;
  scratch = find(lease->scratchMemory, scratchBytes, "scratch");
  if (scratch)
    lease->scratch.set(scratch, descriptor.scratch_bytes, slots);
  return scratch;
}

// It begins as the last call left it, with nothing in it.
bool Invocation::bindLateMemory() {
  for (int64_t i = 0; i < lease->numMemories; ++i) {
    LateMemory &memory = lease->memories[i];
    lateBuffers()[i] = workspace ? emptyBuffer() : memory.block.data();
    memory.bytes = workspace ? 0 : int64_t(memory.block.capacity());
  }
  return true;
}

bool Invocation::bindVariables() {
  for (int32_t i = 0; i < descriptor.num_variables; ++i)
    variableBuffers()[i] = arguments.variables[i]->value.data();
  void **next = spareBuffers();
  for (int32_t i = 0; i < descriptor.num_updates; ++i) {
    const keratin_update_desc_t &update = descriptor.updates[i];
    keratin_variable_t &variable = *arguments.variables[update.variable];
    ++variable.version; // whatever becomes of the call
    if (update.in_place)
      continue;
    if (!variable.spare.reserve(variable.bytes))
      return refuse(KERATIN_RESOURCE_EXHAUSTED,
                    "function '%s': no memory for %zu bytes, the new value of %s", function(),
                    variable.bytes, variableText(update.variable).text());
    *next++ = variable.spare.data();
  }
  return true;
}

bool Invocation::bindOutputs() {
  const int64_t *dims = lease->outputDims;
  for (int32_t i = 0; i < descriptor.num_outputs; ++i) {
    const keratin_tensor_desc_t &stated = descriptor.outputs[i];
    int64_t bytes = lease->outputBytes[i];
    void *data = nullptr;
    if (outputs.allocate)
      data = outputs.allocate(outputs.user, i, stated.dtype, stated.rank, dims, size_t(bytes));
    else if (checkOutput(i, dims))
      data = outputs.tensors[i].data;
    else
      return false;
    if (bytes == 0)
      data = emptyBuffer();
    else if (!data && outputs.allocate)
      return refuse(KERATIN_RESOURCE_EXHAUSTED,
                    "function '%s': no memory for the %" PRId64 " bytes of %s", function(), bytes,
                    outputText(i).text());
    else if (!data)
      return refuse(KERATIN_INVALID_ARGUMENT, "function '%s': the buffer of %s has no data",
                    function(), outputText(i).text());
    else if (uintptr_t(data) % size_t(dtypeSize(stated.dtype)) != 0)
      return refuse(KERATIN_INVALID_ARGUMENT,
                    "function '%s': the buffer of %s is not aligned to its elements", function(),
                    outputText(i).text());
    outputBuffers()[i] = data;
    dims += stated.rank;
  }
  return true;
}

bool Invocation::checkOutput(int32_t i, const int64_t *dims) {
  const keratin_tensor_t &given = outputs.tensors[i];
  const keratin_tensor_desc_t &stated = descriptor.outputs[i];
  if (!isOnHost(given) && !descriptor.device_code)
    return refuseDevice(outputText(i), given);
  bool fits =
      given.dtype == stated.dtype && given.rank == stated.rank && (!given.rank || given.dims);
  for (int32_t axis = 0; fits && axis < stated.rank; ++axis)
    fits = given.dims[axis] == dims[axis];
  if (!fits)
    return refuse(KERATIN_INVALID_ARGUMENT,
                  "function '%s': the buffer of %s has dtype %s and shape %s; dtype %s and shape "
                  "%s are needed",
                  function(), outputText(i).text(), dtypeName(given.dtype),
                  dimsText(given.dims ? given.rank : 0, given.dims).text(), dtypeName(stated.dtype),
                  dimsText(stated.rank, dims).text());
  return isRowMajor(given) ||
         refuse(KERATIN_INVALID_ARGUMENT, "function '%s': the buffer of %s is not row-major",
                function(), outputText(i).text());
}

// Generated code reads inputs after it has begun to write outputs.
bool Invocation::checkOverlaps() {
  for (int32_t i = 0; i < descriptor.num_outputs; ++i) {
    const void *output = outputBuffers()[i];
    int64_t bytes = lease->outputBytes[i];
    for (int32_t k = 0; k < descriptor.num_inputs; ++k)
      if (inputBuffers()[k] && overlap(output, bytes, inputBuffers()[k], lease->inputBytes[k]))
        return refuse(KERATIN_INVALID_ARGUMENT, "function '%s': the buffers of %s and %s overlap",
                      function(), outputText(i).text(), inputText(k).text());
    for (int32_t k = 0; k < descriptor.num_variables; ++k)
      if (overlap(output, bytes, variableBuffers()[k], int64_t(arguments.variables[k]->bytes)) ||
          overlap(output, bytes, arguments.variables[k]->spare.data(),
                  int64_t(arguments.variables[k]->spare.capacity())))
        return refuse(KERATIN_INVALID_ARGUMENT, "function '%s': the buffers of %s and %s overlap",
                      function(), outputText(i).text(), variableText(k).text());
    for (int32_t k = 0; k < i; ++k)
      if (overlap(output, bytes, outputBuffers()[k], lease->outputBytes[k]))
        return refuse(KERATIN_INVALID_ARGUMENT, "function '%s': the buffers of %s and %s overlap",
                      function(), outputText(i).text(), outputText(k).text());
  }
  return true;
}

bool Invocation::bindMemory() {
  if (descriptor.prepared)
    *preparedBuffer() = executable.prepared.data();
  return bindInputs() && bindArena() && bindScratch() && bindLateMemory() && bindVariables() &&
         bindOutputs() && checkOverlaps() && (copyInputs(), true);
}

//===-- While it runs -------------------------------------------------------------------------===//

bool Invocation::bindArenasFor(int32_t size) {
  for (int64_t i = 0; i < lease->numMemories; ++i) {
    const keratin_memory_t &memory = descriptor.computed->memories[i];
    if (memory.kind != KERATIN_MEMORY_ARENA || memory.size != size)
      continue;
    int64_t bytes = lease->sizes[memory.slot];
    if (bytes < 0)
      return refuse(KERATIN_INTERNAL, "function '%s': an arena would have %" PRId64 " bytes",
                    function(), bytes);
    if (!makeRoom(i, bytes))
      return false;
    if (int32_t byte = debugFill.load(std::memory_order_relaxed); byte >= 0)
      fill(lateBuffers()[i], byte, bytes);
  }
  return code == KERATIN_OK;
}

// For a size that may be defined in each step of a loop: what there was in the step before is
// used again. A workspace does not take back what was too small, so the next is twice as large.
bool Invocation::makeRoom(int64_t number, int64_t bytes) {
  LateMemory &memory = lease->memories[number];
  if (bytes <= memory.bytes)
    return true;
  int64_t more = memory.bytes < PTRDIFF_MAX / 2 ? memory.bytes * 2 : 0;
  void *data = workspace && more > bytes ? workspace->carve(size_t(more)) : nullptr;
  memory.bytes = data ? more : bytes;
  if (!data)
    data = find(memory.block, bytes, "what depends on a computed size");
  if (data)
    lateBuffers()[number] = data;
  return data;
}

void *Invocation::memoryOf(Block &block, int64_t bytes) {
  if (workspace)
    return workspace->carve(size_t(bytes));
  return bytes < PTRDIFF_MAX && block.reserve(size_t(bytes)) ? block.data() : nullptr;
}

// Makes room for a step behind the first `steps` - 1, which are kept. In blocks, each as large as
// all before it: what is copied on the way is less than what there is in the end. A loop in
// another one begins anew with what there is.
bool Invocation::growTape(int64_t number, int64_t stepBytes, int64_t steps) {
  constexpr int64_t leastBytes = 64 << 10;
  LateMemory &tape = lease->memories[number];
  int64_t needed = 0;
  if (stepBytes < 0 || __builtin_mul_overflow(stepBytes, steps, &needed))
    needed = PTRDIFF_MAX;
  if (needed <= tape.bytes)
    return true;
  int64_t bytes = tape.bytes > PTRDIFF_MAX / 2 ? needed : tape.bytes * 2;
  bytes = bytes > leastBytes ? bytes : leastBytes;
  bytes = bytes > needed ? bytes : needed;
  Block larger(*executable.layout.device);
  void *place = memoryOf(larger, bytes);
  if (!place) // less may still be there
    place = memoryOf(larger, bytes = needed);
  if (!place)
    return refuse(KERATIN_RESOURCE_EXHAUSTED,
                  "function '%s': no memory for the tape of a loop, %" PRId64 " bytes for %" PRId64
                  " steps",
                  function(), needed, steps);
  const keratin_device_t &device = *executable.layout.device;
  if (size_t kept = size_t(stepBytes) * size_t(steps - 1))
    code = device.copy_within(device.user, lease->queue, 0, place, lateBuffers()[number], kept,
                              status);
  if (code != KERATIN_OK)
    return false;
  if (!workspace)
    tape.block.swap(larger);
  lateBuffers()[number] = place;
  tape.bytes = bytes;
  return true;
}

//===-- For tests -----------------------------------------------------------------------------===//

void Invocation::fill(void *memory, int32_t byte, int64_t bytes) {
  const keratin_device_t &device = *executable.layout.device;
  if (code == KERATIN_OK && bytes > 0)
    code = device.fill(device.user, lease->queue, 0, memory, uint8_t(byte), size_t(bytes), status);
}

void Invocation::fillWith(int32_t byte) {
  fill(*arenaBuffer(), byte, lease->arenaBytes);
  if (scratch)
    memset(scratch, byte, size_t(scratchBytes));
  if (prepared->mustMake())
    fill(executable.prepared.data(), byte, executable.prepared.bytes());
  for (int32_t i = 0; i < descriptor.num_outputs; ++i)
    fill(outputBuffers()[i], byte, lease->outputBytes[i]);
  for (int32_t i = 0; i < descriptor.num_updates; ++i)
    if (!descriptor.updates[i].in_place) {
      keratin_variable_t &variable = *arguments.variables[descriptor.updates[i].variable];
      fill(variable.spare.data(), byte, int64_t(variable.bytes));
    }
}

} // namespace keratin::runtime

extern "C" void keratin_set_debug_fill(int32_t byte) { keratin::runtime::debugFill.store(byte); }
