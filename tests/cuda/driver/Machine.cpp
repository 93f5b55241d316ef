#include "tests/cuda/driver/Machine.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

using namespace keratin;
using namespace keratin::emulator;

thread_local Context *keratin::emulator::current = nullptr;

static void printCounters(std::ostream &out, const Machine &machine) {
  for (const auto &[kernel, counters] : machine.counters)
    out << "{\"kernel\": \"" << kernel << "\", \"counters\": " << counters.json() << "}\n";
}

static void writeCounters(Machine &machine) {
  if (machine.options.counters.empty())
    return;
  std::ofstream file(machine.options.counters);
  printCounters(file, machine);
}

static void reportLeaks(Machine &machine) {
  if (!machine.options.reportsLeaks)
    return;
  keratin_emulator_counts_t counts;
  keratin_emulator_counts(&counts);
  const std::pair<const char *, int64_t> kinds[] = {
      {"allocations on devices", counts.allocations},
      {"allocations of pinned memory", counts.host_allocations},
      {"streams", counts.streams},
      {"events", counts.events},
      {"modules", counts.modules},
      {"graphs", counts.graphs},
      {"executable graphs", counts.graph_executables},
      {"references to contexts", counts.contexts}};
  bool hasLeaks = false;
  for (auto [kind, count] : kinds)
    if (count) {
      std::fprintf(stderr, "emulator: leaked: %lld %s\n", static_cast<long long>(count), kind);
      hasLeaks = true;
    }
  for (const auto &context : machine.contexts)
    for (ptx::Memory::Range range : context->memory->ranges())
      std::fprintf(stderr, "emulator: leaked: %llu bytes at 0x%llx of device %d\n",
                   static_cast<unsigned long long>(range.bytes),
                   static_cast<unsigned long long>(range.address), context->ordinal);
  if (hasLeaks)
    std::_Exit(70);
}

static void atExit() {
  Machine &last = machine();
  writeCounters(last);
  reportLeaks(last);
  // One that is of no use is closed, and may be opened again.
  if (!last.isInitialised)
    delete &last;
}

Machine::Machine() {
  const char *text = std::getenv("KERATIN_EMULATOR");
  if (text && !options.set(text, optionsError))
    std::fprintf(stderr, "KERATIN_EMULATOR: %s\n", optionsError.c_str());
  for (int i = 0; i < options.devices; ++i) {
    auto context = std::make_unique<Context>();
    context->ordinal = i;
    context->memory = std::make_unique<ptx::Memory>(options.memory, unsigned(i));
    context->zero.context = context.get();
    contexts.push_back(std::move(context));
  }
}

Machine &keratin::emulator::machine() {
  static Machine *made = [] {
    auto *machine = new Machine;
    std::atexit(atExit);
    return machine;
  }();
  return *made;
}

bool Machine::isPinned(const void *data, size_t bytes) const {
  auto address = reinterpret_cast<uint64_t>(data);
  auto next = pinned.upper_bound(address);
  if (next == pinned.begin())
    return false;
  auto [begin, size] = *std::prev(next);
  return address - begin <= size && bytes <= size - (address - begin);
}

bool Machine::isHost(const void *data) const {
  auto address = reinterpret_cast<uint64_t>(data);
  // Above what a process can map: an address of a device's, perhaps of memory that was given back.
  return address && address < (uint64_t(1) << 47);
}

const Context *Machine::ownerOf(uint64_t address) const {
  for (const auto &context : contexts)
    if (context->memory->rangeOf(address).address)
      return context.get();
  return nullptr;
}

Stream *Machine::streamOf(CUstream handle, Context &context) {
  if (!handle)
    return &context.zero;
  Stream *stream = streams.find(handle);
  return stream && stream->context == &context ? stream : nullptr;
}

std::vector<TaskRef> Machine::before(Stream &stream) const {
  std::vector<TaskRef> tasks = {stream.last};
  Context &context = *stream.context;
  if (&stream == &context.zero)
    streams.forEach([&](const Stream &other) {
      if (other.context == &context && other.isBlocking)
        tasks.push_back(other.last);
    });
  else if (stream.isBlocking)
    tasks.push_back(context.zero.last);
  return tasks;
}

// Whether a stream that waits for the stream 0 is captured: then nothing may use that one.
static bool isCaptureNearZero(const Machine &machine, const Context &context) {
  bool isNear = false;
  machine.streams.forEach([&](const Stream &stream) {
    if (stream.context == &context && stream.isBlocking && stream.capture) {
      stream.capture->isInvalid = true;
      isNear = true;
    }
  });
  return isNear;
}

CUresult Machine::submit(Stream &stream, Operation operation, const TaskRef &also) {
  if (&stream == &stream.context->zero && isCaptureNearZero(*this, *stream.context))
    return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  if (!stream.capture) {
    std::vector<TaskRef> after = before(stream);
    after.push_back(also);
    stream.last = schedules.submit(*stream.context, std::move(operation), std::move(after));
    return CUDA_SUCCESS;
  }
  if (stream.capture->isInvalid)
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  std::vector<Node> &nodes = stream.capture->graph.nodes;
  nodes.push_back({std::move(operation), stream.captureTail});
  stream.captureTail = {nodes.size() - 1};
  return CUDA_SUCCESS;
}

void Machine::destroy(Context &context) {
  schedules.drop(context);
  auto belongs = [&](const auto &object) { return object.context == &context; };
  streams.eraseIf(belongs);
  events.eraseIf(belongs);
  functions.eraseIf([&](const Function &function) { return belongs(*function.module); });
  modules.eraseIf(belongs);
  graphs.eraseIf(belongs);
  executables.eraseIf(belongs);
  for (ptx::Memory::Range range : context.memory->ranges())
    context.memory->release(range.address);
  context.zero = {};
  context.zero.context = &context;
}

void Machine::note(std::string fault) {
  lastFault = std::move(fault);
  if (!options.isQuiet)
    std::fprintf(stderr, "emulator: %s\n", lastFault.c_str());
}

// A kernel knows the memory of its own device alone.
void Machine::noteFault(const ptx::Fault &fault, const Context &context) {
  const Context *owner = ownerOf(fault.address);
  const std::string kind = ptx::name(fault.kind);
  if (fault.kind != ptx::FaultKind::OutOfBounds || !owner || owner == &context)
    return note(fault.message);
  note("memory of another device" + fault.message.substr(kind.size()) + " on device " +
       std::to_string(context.ordinal) + ": it is memory of device " +
       std::to_string(owner->ordinal));
}

//===-- Calls ---------------------------------------------------------------------------------===//

// What a function says that is made to fail.
static CUresult injectedResult(const std::string &function, const Injection &injection) {
  if (injection.result)
    return injection.result;
  if (function == "cuInit")
    return CUDA_ERROR_NO_DEVICE;
  if (function == "cuMemAlloc" || function == "cuMemHostAlloc" || function == "cuMemAllocAsync" ||
      function == "cuModuleLoadDataEx")
    return CUDA_ERROR_OUT_OF_MEMORY;
  if (function == "cuLaunchKernel" || function == "cuLaunchCooperativeKernel")
    return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  return CUDA_ERROR_UNKNOWN;
}

// Errors after which a context does nothing any more.
static bool isSticky(CUresult result) {
  return (result >= CUDA_ERROR_ILLEGAL_ADDRESS && result <= CUDA_ERROR_LAUNCH_FAILED &&
          result != CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES) ||
         result == CUDA_ERROR_UNKNOWN || result == CUDA_ERROR_ECC_UNCORRECTABLE;
}

// What was injected for this call, or 0.
static CUresult countCall(Machine &machine, const char *symbol, Context *context) {
  std::string function = symbol;
  if (function.ends_with("_v2"))
    function.resize(function.size() - 3);
  int64_t nth = ++machine.calls[function];
  auto found = machine.options.failures.find(function);
  if (found == machine.options.failures.end() || found->second.nth != nth)
    return CUDA_SUCCESS;
  CUresult result = injectedResult(function, found->second);
  if (context && isSticky(result))
    context->lost = result;
  return result;
}

// Whether somebody captures who would not see what the call does.
static bool disturbsCapture(Machine &machine) {
  bool disturbs = false;
  machine.streams.forEach([&](const Stream &stream) {
    if (!stream.capture || stream.capture->mode == CU_STREAM_CAPTURE_MODE_RELAXED ||
        (stream.capture->mode == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL &&
         stream.capture->thread != std::this_thread::get_id()))
      return;
    stream.capture->isInvalid = true;
    disturbs = true;
  });
  return disturbs;
}

static CUresult check(Machine &machine, Needs needs) {
  if (needs == Needs::Nothing)
    return CUDA_SUCCESS;
  if (!machine.isInitialised)
    return CUDA_ERROR_NOT_INITIALIZED;
  if (needs == Needs::Initialised)
    return CUDA_SUCCESS;
  if (!current || current->references == 0)
    return CUDA_ERROR_INVALID_CONTEXT;
  if (current->lost)
    return current->lost;
  return needs == Needs::Quiet && disturbsCapture(machine) ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
                                                           : CUDA_SUCCESS;
}

CUresult keratin::emulator::call(const char *function, Needs needs,
                                 const std::function<CUresult(Machine &, Context *)> &body) {
  Machine &machine = emulator::machine();
  std::lock_guard guard(machine.mutex);
  if (CUresult injected = countCall(machine, function, current))
    return injected;
  if (CUresult result = check(machine, needs))
    return result;
  CUresult result = body(machine, current);
  machine.schedules.tick(machine.options);
  return result;
}

//===-- Control -------------------------------------------------------------------------------===//

extern "C" const char *keratin_emulator_set(const char *text) {
  Machine &machine = emulator::machine();
  std::lock_guard guard(machine.mutex);
  if (std::string_view(text).find("fail=") != std::string_view::npos)
    machine.calls.clear();
  machine.optionsError.clear();
  machine.options.set(text, machine.optionsError);
  return machine.optionsError.c_str();
}

extern "C" void keratin_emulator_counts(keratin_emulator_counts_t *counts) {
  Machine &machine = emulator::machine();
  std::lock_guard guard(machine.mutex);
  *counts = machine.counts;
  for (const auto &context : machine.contexts) {
    counts->contexts += context->references;
    counts->allocations += int64_t(context->memory->allocations());
    counts->bytes += int64_t(context->memory->bytesInUse());
  }
  counts->host_allocations = int64_t(machine.pinned.size());
  counts->streams = machine.streams.size();
  counts->events = machine.events.size();
  counts->modules = machine.modules.size();
  counts->graphs = machine.graphs.size();
  counts->graph_executables = machine.executables.size();
  counts->pending = machine.schedules.size();
}

extern "C" const char *keratin_emulator_report(void) {
  Machine &machine = emulator::machine();
  std::lock_guard guard(machine.mutex);
  std::ostringstream out;
  const char *separator = "{";
  auto tell = [&](const std::string &what, int64_t count) {
    out << separator << "\"" << what << "\": " << count - machine.reported[what];
    separator = ", ";
    machine.reported[what] = count;
  };
  tell("launches", machine.schedules.done(Operation::Kind::Launch));
  tell("copies_in", machine.schedules.done(Operation::Kind::CopyIn));
  tell("copies_out", machine.schedules.done(Operation::Kind::CopyOut));
  tell("graphs", machine.counts.graph_launches);
  out << "}\n";
  printCounters(out, machine);
  machine.counters.clear();
  machine.report = out.str();
  return machine.report.c_str();
}

extern "C" const char *keratin_emulator_last_fault(void) {
  Machine &machine = emulator::machine();
  std::lock_guard guard(machine.mutex);
  return machine.lastFault.c_str();
}

extern "C" int keratin_emulator_put(void *handle, int (*mayRun)(void *), void (*run)(void *),
                                    void (*release)(void *), void *user) {
  // Copied with the operation.
  std::shared_ptr<void> held(user, release);
  return call("keratin_emulator_put", Needs::Context, [&](Machine &machine, Context *now) {
    Stream *stream = machine.streamOf(static_cast<CUstream>(handle), *now);
    if (!stream)
      return CUresult(CUDA_ERROR_INVALID_HANDLE);
    return machine.submit(*stream, {Operation::Kind::Other,
                                    [run, held]() -> CUresult {
                                      run(held.get());
                                      return CUDA_SUCCESS;
                                    },
                                    [mayRun, held] { return mayRun(held.get()) != 0; }});
  });
}

// The machine is locked.
extern "C" void *keratin_emulator_bytes(int device, uint64_t address, uint64_t bytes,
                                        int isWritten) {
  ptx::Memory &memory = *machine().contexts[size_t(device)]->memory;
  std::byte *found = memory.at(address, bytes);
  if (found && isWritten)
    memory.setInitialised(address, bytes);
  return found && memory.isInitialised(address, bytes) ? found : nullptr;
}

extern "C" int keratin_emulator_device(void) { return current ? current->ordinal : -1; }

extern "C" int64_t keratin_emulator_calls(const char *function) {
  Machine &machine = emulator::machine();
  std::lock_guard guard(machine.mutex);
  auto found = machine.calls.find(function);
  return found == machine.calls.end() ? 0 : found->second;
}
