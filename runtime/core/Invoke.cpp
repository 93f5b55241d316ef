// The course of a call: bind, plan, find memory, run the entry function, commit the updates.
#include "runtime/core/Invocation.h"

#include "runtime/core/DeviceSupport.h"
#include "runtime/core/GeneralCode.h"

#include <inttypes.h>
#include <string.h>

namespace keratin::runtime {

//===-- What the entry function calls ---------------------------------------------------------===//

void recordFailure(keratin_context_t *context, int32_t site) {
  int32_t mine = site >= 0 && site < INT32_MAX ? site + 1 : INT32_MAX;
  std::atomic_ref<int32_t> failed(callContext(context)->failed_site);
  int32_t current = failed.load(std::memory_order_relaxed);
  while ((current == 0 || mine < current) &&
         !failed.compare_exchange_weak(current, mine, std::memory_order_relaxed)) {
  }
}

int32_t Invocation::defineSize(keratin_context_t *context, int32_t number, int64_t value) {
  Invocation &self = of(context);
  if (self.code != KERATIN_OK) // the loop that was to count it has ended for lack of memory
    return self.code;
  if (callContext(context)->failed_site != 0) // the value may mean nothing
    return KERATIN_OUT_OF_RANGE;
  self.code = runtime::defineSize(self.executable, *self.lease, number, value, self.status);
  if (self.code == KERATIN_OK)
    self.bindArenasFor(number);
  return self.stopIfRefused(context);
}

int64_t Invocation::growTapes(keratin_context_t *context, int32_t size, int64_t steps) {
  Invocation &self = of(context);
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

// Checks are kernels of one unit, on the thread of the call.
void Invocation::checkNumbers(keratin_context_t *context, const keratin_number_check_t *check) {
  of(context).numbers.look(*check);
}

static constinit const CallFunctions ownFunctions = Invocation::ownFunctions();

//===-- The course ----------------------------------------------------------------------------===//

bool Invocation::refuse(Code failure, const char *format, ...) {
  va_list list;
  va_start(list, format);
  code = failWith(status, failure, format, list);
  va_end(list);
  return false;
}

Code Invocation::run() {
  keratin_session_t *session = nullptr;
  if (!checkCounts() || (code = checkArguments(executable, arguments, session, status)))
    return code;
  SessionGuard guard(session ? &session->lock : nullptr, descriptor.num_updates > 0);
  PreparedGuard preparedGuard(executable.prepared, arguments.variables);
  prepared = &preparedGuard;
  if (workspace &&
      ((code = checkTakesWorkspace(executable, status)) != KERATIN_OK || !checkWorkspace()))
    return code;
  if (!takeLease())
    return workspace ? refuseSmallWorkspace()
                     : fail(status, KERATIN_RESOURCE_EXHAUSTED,
                            "function '%s': no memory for a call", function());
  code = options ? followStream() : KERATIN_OK;
  if (code == KERATIN_OK)
    code = planCall(executable, *lease, arguments, status);
  if (code == KERATIN_OK) {
    if (!executable.layout.support) [[likely]]
      execute();
    else
      executable.layout.support->execute(*this);
  }
  giveLeaseBack();
  if (code != KERATIN_OK && hasRanks())
    tellFailure();
  return code == KERATIN_OK ? succeed(status) : code;
}

// Whether the dims of an output are known only at the end.
bool Invocation::computesOutputs() const {
  for (int32_t i = 0; i < descriptor.num_outputs; ++i)
    if (descriptor.outputs[i].capacity)
      return true;
  return false;
}

// The plan may read sizes out of inputs, without the call's queue.
Code Invocation::followStream() {
  const keratin_device_t &runsOn = *executable.layout.device;
  if (!options->has_stream)
    return KERATIN_OK;
  if (!hasFunction(runsOn, &keratin_device_t::follow))
    return fail(status, KERATIN_INVALID_ARGUMENT,
                "function '%s' runs on device '%s', which knows no streams of its callers",
                function(), runsOn.name);
  if (executable.layout.valueSymbols)
    if (Code failure = runsOn.follow(runsOn.user, nullptr, options->stream, status))
      return failure;
  return runsOn.follow(runsOn.user, lease->queue, options->stream, status);
}

bool Invocation::checkCounts() {
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

void Invocation::execute() {
  if (!bindMemory())
    return;
  fillForDebugging();
  enter(runtime::ownFunctions);
  if (isSound())
    finish();
}

void Invocation::enter(const CallFunctions &table) {
  isRunning = true;
  keratin_context_t &context = lease->context;
  context = {.abi_version = KERATIN_ABI_VERSION,
             .failed_site = 0,
             .functions = &table.plain,
             .scratch = scratch,
             .numbers_suspect = &numbersSuspect,
             .host = scratch ? &lease->scratch : nullptr,
             .call = nullptr,
             .profiled = nullptr,
             .invocation = this,
             .prepares = prepared->mustMake(),
             .units_done = 0,
             .reserved = {}};
  if (isProfiling()) {
    if (descriptor.num_kernels > 0)
      context.functions = &table.profiled;
    runProfiled(descriptor, context, lease->buffers, lease->sizes, /*isWholeCall=*/!device);
  } else {
    descriptor.entry(&context, lease->buffers, lease->sizes);
  }
  waitForAll();
  if (prepared->mustMake()) // what it makes first, and without failing
    prepared->setMade();
}

bool Invocation::isSound() {
  if (code != KERATIN_OK) // a size that was computed cannot be, or another rank has failed
    return false;
  if (lease->context.failed_site == 0)
    return numbers.isEmpty() || refuseNumbers();
  code = executable.sites.fail(lease->context.failed_site - 1, status);
  return false;
}

bool Invocation::refuseNumbers() {
  const keratin_site_t *site = executable.sites.find(numbers.site());
  const char *message = site ? site->message : "{}";
  const char *place = strstr(message, "{}");
  const char *rest = place ? place + 2 : message + strlen(message);
  return refuse(KERATIN_NOT_FINITE, "%.*s%s%s", int(rest - message) - (place ? 2 : 0), message,
                numbers.text().text(), rest);
}

void Invocation::finish() {
  if (hasRanks() && !agree())
    return;
  if (descriptor.computed && !tellOutputDims())
    return;
  commit();
}

// The dims of outputs are known only now.
bool Invocation::tellOutputDims() {
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
void Invocation::commit() {
  for (int32_t i = 0; i < descriptor.num_updates; ++i)
    if (!descriptor.updates[i].in_place) {
      keratin_variable_t &variable = *arguments.variables[descriptor.updates[i].variable];
      variable.value.swap(variable.spare);
    }
}

} // namespace keratin::runtime

using namespace keratin::runtime;

static Code invoke(keratin_executable_t &executable, const CallArguments &arguments,
                   const OutputSource &source, Workspace *memory, keratin_status_t *status,
                   const keratin_call_options_t *options = nullptr) {
  return withCodeFor(executable, arguments, [&](keratin_executable_t &chosen) {
    return Invocation(chosen, arguments, source, memory, status, options).run();
  });
}

extern "C" keratin_status_code_t
keratin_invoke(keratin_executable_t *executable, keratin_variable_t *const *variables,
               int32_t num_variables, const keratin_tensor_t *inputs, int32_t num_inputs,
               const keratin_tensor_t *outputs, int32_t num_outputs, keratin_status_t *status) {
  if (Code code = checkPointers(status, __func__, {{executable, "executable"}}))
    return code;
  CallArguments arguments = {variables, num_variables, inputs, num_inputs};
  OutputSource source = {outputs, num_outputs, nullptr, nullptr, nullptr};
  return invoke(*executable, arguments, source, nullptr, status);
}

extern "C" keratin_status_code_t
keratin_invoke_with(keratin_executable_t *executable, keratin_variable_t *const *variables,
                    int32_t num_variables, const keratin_tensor_t *inputs, int32_t num_inputs,
                    const keratin_tensor_t *outputs, int32_t num_outputs,
                    const keratin_call_options_t *options, keratin_status_t *status) {
  if (Code code = checkPointers(status, __func__, {{executable, "executable"}}))
    return code;
  if (options && options->bytes < offsetof(keratin_call_options_t, reserved))
    return fail(
        status, KERATIN_INVALID_ARGUMENT, "function '%s': options of %" PRIu32 " bytes; needed %zu",
        functionName(executable->descriptor), options->bytes, sizeof(keratin_call_options_t));
  CallArguments arguments = {variables, num_variables, inputs, num_inputs};
  OutputSource source = {outputs, num_outputs, nullptr, nullptr, nullptr};
  return invoke(*executable, arguments, source, nullptr, status, options);
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
  return invoke(*executable, arguments, source, nullptr, status);
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
  return invoke(*executable, arguments, source, &memory, status);
}
