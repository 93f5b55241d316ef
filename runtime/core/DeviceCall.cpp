#include "runtime/core/DeviceCall.h"

#include "runtime/core/DType.h"
#include "runtime/core/StridedCopy.h"
#include "runtime/include/keratin/comm.h"

#include <inttypes.h>
#include <string.h>

namespace keratin::runtime {

//===-- What the entry function calls ---------------------------------------------------------===//

// After a failure the device is told nothing more, and the entry function goes to its end.
template <typename Do> void DeviceCall::tell(keratin_context_t *context, Do act) {
  Invocation &call = Invocation::of(context);
  if (call.code != KERATIN_OK)
    return;
  call.code = act(*call.device);
  (void)call.stopIfRefused(context);
}

// As a device says it: 0, or 1 + the site.
static void recordSite(keratin_context_t *context, int32_t site) {
  if (site != 0)
    recordFailure(context, site - 1);
}

void DeviceCall::launch(keratin_context_t *context, int32_t kernel, const int64_t *argv,
                        int32_t slots, int64_t units, int64_t grain, int32_t stream) {
  tell(context, [&](DeviceCall &self) {
    return self.device.launch(self.device.user, self.lease.queue, stream,
                              self.call.executable.module, kernel, argv, slots, units, grain,
                              self.status);
  });
}

void DeviceCall::copy(keratin_context_t *context, void *to, const void *from, int64_t bytes,
                      int32_t stream) {
  if (bytes > 0)
    tell(context, [&](DeviceCall &self) {
      return self.device.copy_within(self.device.user, self.lease.queue, stream, to, from,
                                     size_t(bytes), self.status);
    });
}

void *DeviceCall::staging(keratin_context_t *context, int64_t bytes) {
  Invocation &call = Invocation::of(context);
  if (call.code != KERATIN_OK && bytes > KERATIN_STAGED_SCALARS)
    return nullptr;
  void *memory = call.device->stagingMemory(bytes);
  if (!memory)
    call.code = KERATIN_RESOURCE_EXHAUSTED;
  (void)call.stopIfRefused(context);
  return memory;
}

// What comes of kernels that have failed may mean nothing.
void DeviceCall::fetch(keratin_context_t *context, void *staged, const void *from, int64_t bytes,
                       int32_t stream) {
  int32_t site = 0;
  tell(context, [&](DeviceCall &self) {
    Code waited = self.device.wait(self.device.user, self.lease.queue, &site, self.status);
    return waited || site ? waited : self.copyOut(staged, from, bytes, stream);
  });
  recordSite(context, site);
  if (callContext(context)->failed_site != 0 && bytes > 0)
    memset(staged, 0, size_t(bytes));
}

void DeviceCall::send(keratin_context_t *context, void *to, const void *staged, int64_t bytes,
                      int32_t stream) {
  tell(context, [&](DeviceCall &self) { return self.copyIn(to, staged, bytes, stream); });
}

int32_t DeviceCall::hasFailed(keratin_context_t *context) {
  int32_t site = 0;
  tell(context, [&](DeviceCall &self) {
    return self.device.guard(self.device.user, self.lease.queue, &site, self.status);
  });
  recordSite(context, site);
  return callContext(context)->failed_site != 0;
}

//===-- The other ranks -----------------------------------------------------------------------===//

// All messages are put on one stream.
static constexpr int32_t onlyStream = 0;

static int64_t bytesOf(const keratin_rank_message_t &wanted, int64_t elements) {
  return elements * dtypeSize(int32_t(wanted.dtype));
}

void DeviceCall::startCollective(keratin_context_t *context, const keratin_rank_message_t *wanted) {
  Invocation &call = Invocation::of(context);
  DeviceCall &self = *call.device;
  if (!call.hasRanks()) {
    if (call.fitsOneRank(context, *wanted))
      tell(context, [&](DeviceCall &) { return self.startAlone(*wanted); });
  } else if (self.way.isDirect && call.executable.ranks.functions->fits(*wanted)) {
    self.put(context, *wanted, call.nameOf(*wanted));
  } else {
    startOnHost(context, *wanted);
  }
}

// Of one rank, before which there is none.
Code DeviceCall::startAlone(const keratin_rank_message_t &wanted) {
  int64_t bytes = bytesOf(wanted, wanted.send_elements);
  if (bytes == 0)
    return KERATIN_OK;
  if (wanted.kind == KERATIN_MESSAGE_ALL_REDUCE && wanted.reduction == KERATIN_REDUCE_BEFORE)
    return device.fill(device.user, lease.queue, onlyStream, wanted.receive, 0, size_t(bytes),
                       status);
  return wanted.send == wanted.receive
             ? KERATIN_OK
             : device.copy_within(device.user, lease.queue, onlyStream, wanted.receive, wanted.send,
                                  size_t(bytes), status);
}

// Waits for the others where it stands.
void DeviceCall::startOnHost(keratin_context_t *context, const keratin_rank_message_t &wanted) {
  const int64_t sent = bytesOf(wanted, wanted.send_elements),
                received = bytesOf(wanted, wanted.receive_elements);
  // Sums take the place of what is added.
  const int64_t before = wanted.kind == KERATIN_MESSAGE_ALL_REDUCE ? 0 : sent;
  auto *staged = static_cast<char *>(staging(context, before + received));
  if (!staged)
    return;
  fetch(context, staged, wanted.send, sent, onlyStream);
  keratin_rank_message_t onHost = wanted;
  onHost.send = staged;
  onHost.receive = staged + before;
  Invocation::startCollective(context, &onHost);
  Invocation::waitCollective(context);
  send(context, wanted.receive, staged + before, received, onlyStream);
}

void DeviceCall::put(keratin_context_t *context, const keratin_rank_message_t &wanted,
                     const char *name) {
  if (!call.mayTakePart())
    return;
  const Ranks &ranks = call.executable.ranks;
  keratin_status_t why = {};
  if (Code failure = ranks.functions->put(ranks.group, {device, lease.queue}, wanted,
                                          call.axisOf(wanted), name, &why))
    call.refuseByRanks(failure, why);
  (void)call.stopIfRefused(context);
}

void DeviceCall::waitCollective(keratin_context_t *context) {
  if (Invocation::of(context).device->way.isDirect)
    tell(context, [](DeviceCall &self) {
      return self.device.join(self.device.user, self.lease.queue, self.status);
    });
}

// The devices tell each other what has failed; where they cannot, the host waits for its own to
// know.
void DeviceCall::agree(keratin_context_t *context) {
  Invocation &call = Invocation::of(context);
  DeviceCall &self = *call.device;
  if (!call.hasRanks())
    return;
  if (!self.way.isDirect) {
    fetch(context, self.scalars, nullptr, 0, onlyStream);
    return Invocation::agreeBetween(context);
  }
  void *own = nullptr, *all = nullptr;
  tell(context, [&](DeviceCall &) {
    return self.device.expose(self.device.user, self.lease.queue, &own, &all, self.status);
  });
  self.put(context,
           {own, all, KERATIN_MESSAGE_ALL_REDUCE, KERATIN_REDUCE_MIN, KERATIN_DTYPE_UINT32, 1, 1,
            -1, nullptr, 0, 0},
           call.function());
  waitCollective(context);
}

constinit const CallFunctions DeviceCall::functions = [] {
  CallFunctions all = Invocation::ownFunctions();
  for (keratin_runtime_functions_t *table : {&all.plain, &all.profiled}) {
    table->launch = launch;
    table->copy = copy;
    table->staging = staging;
    table->fetch = fetch;
    table->send = send;
    table->has_failed = hasFailed;
    table->start_collective = startCollective;
    table->wait_collective = waitCollective;
    table->agree = agree;
  }
  all.profiled.profile = noteKernel;
  return all;
}();

//===-- The course ----------------------------------------------------------------------------===//

int32_t DeviceCall::hostPart(void *self) {
  auto &own = *static_cast<DeviceCall *>(self);
  if (isProfiling() && own.descriptor.num_kernels > 0)
    own.startProfile();
  own.call.enter(functions);
  return own.call.code;
}

int32_t DeviceCall::beginWithRanks(void *self, uint64_t digest) {
  auto &own = *static_cast<DeviceCall *>(self);
  const Ranks &ranks = own.call.executable.ranks;
  keratin_status_t why = {};
  if (Code failure =
          ranks.functions->begin(ranks.group, own.device, own.descriptor, digest, own.way, &why)) {
    own.call.refuseByRanks(failure, why);
    return -1;
  }
  return own.way.replays;
}

//===-- Profiles ------------------------------------------------------------------------------===//

// The marks of a kernel are twice its number, and one more at its end.
static constexpr int32_t firstMark = -1;

void DeviceCall::startProfile() {
  firstMarkTime = profileClock();
  if (hasFunction(device, &keratin_device_t::mark))
    (void)device.mark(device.user, lease.queue, firstMark, nullptr);
}

// A device that marks nothing is taken to do its work when it is told to.
void DeviceCall::noteKernel(keratin_context_t *context, int32_t kernel, int32_t end) {
  DeviceCall &own = *Invocation::of(context).device;
  if (!hasFunction(own.device, &keratin_device_t::mark))
    runtime::noteKernel(context, kernel, end);
  else
    (void)own.device.mark(own.device.user, own.lease.queue, 2 * kernel + (end != 0), nullptr);
}

void DeviceCall::recordProfile(int64_t begin) {
  int32_t tag = 0;
  int64_t time = 0, began = 0;
  for (int32_t number = 1;
       descriptor.num_kernels > 0 && hasFunction(device, &keratin_device_t::marked) &&
       device.marked(device.user, lease.queue, number, &tag, &time, nullptr) == KERATIN_OK;
       ++number)
    if (tag % 2)
      recordKernel(descriptor, tag / 2, firstMarkTime + began, firstMarkTime + time);
    else
      began = time;
  recordKernel(descriptor, -1, begin, profileClock());
}

//===-- The call as a whole -------------------------------------------------------------------===//

// What is done on the device follows from the sizes and the buffers, as long as the host computes
// none on its way, and nobody asks when each kernel ran.
keratin_device_call_t DeviceCall::describe() {
  bool isSame = !descriptor.computed && !isProfiling();
  int64_t words = descriptor.num_symbols + descriptor.num_programs + call.executable.layout.buffers;
  return {.bytes = sizeof(keratin_device_call_t),
          .num_inputs = descriptor.num_inputs,
          .num_outputs = descriptor.num_outputs,
          .reserved = 0,
          .inputs = lease.sent,
          .outputs = lease.fetched,
          .key = lease.sizes,
          .key_words = isSame ? words : 0,
          .host = hostPart,
          .user = this,
          .replays = call.hasRanks() ? beginWithRanks : nullptr};
}

Code DeviceCall::runByParts(int32_t &failedSite) {
  if (Code code = device.begin(device.user, lease.queue, status))
    return code;
  if (call.hasRanks() && beginWithRanks(this, 0) < 0)
    return call.code;
  for (int32_t i = 0; i < descriptor.num_inputs; ++i)
    if (Code code = copyIn(lease.sent[i].device_data, lease.sent[i].host_data,
                           int64_t(lease.sent[i].bytes), 0))
      return code;
  Code refused = Code(hostPart(this));
  if (Code code = device.wait(device.user, lease.queue, &failedSite, refused ? nullptr : status))
    return code;
  if (refused || failedSite || lease.context.failed_site)
    return refused;
  for (int32_t i = 0; i < descriptor.num_outputs; ++i)
    if (Code code = copyOut(lease.fetched[i].host_data, lease.fetched[i].device_data,
                            int64_t(lease.fetched[i].bytes), 0))
      return code;
  return KERATIN_OK;
}

void DeviceCall::execute() {
  if (!bindMemory())
    return;
  call.fillForDebugging();
  if (call.code == KERATIN_OK)
    call.code = packInputs();
  if (call.code != KERATIN_OK)
    return;
  lease.context.failed_site = 0; // also where the host's part is left out
  int32_t site = 0;
  keratin_device_call_t work = describe();
  int64_t begin = profileClock();
  Code code =
      hasFunction(device, &keratin_device_t::run)
          ? device.run(device.user, lease.queue, call.executable.module, &work, &site, status)
          : runByParts(site);
  if (call.code == KERATIN_OK)
    call.code = code;
  if (isProfiling())
    recordProfile(begin);
  recordSite(&lease.context, site);
  if (call.isSound())
    call.finish();
}

// Everything that may lack memory comes before anything that shows.
bool DeviceCall::bindMemory() {
  return (call.code = bindInputs()) == KERATIN_OK && call.bindArena() && call.bindLateMemory() &&
         call.bindVariables() && call.bindOutputs() && (call.code = bindOutputs()) == KERATIN_OK &&
         call.checkOverlaps();
}

Code DeviceCall::noMemory(const char *what, int64_t bytes) {
  return fail(status, KERATIN_RESOURCE_EXHAUSTED,
              "function '%s': no memory on device '%s' for %s of %" PRId64 " bytes",
              functionName(descriptor), device.name, what, bytes);
}

Code DeviceCall::refuseView(const ShortText &tensor, const keratin_tensor_t &view) {
  if (!liesHere(view) && !isOnHost(view))
    return fail(status, KERATIN_INVALID_ARGUMENT,
                "function '%s': %s lies on device '%s'; needed device '%s' or the host's memory",
                functionName(descriptor), tensor.text(), deviceOf(view).name, device.name);
  return fail(status, KERATIN_INVALID_ARGUMENT,
              "function '%s': %s lies on device '%s' and is not row-major",
              functionName(descriptor), tensor.text(), device.name);
}

// A pointer of the host's that is said to be the device's would be the end of the device.
Code DeviceCall::checkPlace(const ShortText &tensor, const void *data, int64_t bytes) {
  keratin_status_t reason;
  if (bytes == 0 || !hasFunction(device, &keratin_device_t::check) ||
      device.check(device.user, data, size_t(bytes), &reason) == KERATIN_OK)
    return KERATIN_OK;
  return fail(status, Code(reason.code), "function '%s': %s is said to lie on device '%s', but %s",
              functionName(descriptor), tensor.text(), device.name, reason.message);
}

Code DeviceCall::bindInputs() {
  int64_t sum = 0;
  for (int32_t i = 0; i < descriptor.num_inputs; ++i) {
    const keratin_tensor_t &input = call.arguments.inputs[i];
    int64_t bytes = lease.inputBytes[i];
    if (bytes && !input.data)
      return fail(status, KERATIN_INVALID_ARGUMENT, "function '%s': %s is fed no data",
                  functionName(descriptor), call.inputText(i).text());
    bool isHere = liesHere(input);
    if (isHere ? !isRowMajor(input) : !isOnHost(input))
      return refuseView(call.inputText(i), input);
    if (isHere)
      if (Code code = checkPlace(call.inputText(i), input.data, bytes))
        return code;
    if (!isHere && !Workspace::addPiece(sum, bytes))
      return noMemory("inputs", PTRDIFF_MAX);
  }
  if (!lease.packed.reserve(size_t(sum)))
    return noMemory("inputs", sum);
  char *place = static_cast<char *>(lease.packed.data());
  for (int32_t i = 0; i < descriptor.num_inputs; ++i) {
    const keratin_tensor_t &input = call.arguments.inputs[i];
    bool isHere = liesHere(input);
    call.inputBuffers()[i] = isHere ? input.data : place;
    lease.sent[i] = {place, input.data, isHere ? 0 : size_t(lease.inputBytes[i])};
    place += isHere ? 0 : Workspace::roundUp(lease.inputBytes[i]);
  }
  return KERATIN_OK;
}

Code DeviceCall::packInputs() {
  int64_t sum = 0;
  auto needsPacking = [&](int32_t i) {
    return lease.sent[i].bytes && !isRowMajor(call.arguments.inputs[i]);
  };
  for (int32_t i = 0; i < descriptor.num_inputs; ++i)
    if (needsPacking(i))
      sum += Workspace::roundUp(int64_t(lease.sent[i].bytes)); // no more than all inputs together
  if (!sum)
    return KERATIN_OK;
  auto *place = static_cast<char *>(stagingMemory(sum));
  if (!place)
    return KERATIN_RESOURCE_EXHAUSTED;
  for (int32_t i = 0; i < descriptor.num_inputs; ++i)
    if (needsPacking(i)) {
      packRowMajor(call.arguments.inputs[i], place);
      lease.sent[i].host_data = place;
      place += Workspace::roundUp(int64_t(lease.sent[i].bytes));
    }
  return KERATIN_OK;
}

Code DeviceCall::bindOutputs() {
  const keratin_tensor_t *views = call.outputs.tensors;
  int64_t sum = 0;
  for (int32_t i = 0; i < descriptor.num_outputs; ++i) {
    if (views && !liesHere(views[i]) && !isOnHost(views[i]))
      return refuseView(call.outputText(i), views[i]);
    if (views && liesHere(views[i]))
      if (Code code = checkPlace(call.outputText(i), views[i].data, lease.outputBytes[i]))
        return code;
    if (!(views && liesHere(views[i])) && !Workspace::addPiece(sum, lease.outputBytes[i]))
      return noMemory("outputs", PTRDIFF_MAX);
  }
  if (!lease.results.reserve(size_t(sum)))
    return noMemory("outputs", sum);
  char *place = static_cast<char *>(lease.results.data());
  for (int32_t i = 0; i < descriptor.num_outputs; ++i) {
    bool isHere = views && liesHere(views[i]);
    lease.fetched[i] = {place, call.outputBuffers()[i], isHere ? 0 : size_t(lease.outputBytes[i])};
    if (isHere)
      continue;
    call.outputBuffers()[i] = place;
    place += Workspace::roundUp(lease.outputBytes[i]);
  }
  return KERATIN_OK;
}

void *DeviceCall::stagingMemory(int64_t bytes) {
  if (bytes >= 0 && bytes <= int64_t(sizeof(scalars)))
    return scalars;
  if (bytes >= 0 && bytes < PTRDIFF_MAX && lease.staged.reserve(size_t(bytes)))
    return lease.staged.data();
  fail(status, KERATIN_RESOURCE_EXHAUSTED,
       "function '%s': no memory for %" PRId64 " bytes that go to or from device '%s'",
       functionName(descriptor), bytes, device.name);
  return nullptr;
}

Code DeviceCall::copyOut(void *to, const void *from, int64_t bytes, int32_t stream) {
  return bytes > 0
             ? device.copy_out(device.user, lease.queue, stream, to, from, size_t(bytes), status)
             : KERATIN_OK;
}

Code DeviceCall::copyIn(void *to, const void *from, int64_t bytes, int32_t stream) {
  return bytes > 0
             ? device.copy_in(device.user, lease.queue, stream, to, from, size_t(bytes), status)
             : KERATIN_OK;
}

void executeOnDevice(Invocation &call) { DeviceCall(call).execute(); }

} // namespace keratin::runtime
