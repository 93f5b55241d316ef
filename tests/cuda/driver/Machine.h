// The state of the look-alike: devices, contexts, and everything that has a handle. One mutex
// guards it all; handles are numbers that no pointer has.
#ifndef KERATIN_TESTS_CUDA_DRIVER_MACHINE_H
#define KERATIN_TESTS_CUDA_DRIVER_MACHINE_H

#include "tests/cuda/driver/Control.h"
#include "tests/cuda/driver/Work.h"

#include <mutex>

namespace keratin::emulator {

using namespace keratin::cuda;

// Shared memory of the emulated devices, in bytes: an A100's.
inline constexpr int sharedPerMultiprocessor = 164 * 1024, sharedPerBlock = 163 * 1024;

struct Context {
  int ordinal = 0;
  int references = 0;
  CUresult lost = CUDA_SUCCESS; // after it nothing works any more, as with the driver
  std::unique_ptr<ptx::Memory> memory;
  Stream zero; // the stream 0
};

struct Module {
  Context *context = nullptr;
  std::shared_ptr<ptx::Module> code;
};

struct Function {
  Module *module = nullptr;
  const ptx::Kernel *kernel = nullptr;
  int dynamicShared = 48 * 1024; // at most
};

struct GraphExecutable {
  Context *context = nullptr;
  Graph graph;
};

// Objects by their handles. A handle never comes twice.
template <typename T, typename Handle> class Table {
public:
  Handle add(std::unique_ptr<T> object) {
    static uint64_t next = 0;
    // Not canonical on x86-64: whoever follows such a pointer is stopped.
    uint64_t number = UINT64_C(0xCADA000000000000) | ++next << 4;
    objects[number] = std::move(object);
    return reinterpret_cast<Handle>(number);
  }
  T *find(Handle handle) const {
    auto found = objects.find(reinterpret_cast<uint64_t>(handle));
    return found == objects.end() ? nullptr : found->second.get();
  }
  void erase(Handle handle) { objects.erase(reinterpret_cast<uint64_t>(handle)); }
  template <typename Predicate> void eraseIf(Predicate predicate) {
    std::erase_if(objects, [&](const auto &entry) { return predicate(*entry.second); });
  }
  template <typename Action> void forEach(Action action) const {
    for (const auto &entry : objects)
      action(*entry.second);
  }
  int64_t size() const { return int64_t(objects.size()); }

private:
  std::map<uint64_t, std::unique_ptr<T>> objects;
};

struct Machine {
  // Once initialised it lives as long as the process: threads may be in it.
  Machine();

  std::mutex mutex;
  Options options;
  std::string optionsError;
  bool isInitialised = false;
  std::vector<std::unique_ptr<Context>> contexts; // of each device the primary one
  std::map<uint64_t, size_t> pinned;              // memory of the host's, with its bytes
  Table<Stream, CUstream> streams;
  Table<Event, CUevent> events;
  Table<Module, CUmodule> modules;
  Table<Function, CUfunction> functions;
  Table<Graph, CUgraph> graphs;
  Table<GraphExecutable, CUgraphExec> executables;
  Schedules schedules;

  std::map<std::string, int64_t> calls;
  std::map<std::string, ptx::Counters> counters; // by kernel
  keratin_emulator_counts_t counts = {};
  std::map<std::string, int64_t> reported; // what keratin_emulator_report() has told of
  std::string report;
  std::string lastFault;

  // Whether the bytes lie in one piece of pinned memory.
  bool isPinned(const void *data, size_t bytes) const;
  // Whether they lie in pinned memory or in none of any device.
  bool isHost(const void *data) const;
  // The device in whose memory it lies; null for none.
  const Context *ownerOf(uint64_t address) const;
  // The context's stream of this handle; null for none.
  Stream *streamOf(CUstream handle, Context &context);
  // Puts an operation into the stream, or into the capture it is in.
  CUresult submit(Stream &stream, Operation operation, const TaskRef &also = nullptr);
  // What everything put into the stream from here on comes after.
  std::vector<TaskRef> before(Stream &stream) const;
  void destroy(Context &context);
  // What went wrong, for whoever asks and, unless that is not wanted, on stderr.
  void note(std::string fault);
  void noteFault(const ptx::Fault &fault, const Context &context);
};

// Made at the first call, from KERATIN_EMULATOR.
Machine &machine();

// What a function of the driver needs before it does anything.
enum class Needs {
  Nothing,
  Initialised, // cuInit
  Context,     // a current context that is not lost
  Quiet        // that, and no capture that it would disturb
};

// The current context of this thread.
extern thread_local Context *current;

// One call of a function of the driver.
CUresult call(const char *function, Needs needs,
              const std::function<CUresult(Machine &, Context *)> &body);

} // namespace keratin::emulator

// A function of the driver, of the type that Driver.h says.
#define KERATIN_EMULATED(name)                                                                     \
  static_assert(std::is_same_v<decltype(&::name), decltype(keratin::cuda::Driver::name)>)

#endif // KERATIN_TESTS_CUDA_DRIVER_MACHINE_H
