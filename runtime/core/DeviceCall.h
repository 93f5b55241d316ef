// A call of a function whose kernels run on a device with memory of its own: where inputs and
// outputs lie there, what goes to and fro, and what the entry function has the device do.
#ifndef KERATIN_RUNTIME_CORE_DEVICECALL_H
#define KERATIN_RUNTIME_CORE_DEVICECALL_H

#include "runtime/core/Invocation.h"

namespace keratin::runtime {

class DeviceCall {
public:
  // The call is planned.
  explicit DeviceCall(Invocation &call)
      : call(call), device(*call.executable.layout.device), descriptor(call.descriptor),
        lease(*call.lease), status(call.status) {
    call.device = this;
  }

  // Binds, sends, runs the entry function, fetches, commits. The call's code says how it went.
  void execute();

private:
  // Functions return KERATIN_OK, or a code with the status filled in.

  bool bindMemory();
  // Places for all inputs: their own where they lie on the device already.
  Code bindInputs();
  // Places for all outputs, and what is fetched of them.
  Code bindOutputs();
  // What is sent of the inputs, packed where it is not row-major.
  Code packInputs();
  // The call as the device runs it.
  keratin_device_call_t describe();
  // The same where the device does not know how to run one.
  Code runByParts(int32_t &failedSite);
  static int32_t hostPart(void *self);
  // keratin_device_call_t::replays.
  static int32_t beginWithRanks(void *self, uint64_t digest);
  // When kernels begin and end on the device is asked of it when the call is over.
  void startProfile();
  void recordProfile(int64_t begin);
  static void noteKernel(keratin_context_t *context, int32_t kernel, int32_t end);
  // Null, with the status filled in, where there is no memory.
  void *stagingMemory(int64_t bytes);
  Code copyOut(void *to, const void *from, int64_t bytes, int32_t stream);
  Code copyIn(void *to, const void *from, int64_t bytes, int32_t stream);
  Code startAlone(const keratin_rank_message_t &wanted);
  static void startOnHost(keratin_context_t *context, const keratin_rank_message_t &wanted);
  // Into the queue, unless something has failed, of which the others then know.
  void put(keratin_context_t *context, const keratin_rank_message_t &wanted, const char *name);

  // What the entry function calls: keratin_runtime_functions_t.
  static const CallFunctions functions;
  template <typename Do> static void tell(keratin_context_t *context, Do act);
  static void launch(keratin_context_t *context, int32_t kernel, const int64_t *argv, int32_t slots,
                     int64_t units, int64_t grain, int32_t stream);
  static void copy(keratin_context_t *context, void *to, const void *from, int64_t bytes,
                   int32_t stream);
  static void *staging(keratin_context_t *context, int64_t bytes);
  static void fetch(keratin_context_t *context, void *staged, const void *from, int64_t bytes,
                    int32_t stream);
  static void send(keratin_context_t *context, void *to, const void *staged, int64_t bytes,
                   int32_t stream);
  static int32_t hasFailed(keratin_context_t *context);
  static void startCollective(keratin_context_t *context, const keratin_rank_message_t *wanted);
  static void waitCollective(keratin_context_t *context);
  static void agree(keratin_context_t *context);

  bool liesHere(const keratin_tensor_t &view) const { return &deviceOf(view) == &device; }
  Code noMemory(const char *what, int64_t bytes);
  Code refuseView(const ShortText &tensor, const keratin_tensor_t &view);
  Code checkPlace(const ShortText &tensor, const void *data, int64_t bytes);

  Invocation &call;
  const keratin_device_t &device;
  const keratin_function_desc_t &descriptor;
  Lease &lease;
  keratin_status_t *status;
  int64_t firstMarkTime = 0;
  DeviceWay way; // to the other ranks
  alignas(8) char scalars[KERATIN_STAGED_SCALARS];
};

// DeviceSupport::execute.
void executeOnDevice(Invocation &call);

} // namespace keratin::runtime

#endif // KERATIN_RUNTIME_CORE_DEVICECALL_H
