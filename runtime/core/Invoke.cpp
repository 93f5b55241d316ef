// A call: bind, plan, find memory, run the entry function, commit the updates.
#include "runtime/core/CallPlan.h"
#include "runtime/core/DType.h"
#include "runtime/core/Descriptor.h"
#include "runtime/core/DeviceCall.h"
#include "runtime/core/NumberReport.h"
#include "runtime/core/Print.h"
#include "runtime/core/Profile.h"
#include "runtime/core/StridedCopy.h"
#include "runtime/core/Workspace.h"
#include "runtime/cpu/BeamSearch.h"
#include "runtime/cpu/ThreadPool.h"

#include <inttypes.h>
#include <optional>
#include <string.h>

namespace keratin::runtime {

static constinit std::atomic<int32_t> debugFill{-1};

// keratin_runtime_functions_t::fail. The lowest site wins, whichever thread comes first.
static void recordFailure(keratin_context_t *context, int32_t site) {
  int32_t mine = site >= 0 && site < INT32_MAX ? site + 1 : INT32_MAX;
  std::atomic_ref<int32_t> failed(callContext(context)->failed_site);
  int32_t current = failed.load(std::memory_order_relaxed);
  while ((current == 0 || mine < current) &&
         !failed.compare_exchange_weak(current, mine, std::memory_order_relaxed)) {
  }
}

namespace {

// Where outputs go: buffers of the caller's, or a callback that gives them.
struct OutputSource {
  const keratin_tensor_t *tensors = nullptr;
  int32_t numTensors = 0;
  keratin_allocate_output_fn_t allocate = nullptr;
  keratin_resize_output_fn_t resize = nullptr;
  void *user = nullptr;
};

class Invocation {
public:
  // Without a workspace the lease's own memory grows as it must.
  Invocation(keratin_executable_t &executable, const CallArguments &arguments,
             const OutputSource &outputs, Workspace *workspace, keratin_status_t *status)
      : executable(executable), descriptor(executable.descriptor), arguments(arguments),
        outputs(outputs), workspace(workspace), status(status) {}

  Code run() {
    keratin_session_t *session = nullptr;
    if (!checkCounts() || (code = checkArguments(executable, arguments, session, status)))
      return code;
    SessionGuard guard(session ? &session->lock : nullptr, descriptor.num_updates > 0);
    if (workspace &&
        ((code = checkTakesWorkspace(executable, status)) != KERATIN_OK || !checkWorkspace()))
      return code;
    if (!takeLease())
      return workspace ? refuseSmallWorkspace()
                       : fail(status, KERATIN_RESOURCE_EXHAUSTED,
                              "function '%s': no memory for a call", function());
    if (isOnDevice())
      device.emplace(executable, *lease, status);
    code = planCall(executable, *lease, arguments, status);
    if (code == KERATIN_OK && bindMemory())
      execute();
    if (leaseInWorkspace)
      lease->~Lease();
    else
      executable.leases.giveBack(lease);
    return code == KERATIN_OK ? succeed(status) : code;
  }

private:
  bool refuse(Code failure, const char *format, ...) __attribute__((format(printf, 3, 4))) {
    va_list list;
    va_start(list, format);
    code = failWith(status, failure, format, list);
    va_end(list);
    return false;
  }
  // keratin_runtime_functions_t::define_size
  static int32_t defineSize(keratin_context_t *context, int32_t number, int64_t value) {
    auto &self = *static_cast<Invocation *>(callContext(context)->invocation);
    if (self.code != KERATIN_OK) // the loop that was to count it has ended for lack of memory
      return self.code;
    if (callContext(context)->failed_site != 0) // the value may mean nothing
      return KERATIN_OUT_OF_RANGE;
    self.code = runtime::defineSize(self.executable, *self.lease, number, value, self.status);
    if (self.code == KERATIN_OK)
      self.bindArenasFor(number);
    return self.stopIfRefused(context);
  }
  // The call's own code says why; loops around it only ask whether anything has failed.
  Code stopIfRefused(keratin_context_t *context) {
    if (code != KERATIN_OK)
      recordFailure(context, INT32_MAX);
    return code;
  }
  // keratin_runtime_functions_t::grow_tapes
  static int64_t growTapes(keratin_context_t *context, int32_t size, int64_t steps) {
    auto &self = *static_cast<Invocation *>(callContext(context)->invocation);
    int64_t room = INT64_MAX;
    for (int64_t i = 0; i < self.lease->numMemories; ++i) {
      const keratin_memory_t &memory = self.descriptor.computed->memories[i];
      if (memory.kind != KERATIN_MEMORY_TAPE || memory.size != size)
        continue;
      int64_t stepBytes = self.lease->sizes[memory.slot];
      if (!self.growTape(i, stepBytes, steps)) {
        self.stopIfRefused(context);
        return 0;
      }
      if (int64_t bytes = self.lease->memories[i].bytes; stepBytes > 0 && bytes / stepBytes < room)
        room = bytes / stepBytes;
    }
    return room;
  }

  // keratin_runtime_functions_t::check_numbers. Checks are kernels of one unit, on the thread of
  // the call.
  static void checkNumbers(keratin_context_t *context, const keratin_number_check_t *check) {
    static_cast<Invocation *>(callContext(context)->invocation)->numbers.look(*check);
  }

  // What a function does whose kernels run on a device. After a failure the device is told nothing
  // more, and the entry function goes to its end.
  template <typename Do> static void tellDevice(keratin_context_t *context, Do act) {
    auto &self = *static_cast<Invocation *>(callContext(context)->invocation);
    if (self.code != KERATIN_OK)
      return;
    self.code = act(*self.device);
    (void)self.stopIfRefused(context);
  }
  // As a device says it: 0, or 1 + the site.
  static void recordSite(keratin_context_t *context, int32_t site) {
    if (site != 0)
      recordFailure(context, site - 1);
  }
  static void launch(keratin_context_t *context, int32_t kernel, const int64_t *argv, int32_t slots,
                     int64_t units, int64_t grain, int32_t stream) {
    tellDevice(context, [&](DeviceCall &device) {
      return device.launch(kernel, argv, slots, units, grain, stream);
    });
  }
  static void copy(keratin_context_t *context, void *to, const void *from, int64_t bytes,
                   int32_t stream) {
    tellDevice(context, [&](DeviceCall &device) { return device.copy(to, from, bytes, stream); });
  }
  static void *staging(keratin_context_t *context, int64_t bytes) {
    auto &self = *static_cast<Invocation *>(callContext(context)->invocation);
    if (self.code != KERATIN_OK && bytes > KERATIN_STAGED_SCALARS)
      return nullptr;
    void *memory = self.device->staging(bytes);
    if (!memory)
      self.code = KERATIN_RESOURCE_EXHAUSTED;
    (void)self.stopIfRefused(context);
    return memory;
  }
  // What comes of kernels that have failed may mean nothing.
  static void fetch(keratin_context_t *context, void *staged, const void *from, int64_t bytes,
                    int32_t stream) {
    int32_t site = 0;
    tellDevice(context, [&](DeviceCall &device) {
      Code waited = device.wait(site);
      return waited || site ? waited : device.fetch(staged, from, bytes, stream);
    });
    recordSite(context, site);
    if (callContext(context)->failed_site != 0 && bytes > 0)
      memset(staged, 0, size_t(bytes));
  }
  static void send(keratin_context_t *context, void *to, const void *staged, int64_t bytes,
                   int32_t stream) {
    tellDevice(context, [&](DeviceCall &device) { return device.send(to, staged, bytes, stream); });
  }
  static int32_t hasFailed(keratin_context_t *context) {
    int32_t site = 0;
    tellDevice(context, [&](DeviceCall &device) { return device.guard(site); });
    recordSite(context, site);
    return callContext(context)->failed_site != 0;
  }

  // What follows from it stands apart: calls on the CPU pass by.
  bool isOnDevice() const { return __builtin_expect(descriptor.device_code != nullptr, false); }

  const char *function() const { return functionName(descriptor); }
  ShortText outputText(int32_t i) const { return tensorText("output", i, descriptor.outputs[i]); }

  bool takeLease() {
    if (!workspace)
      return (lease = executable.leases.take(descriptor, executable.layout));
    if ((lease = executable.leases.takeIdle()))
      return true;
    void *memory = workspace->carve(sizeof(Lease));
    void *arrays = workspace->carve(Lease::arrayBytes(descriptor, executable.layout));
    if (!memory || !arrays)
      return false;
    lease = new (memory) Lease();
    lease->layOut(descriptor, executable.layout, arrays);
    leaseInWorkspace = true;
    return true;
  }

  // Before the first byte of it is written.
  bool checkWorkspace() {
    for (int32_t i = 0; i < descriptor.num_inputs; ++i)
      if (touches(arguments.inputs[i], workspace->data(), workspace->bytes()))
        return refuseWorkspace(tensorText("input", i, descriptor.inputs[i]));
    for (int32_t i = 0; i < descriptor.num_outputs; ++i)
      if (touches(outputs.tensors[i], workspace->data(), workspace->bytes()))
        return refuseWorkspace(outputText(i));
    for (int32_t i = 0; i < descriptor.num_variables; ++i)
      for (const Block *block : {&arguments.variables[i]->value, &arguments.variables[i]->spare})
        if (overlap(workspace->data(), int64_t(workspace->bytes()), block->data(),
                    int64_t(block->capacity())))
          return refuseWorkspace(tensorText("variable", i, descriptor.variables[i]));
    return true;
  }

  bool refuseWorkspace(const ShortText &tensor) {
    return refuse(KERATIN_INVALID_ARGUMENT,
                  "function '%s': the workspace overlaps the memory of %s", function(),
                  tensor.text());
  }

  // With the number that keratin_executable_workspace_bytes says.
  Code refuseSmallWorkspace() {
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
  void *find(Block &block, int64_t bytes, const char *what) {
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

  // Whether the dims of an output are known only at the end.
  bool computesOutputs() const {
    for (int32_t i = 0; i < descriptor.num_outputs; ++i)
      if (descriptor.outputs[i].capacity)
        return true;
    return false;
  }

  bool checkCounts() {
    if (descriptor.num_variables && !arguments.variables)
      return refuse(KERATIN_INVALID_ARGUMENT,
                    "function '%s' uses %" PRId32 " variables; none are given", function(),
                    descriptor.num_variables);
    if (outputs.allocate && !outputs.resize && computesOutputs())
      return refuse(KERATIN_INVALID_ARGUMENT,
                    "function '%s' computes sizes; needed a callback that resizes outputs",
                    function());
    if (!outputs.allocate &&
        (outputs.numTensors != descriptor.num_outputs || (outputs.numTensors && !outputs.tensors)))
      return refuse(KERATIN_INVALID_ARGUMENT,
                    "function '%s' has %" PRId32 " outputs; %" PRId32 " buffers are given",
                    function(), descriptor.num_outputs, outputs.tensors ? outputs.numTensors : 0);
    return true;
  }

  void **inputBuffers() const { return lease->buffers; }
  void **variableBuffers() const { return inputBuffers() + descriptor.num_inputs; }
  void **outputBuffers() const { return variableBuffers() + descriptor.num_variables; }
  void **spareBuffers() const { return outputBuffers() + descriptor.num_outputs; }
  void **arenaBuffer() const { return lateBuffers() - 1; }
  void **lateBuffers() const {
    return lease->buffers + (executable.layout.buffers - lease->numMemories);
  }

  // Everything that may lack memory comes before anything that shows.
  bool bindMemory() {
    return (isOnDevice() ? bindDeviceInputs() : bindInputs()) && bindArena() && bindLateMemory() &&
           bindVariables() && bindOutputs() && (!isOnDevice() || bindDeviceOutputs()) &&
           checkOverlaps() && (copyInputs(), true);
  }

  __attribute__((cold)) bool bindDeviceInputs() {
    code = device->bindInputs(arguments.inputs, inputBuffers());
    return code == KERATIN_OK;
  }

  // Where the caller wants outputs is kept for the end of the call.
  __attribute__((cold)) bool bindDeviceOutputs() {
    for (int32_t i = 0; i < descriptor.num_outputs; ++i)
      lease->outputPlaces[i] = outputBuffers()[i];
    code = device->bindOutputs(lease->outputPlaces, outputs.tensors, outputBuffers());
    return code == KERATIN_OK;
  }

  static bool readsInPlace(const keratin_tensor_t &input) {
    return isRowMajor(input) && uintptr_t(input.data) % size_t(dtypeSize(input.dtype)) == 0;
  }

  __attribute__((cold)) bool refuseDevice(const ShortText &tensor, const keratin_tensor_t &view) {
    return refuse(KERATIN_INVALID_ARGUMENT, "function '%s' runs on the CPU; %s lies on device '%s'",
                  function(), tensor.text(), deviceOf(view).name);
  }

  // A copied input is known by its null buffer until copyInputs.
  bool bindInputs() {
    int64_t packedBytes = 0;
    for (int32_t i = 0; i < descriptor.num_inputs; ++i) {
      const keratin_tensor_t &input = arguments.inputs[i];
      int64_t bytes = lease->inputBytes[i];
      if (!isOnHost(input))
        return refuseDevice(tensorText("input", i, descriptor.inputs[i]), input);
      if (bytes == 0) {
        inputBuffers()[i] = emptyBuffer();
      } else if (!input.data) {
        return refuse(KERATIN_INVALID_ARGUMENT, "function '%s': %s is fed no data", function(),
                      tensorText("input", i, descriptor.inputs[i]).text());
      } else if (readsInPlace(input)) {
        inputBuffers()[i] = input.data;
      } else {
        inputBuffers()[i] = nullptr;
        if (workspace && isRowMajor(input))
          return refuse(KERATIN_INVALID_ARGUMENT,
                        "function '%s': the data of %s is not aligned to its elements", function(),
                        tensorText("input", i, descriptor.inputs[i]).text());
        if (bytes > PTRDIFF_MAX - KERATIN_ALIGNMENT - packedBytes)
          return refuse(KERATIN_RESOURCE_EXHAUSTED,
                        "function '%s': the copies of its inputs do not fit in memory", function());
        packedBytes += Workspace::roundUp(bytes);
      }
    }
    return packedBytes == 0 ||
           (packed = static_cast<char *>(find(lease->packed, packedBytes, "copies of inputs")));
  }

  void copyInputs() {
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

  bool bindArena() {
    *arenaBuffer() = find(lease->arena, lease->arenaBytes, "an arena");
    return *arenaBuffer() && (descriptor.scratch_bytes == 0 || isOnDevice() || bindScratch());
  }

  // What depends on a size that is defined now.
  bool bindArenasFor(int32_t size) {
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
  bool makeRoom(int64_t number, int64_t bytes) {
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

  // It begins as the last call left it, with nothing in it.
  bool bindLateMemory() {
    for (int64_t i = 0; i < lease->numMemories; ++i) {
      LateMemory &memory = lease->memories[i];
      lateBuffers()[i] = workspace ? emptyBuffer() : memory.block.data();
      memory.bytes = workspace ? 0 : int64_t(memory.block.capacity());
    }
    return true;
  }

  void *memoryOf(Block &block, int64_t bytes) {
    if (workspace)
      return workspace->carve(size_t(bytes));
    return bytes < PTRDIFF_MAX && block.reserve(size_t(bytes)) ? block.data() : nullptr;
  }

  // Makes room for a step behind the first `steps` - 1, which are kept. In blocks, each as large as
  // all before it: what is copied on the way is less than what there is in the end. A loop in
  // another one begins anew with what there is.
  bool growTape(int64_t number, int64_t stepBytes, int64_t steps) {
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
                    "function '%s': no memory for the tape of a loop, %" PRId64
                    " bytes for %" PRId64 " steps",
                    function(), needed, steps);
    const size_t kept = size_t(stepBytes) * size_t(steps - 1);
    if (!isOnDevice())
      memcpy(place, lateBuffers()[number], kept);
    else if ((code = device->copy(place, lateBuffers()[number], int64_t(kept), 0)) != KERATIN_OK)
      return false;
    if (!workspace)
      tape.block.swap(larger);
    lateBuffers()[number] = place;
    tape.bytes = bytes;
    return true;
  }

  bool bindVariables() {
    for (int32_t i = 0; i < descriptor.num_variables; ++i)
      variableBuffers()[i] = arguments.variables[i]->value.data();
    void **next = spareBuffers();
    for (int32_t i = 0; i < descriptor.num_updates; ++i) {
      const keratin_update_desc_t &update = descriptor.updates[i];
      if (update.in_place)
        continue;
      keratin_variable_t &variable = *arguments.variables[update.variable];
      if (!variable.spare.reserve(variable.bytes))
        return refuse(
            KERATIN_RESOURCE_EXHAUSTED,
            "function '%s': no memory for %zu bytes, the new value of %s", function(),
            variable.bytes,
            tensorText("variable", update.variable, descriptor.variables[update.variable]).text());
      *next++ = variable.spare.data();
    }
    return true;
  }

  bool bindOutputs() {
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

  bool checkOutput(int32_t i, const int64_t *dims) {
    const keratin_tensor_t &given = outputs.tensors[i];
    const keratin_tensor_desc_t &stated = descriptor.outputs[i];
    if (!isOnHost(given) && !isOnDevice())
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
                    dimsText(given.dims ? given.rank : 0, given.dims).text(),
                    dtypeName(stated.dtype), dimsText(stated.rank, dims).text());
    return isRowMajor(given) ||
           refuse(KERATIN_INVALID_ARGUMENT, "function '%s': the buffer of %s is not row-major",
                  function(), outputText(i).text());
  }

  static bool overlap(const void *a, int64_t aBytes, const void *b, int64_t bBytes) {
    return aBytes && bBytes &&
           (a <= b ? uintptr_t(b) - uintptr_t(a) < size_t(aBytes)
                   : uintptr_t(a) - uintptr_t(b) < size_t(bBytes));
  }

  // Generated code reads inputs after it has begun to write outputs.
  bool checkOverlaps() {
    for (int32_t i = 0; i < descriptor.num_outputs; ++i) {
      const void *output = outputBuffers()[i];
      int64_t bytes = lease->outputBytes[i];
      for (int32_t k = 0; k < descriptor.num_inputs; ++k)
        if (inputBuffers()[k] && overlap(output, bytes, inputBuffers()[k], lease->inputBytes[k]))
          return refuse(KERATIN_INVALID_ARGUMENT, "function '%s': the buffers of %s and %s overlap",
                        function(), outputText(i).text(),
                        tensorText("input", k, descriptor.inputs[k]).text());
      for (int32_t k = 0; k < descriptor.num_variables; ++k)
        if (overlap(output, bytes, variableBuffers()[k], int64_t(arguments.variables[k]->bytes)) ||
            overlap(output, bytes, arguments.variables[k]->spare.data(),
                    int64_t(arguments.variables[k]->spare.capacity())))
          return refuse(KERATIN_INVALID_ARGUMENT, "function '%s': the buffers of %s and %s overlap",
                        function(), outputText(i).text(),
                        tensorText("variable", k, descriptor.variables[k]).text());
      for (int32_t k = 0; k < i; ++k)
        if (overlap(output, bytes, outputBuffers()[k], lease->outputBytes[k]))
          return refuse(KERATIN_INVALID_ARGUMENT, "function '%s': the buffers of %s and %s overlap",
                        function(), outputText(i).text(), outputText(k).text());
    }
    return true;
  }

  // Before any work: a kernel that runs has its working memory.
  bool bindScratch() {
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

  void fill(void *memory, int32_t byte, int64_t bytes) {
    if (isOnDevice())
      code = code == KERATIN_OK ? device->fill(memory, byte, bytes) : code;
    else
      memset(memory, byte, size_t(bytes));
  }

  __attribute__((cold)) void fillForDebugging(int32_t byte) {
    fill(*arenaBuffer(), byte, lease->arenaBytes);
    if (scratch)
      memset(scratch, byte, size_t(scratchBytes));
    for (int32_t i = 0; i < descriptor.num_outputs; ++i)
      fill(outputBuffers()[i], byte, lease->outputBytes[i]);
    for (int32_t i = 0; i < descriptor.num_updates; ++i)
      if (!descriptor.updates[i].in_place) {
        keratin_variable_t &variable = *arguments.variables[descriptor.updates[i].variable];
        fill(variable.spare.data(), byte, int64_t(variable.bytes));
      }
  }

  void execute() {
    isRunning = true;
    if (int32_t byte = debugFill.load(std::memory_order_relaxed); byte >= 0)
      fillForDebugging(byte);
    keratin_context_t &context = lease->context;
    context = {.abi_version = KERATIN_ABI_VERSION,
               .failed_site = 0,
               .functions = &functions,
               .scratch = scratch,
               .numbers_suspect = &numbersSuspect,
               .host = scratch ? &lease->scratch : nullptr,
               .call = nullptr,
               .profiled = nullptr,
               .invocation = this,
               .reserved = {}};
    if (isOnDevice() && !beginOnDevice())
      return;
    if (isProfiling()) {
      if (descriptor.num_kernels > 0)
        context.functions = &profiledFunctions;
      runProfiled(descriptor, context, lease->buffers, lease->sizes);
    } else {
      descriptor.entry(&context, lease->buffers, lease->sizes);
    }
    if (isOnDevice())
      endOnDevice();
    if (code != KERATIN_OK) // a size that was computed cannot be
      return;
    if (context.failed_site == 0)
      numbers.isEmpty() ? finish() : refuseNumbers();
    else if (int32_t site = context.failed_site - 1; site >= 0 && site < descriptor.num_sites)
      refuse(Code(descriptor.sites[site].status), "%s", descriptor.sites[site].message);
    else
      refuse(KERATIN_INTERNAL, "function '%s' failed at an unknown place", function());
  }

  __attribute__((cold)) void refuseNumbers() {
    int64_t site = numbers.site();
    const char *message = site < descriptor.num_sites ? descriptor.sites[site].message : "{}";
    const char *place = strstr(message, "{}");
    const char *rest = place ? place + 2 : message + strlen(message);
    refuse(KERATIN_NOT_FINITE, "%.*s%s%s", int(rest - message) - (place ? 2 : 0), message,
           numbers.text().text(), rest);
  }

  __attribute__((cold)) bool beginOnDevice() {
    code = code == KERATIN_OK ? device->begin() : code;
    if (code == KERATIN_OK)
      code = device->sendInputs(arguments.inputs, inputBuffers());
    return code == KERATIN_OK;
  }

  __attribute__((cold)) void endOnDevice() {
    int32_t site = 0;
    if (Code late = device->wait(site); code == KERATIN_OK)
      code = late;
    recordSite(&lease->context, site);
  }

  // To where the caller wants them.
  __attribute__((cold)) bool fetchOutputs() {
    for (int32_t i = 0; i < descriptor.num_outputs; ++i)
      if (lease->outputPlaces[i] != outputBuffers()[i] &&
          (code = device->fetch(lease->outputPlaces[i], outputBuffers()[i], lease->outputBytes[i],
                                0)) != KERATIN_OK)
        return false;
    return true;
  }

  void finish() {
    if (isOnDevice() && !fetchOutputs())
      return;
    if (descriptor.computed && !tellOutputDims())
      return;
    commit();
  }

  // The dims of outputs are known only now.
  bool tellOutputDims() {
    int64_t dims[KERATIN_MAX_RANK];
    // All or none: a caller's dims are his to use again where the call fails.
    for (bool tell : {false, true})
      for (int32_t i = 0; i < descriptor.num_outputs; ++i) {
        int32_t rank = descriptor.outputs[i].rank;
        if (!descriptor.outputs[i].capacity)
          continue;
        if ((code = outputDims(executable, *lease, i, dims, status)))
          return false;
        if (tell && outputs.allocate)
          outputs.resize(outputs.user, i, rank, dims);
        else if (tell)
          memcpy(const_cast<int64_t *>(outputs.tensors[i].dims), dims, size_t(rank) * sizeof *dims);
      }
    return true;
  }

  // In the session's lock, and nothing here can fail: all updates or none.
  void commit() {
    for (int32_t i = 0; i < descriptor.num_updates; ++i)
      if (!descriptor.updates[i].in_place) {
        keratin_variable_t &variable = *arguments.variables[descriptor.updates[i].variable];
        variable.value.swap(variable.spare);
      }
  }

  static constexpr keratin_runtime_functions_t tableWith(decltype(&noteKernel) profile) {
    return {.bytes = sizeof(keratin_runtime_functions_t),
            .abi_version = KERATIN_ABI_VERSION,
            .parallel_for = parallelFor,
            .print = printFromKernel,
            .fail = recordFailure,
            .profile = profile,
            .define_size = defineSize,
            .beam_search = beamSearch,
            .grow_tapes = growTapes,
            .check_numbers = checkNumbers,
            .launch = launch,
            .copy = copy,
            .staging = staging,
            .fetch = fetch,
            .send = send,
            .has_failed = hasFailed};
  }
  static const keratin_runtime_functions_t functions, profiledFunctions;

  keratin_executable_t &executable;
  const keratin_function_desc_t &descriptor;
  const CallArguments &arguments;
  const OutputSource &outputs;
  Workspace *workspace;
  keratin_status_t *status;
  Lease *lease = nullptr;
  bool leaseInWorkspace = false;
  bool isRunning = false;
  char *packed = nullptr;
  void *scratch = nullptr;
  int64_t scratchBytes = 0;
  int32_t numbersSuspect = 0;
  NumberReport numbers;
  std::optional<DeviceCall> device; // where kernels run on one
  Code code = KERATIN_OK;
};

constinit const keratin_runtime_functions_t Invocation::functions = tableWith(nullptr);
constinit const keratin_runtime_functions_t Invocation::profiledFunctions = tableWith(noteKernel);

} // namespace
} // namespace keratin::runtime

using namespace keratin::runtime;

extern "C" keratin_status_code_t
keratin_invoke(keratin_executable_t *executable, keratin_variable_t *const *variables,
               int32_t num_variables, const keratin_tensor_t *inputs, int32_t num_inputs,
               const keratin_tensor_t *outputs, int32_t num_outputs, keratin_status_t *status) {
  if (Code code = checkPointers(status, __func__, {{executable, "executable"}}))
    return code;
  CallArguments arguments = {variables, num_variables, inputs, num_inputs};
  OutputSource source = {outputs, num_outputs, nullptr, nullptr, nullptr};
  return Invocation(*executable, arguments, source, nullptr, status).run();
}

extern "C" keratin_status_code_t
keratin_invoke_allocating(keratin_executable_t *executable, keratin_variable_t *const *variables,
                          int32_t num_variables, const keratin_tensor_t *inputs, int32_t num_inputs,
                          keratin_allocate_output_fn_t allocate, keratin_resize_output_fn_t resize,
                          void *user, keratin_status_t *status) {
  if (Code code = checkPointers(status, __func__,
                                {{executable, "executable"}, {(const void *)allocate, "allocate"}}))
    return code;
  CallArguments arguments = {variables, num_variables, inputs, num_inputs};
  OutputSource source = {nullptr, 0, allocate, resize, user};
  return Invocation(*executable, arguments, source, nullptr, status).run();
}

extern "C" keratin_status_code_t
keratin_invoke_in(keratin_executable_t *executable, keratin_variable_t *const *variables,
                  int32_t num_variables, const keratin_tensor_t *inputs, int32_t num_inputs,
                  const keratin_tensor_t *outputs, int32_t num_outputs, void *workspace,
                  size_t workspace_bytes, keratin_status_t *status) {
  if (Code code = checkPointers(status, __func__, {{executable, "executable"}}))
    return code;
  CallArguments arguments = {variables, num_variables, inputs, num_inputs};
  OutputSource source = {outputs, num_outputs, nullptr, nullptr, nullptr};
  Workspace memory(workspace, workspace_bytes);
  return Invocation(*executable, arguments, source, &memory, status).run();
}

extern "C" void keratin_set_debug_fill(int32_t byte) { debugFill.store(byte); }
