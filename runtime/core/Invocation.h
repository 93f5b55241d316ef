// A call: what its parts share. Invoke.cpp has its course, CallMemory.cpp where everything of it
// lies, DeviceCall.cpp what is different where kernels run on a device.
#ifndef KERATIN_RUNTIME_CORE_INVOCATION_H
#define KERATIN_RUNTIME_CORE_INVOCATION_H

#include "runtime/core/CallPlan.h"
#include "runtime/core/Descriptor.h"
#include "runtime/core/NumberReport.h"
#include "runtime/core/Print.h"
#include "runtime/core/Profile.h"
#include "runtime/core/Workspace.h"
#include "runtime/cpu/BeamSearch.h"
#include "runtime/cpu/ThreadPool.h"

namespace keratin::runtime {

// Where outputs go: buffers of the caller's, or a callback that gives them.
struct OutputSource {
  const keratin_tensor_t *tensors = nullptr;
  int32_t numTensors = 0;
  keratin_allocate_output_fn_t allocate = nullptr;
  keratin_resize_output_fn_t resize = nullptr;
  void *user = nullptr;
};

// What the entry function calls: as a rule, and in calls that are profiled, where it tells of its
// kernels.
struct CallFunctions {
  keratin_runtime_functions_t plain, profiled;
};

// Set by keratin_set_debug_fill.
extern std::atomic<int32_t> debugFill;

// keratin_runtime_functions_t::fail. The lowest site wins, whichever thread comes first.
void recordFailure(keratin_context_t *context, int32_t site);

class DeviceCall;

// What every call passes through is inlined where it is defined: as calls of each other these steps
// took a fifth longer with four floats.
class Invocation {
public:
  // Without a workspace the lease's own memory grows as it must.
  Invocation(keratin_executable_t &executable, const CallArguments &arguments,
             const OutputSource &outputs, Workspace *workspace, keratin_status_t *status,
             const keratin_call_options_t *options = nullptr)
      : executable(executable), descriptor(executable.descriptor), arguments(arguments),
        outputs(outputs), workspace(workspace), status(status), options(options) {}

  Code run();

  // What an entry function calls that runs its kernels itself; a device's has more
  // (DeviceCall.cpp).
  static constexpr CallFunctions ownFunctions() {
    keratin_runtime_functions_t plain = {.bytes = sizeof(keratin_runtime_functions_t),
                                         .abi_version = KERATIN_ABI_VERSION,
                                         .parallel_for = parallelFor,
                                         .print = printFromKernel,
                                         .fail = recordFailure,
                                         .profile = nullptr,
                                         .define_size = defineSize,
                                         .beam_search = beamSearch,
                                         .grow_tapes = growTapes,
                                         .check_numbers = checkNumbers,
                                         .launch = nullptr,
                                         .copy = nullptr,
                                         .staging = nullptr,
                                         .fetch = nullptr,
                                         .send = nullptr,
                                         .has_failed = nullptr,
                                         .start_collective = startCollective,
                                         .wait_collective = waitCollective,
                                         .agree = agreeBetween};
    CallFunctions functions = {plain, plain};
    functions.profiled.profile = noteKernel;
    return functions;
  }

private:
  friend class DeviceCall;

  //===-- Its course (Invoke.cpp) -------------------------------------------------------------===//
  [[gnu::always_inline]] bool checkCounts();
  bool computesOutputs() const;
  Code followStream();
  // All between the plan and the end of the call.
  [[gnu::always_inline]] void execute();
  // Runs the entry function.
  [[gnu::always_inline]] void enter(const CallFunctions &functions);
  // Whether nothing failed; else the call is refused by what failed first.
  [[gnu::always_inline]] bool isSound();
  bool refuseNumbers();
  [[gnu::always_inline]] void finish();
  bool tellOutputDims();
  [[gnu::always_inline]] void commit();
  // The call's own code says why; loops around it only ask whether anything has failed.
  Code stopIfRefused(keratin_context_t *context) {
    if (code != KERATIN_OK)
      recordFailure(context, INT32_MAX);
    return code;
  }
  // Of a context's call.
  static Invocation &of(keratin_context_t *context) {
    return *static_cast<Invocation *>(callContext(context)->invocation);
  }
  // keratin_runtime_functions_t
  static int32_t defineSize(keratin_context_t *context, int32_t number, int64_t value);
  static int64_t growTapes(keratin_context_t *context, int32_t size, int64_t steps);
  static void checkNumbers(keratin_context_t *context, const keratin_number_check_t *check);
  static void startCollective(keratin_context_t *context, const keratin_rank_message_t *wanted);
  static void waitCollective(keratin_context_t *context);
  static void agreeBetween(keratin_context_t *context);

  //===-- The other ranks (Collectives.cpp) ---------------------------------------------------===//
  // The call is one of several, of all ranks, which succeed or fail together.
  bool hasRanks() const { return executable.meetsRanks(); }
  void start(const keratin_rank_message_t &wanted);
  // Whether the sizes are those of one rank alone; it refuses others.
  bool fitsOneRank(keratin_context_t *context, const keratin_rank_message_t &wanted);
  // The same on all ranks.
  const char *nameOf(const keratin_rank_message_t &wanted) const;
  // Of the mesh that the ranks are arranged in; null: it is among all of them.
  const char *axisOf(const keratin_rank_message_t &wanted) const;
  // Whether this rank has not failed; else the others know.
  bool mayTakePart();
  void waitForFirst();
  // However the entry function has ended: its memory is the call's.
  void waitForAll() {
    while (messages.first)
      waitForFirst();
  }
  void refuseByRanks(Code failure, const keratin_status_t &why);
  // Before anything of the call can be seen.
  bool agree();
  // What has failed here before the others have heard of it.
  void tellFailure();

  //===-- Where everything lies (CallMemory.cpp) ----------------------------------------------===//
  bool takeLease() {
    return workspace ? takeLeaseIn(*workspace)
                     : (lease = executable.leases.take(descriptor, executable.layout)) != nullptr;
  }
  bool takeLeaseIn(Workspace &workspace);
  void giveLeaseBack() {
    if (leaseInWorkspace)
      lease->~Lease();
    else
      executable.leases.giveBack(lease);
  }
  bool checkWorkspace();
  bool refuseWorkspace(const ShortText &tensor);
  Code refuseSmallWorkspace();
  void *find(Block &block, int64_t bytes, const char *what);
  // Everything that may lack memory comes before anything that shows.
  bool bindMemory();
  [[gnu::always_inline]] bool bindInputs();
  [[gnu::always_inline]] void copyInputs();
  [[gnu::always_inline]] bool bindArena();
  bool bindScratch();
  [[gnu::always_inline]] bool bindLateMemory();
  [[gnu::always_inline]] bool bindVariables();
  [[gnu::always_inline]] bool bindOutputs();
  [[gnu::always_inline]] bool checkOutput(int32_t i, const int64_t *dims);
  [[gnu::always_inline]] bool checkOverlaps();
  // What depends on a size that is defined now.
  bool bindArenasFor(int32_t size);
  bool makeRoom(int64_t number, int64_t bytes);
  void *memoryOf(Block &block, int64_t bytes);
  bool growTape(int64_t number, int64_t stepBytes, int64_t steps);
  void fillForDebugging() {
    if (int32_t byte = debugFill.load(std::memory_order_relaxed); __builtin_expect(byte >= 0, 0))
      fillWith(byte);
  }
  void fillWith(int32_t byte);
  void fill(void *memory, int32_t byte, int64_t bytes);

  void **inputBuffers() const { return lease->buffers; }
  void **variableBuffers() const { return inputBuffers() + descriptor.num_inputs; }
  void **outputBuffers() const { return variableBuffers() + descriptor.num_variables; }
  void **spareBuffers() const { return outputBuffers() + descriptor.num_outputs; }
  void **arenaBuffer() const { return lateBuffers() - 1 - (descriptor.prepared != nullptr); }
  void **preparedBuffer() const { return lateBuffers() - 1; }
  void **lateBuffers() const {
    return lease->buffers + (executable.layout.buffers - lease->numMemories);
  }

  //===-- Failing -----------------------------------------------------------------------------===//
  bool refuse(Code failure, const char *format, ...) __attribute__((format(printf, 3, 4), cold));
  bool refuseDevice(const ShortText &tensor, const keratin_tensor_t &view);
  const char *function() const { return functionName(descriptor); }
  ShortText inputText(int32_t i) const { return tensorText("input", i, descriptor.inputs[i]); }
  ShortText outputText(int32_t i) const { return tensorText("output", i, descriptor.outputs[i]); }
  ShortText variableText(int32_t i) const {
    return tensorText("variable", i, descriptor.variables[i]);
  }

  keratin_executable_t &executable;
  const keratin_function_desc_t &descriptor;
  const CallArguments &arguments;
  const OutputSource &outputs;
  Workspace *workspace;
  keratin_status_t *status;
  const keratin_call_options_t *options; // null: none
  PreparedGuard *prepared = nullptr;     // while the call runs
  Lease *lease = nullptr;
  bool leaseInWorkspace = false;
  bool isRunning = false;
  char *packed = nullptr;
  void *scratch = nullptr;
  int64_t scratchBytes = 0;
  int32_t numbersSuspect = 0;
  NumberReport numbers;
  DeviceCall *device = nullptr; // where kernels run on one
  RankMessages messages;        // under way
  bool ranksKnow = false;       // that the call has failed
  Code code = KERATIN_OK;
};

} // namespace keratin::runtime

#endif // KERATIN_RUNTIME_CORE_INVOCATION_H
