#include "tests/support/PlainDevice.h"

#include "codegen/llvm/JitLibrary.h"
#include "tests/support/PlainTarget.h"

#include <keratin/device.h>

#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <sys/mman.h>
#include <vector>

using namespace keratin;
using namespace keratin::tests;

namespace {

//===-- Memory --------------------------------------------------------------------------------===//

// Addresses that nobody may touch but while the memory is open, and then no others than those of
// its blocks: each ends at a page of nobody's as far as its alignment allows, as those of
// GuardedMemory.h do.
class Memory {
public:
  Memory() {
    void *mapping =
        mmap(nullptr, capacity, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping != MAP_FAILED)
      base = static_cast<char *>(mapping);
  }

  // Inside one block.
  bool holds(const void *address, size_t bytes) const {
    auto *place = static_cast<const char *>(address);
    auto next = blocks.upper_bound(place);
    if (next == blocks.begin())
      return false;
    const Block &block = std::prev(next)->second;
    const char *begin = std::prev(next)->first, *end = begin + block.bytes;
    return place <= end && bytes <= size_t(end - place);
  }

  // Fresh bytes are signalling NaN in single precision.
  void *allocate(size_t bytes, size_t alignment) {
    if (bytes > capacity)
      return nullptr;
    Block block{.pages = nullptr,
                .room = std::max<size_t>((bytes + page - 1) / page * page, page),
                .bytes = bytes};
    block.pages = take(block.room);
    if (!block.pages)
      return nullptr;
    const size_t slack = block.room - bytes;
    char *place =
        block.pages + (alignment > page ? 0 : slack - slack % std::max<size_t>(alignment, 1));
    protect(block, PROT_READ | PROT_WRITE);
    for (size_t i = 0; i < block.room; i += sizeof(poison))
      std::memcpy(block.pages + i, &poison, sizeof(poison));
    protect(block, PROT_NONE);
    blocks.emplace(place, block);
    return place;
  }

  // False if something was written beside the block.
  bool release(void *data) {
    auto found = blocks.find(static_cast<char *>(data));
    if (found == blocks.end())
      return false;
    auto [place, block] = *found;
    const size_t begin = size_t(place - block.pages), end = begin + block.bytes;
    protect(block, PROT_READ);
    bool isIntact = true;
    for (size_t i = 0; i < block.room; ++i)
      isIntact &= (i >= begin && i < end) ||
                  block.pages[i] == reinterpret_cast<const char *>(&poison)[i % sizeof(poison)];
    protect(block, PROT_NONE);
    blocks.erase(found);
    unused[block.room].push_back(block.pages);
    return isIntact;
  }

  void open() { protectAll(PROT_READ | PROT_WRITE); }
  void close() { protectAll(PROT_NONE); }

private:
  static constexpr size_t capacity = size_t(4) << 30, page = 4096;
  static constexpr uint32_t poison = 0xFFA5A5A5;

  struct Block {
    char *pages;
    size_t room, bytes; // of its pages, and its own
  };

  // Behind a page of nobody's, and before one.
  char *take(size_t room) {
    std::vector<char *> &same = unused[room];
    if (!same.empty()) {
      char *pages = same.back();
      same.pop_back();
      return pages;
    }
    if (!base || room + page > capacity - used)
      return nullptr;
    char *pages = base + used;
    used += room + page;
    return pages;
  }

  static void protect(const Block &block, int how) {
    if (mprotect(block.pages, block.room, how) != 0)
      std::abort();
  }
  void protectAll(int how) {
    for (const auto &[place, block] : blocks)
      protect(block, how);
  }

  char *base = nullptr;
  size_t used = page;
  std::map<const char *, Block> blocks;
  std::map<size_t, std::vector<char *>> unused; // by their room
};

//===-- Queues --------------------------------------------------------------------------------===//

struct Queue {
  std::vector<std::function<void(Queue &)>> work; // that nobody has waited for
  int32_t failedSite = 0;
  int32_t suspect = 0;
  bool isGuarded = false; // nothing is done any more after a failure
};

struct Module {
  std::unique_ptr<codegen::JitLibrary> library;
  std::vector<keratin_kernel_fn_t> kernels;
  void *scratch = nullptr;
};

// keratin_runtime_functions_t::fail, the only one that kernels of a device call.
void noteFailure(keratin_context_t *context, int32_t site) {
  auto &queue = *static_cast<Queue *>(context->invocation);
  if (queue.failedSite == 0 || site + 1 < queue.failedSite)
    queue.failedSite = site + 1;
}

constexpr keratin_runtime_functions_t kernelFunctions = {
    .bytes = sizeof(keratin_runtime_functions_t),
    .abi_version = KERATIN_ABI_VERSION,
    .parallel_for = nullptr,
    .print = nullptr,
    .fail = noteFailure,
    .profile = nullptr,
    .define_size = nullptr,
    .beam_search = nullptr,
    .grow_tapes = nullptr,
    .check_numbers = nullptr,
    .launch = nullptr,
    .copy = nullptr,
    .staging = nullptr,
    .fetch = nullptr,
    .send = nullptr,
    .has_failed = nullptr,
    .start_collective = nullptr,
    .wait_collective = nullptr,
    .agree = nullptr,
};

class PlainDevice {
public:
  static keratin_device_t table();

  PlainDeviceCounts counts() {
    std::lock_guard lock(mutex);
    return counted;
  }

private:
  using Code = keratin_status_code_t;

  static PlainDevice &of(void *user) { return *static_cast<PlainDevice *>(user); }
  static Code refuse(keratin_status_t *status, const char *why) {
    if (status) {
      status->code = KERATIN_INTERNAL;
      std::snprintf(status->message, sizeof(status->message), "the plain device: %s", why);
    }
    return KERATIN_INTERNAL;
  }

  // What the queue has not done yet. The mutex is held.
  void flush(Queue &queue) {
    if (queue.work.empty())
      return;
    memory.open();
    for (const auto &work : queue.work)
      if (!queue.isGuarded || queue.failedSite == 0)
        work(queue);
    memory.close();
    queue.work.clear();
  }

  // At once without a queue.
  void add(void *queue, std::function<void(Queue &)> work) {
    Queue none;
    Queue &target = queue ? *static_cast<Queue *>(queue) : none;
    target.work.push_back(std::move(work));
    if (!queue)
      flush(target);
  }

  static void *allocate(void *user, size_t bytes, size_t alignment) {
    PlainDevice &self = of(user);
    std::lock_guard lock(self.mutex);
    ++self.counted.allocations;
    return self.memory.allocate(bytes, alignment);
  }

  // Work that is not done yet may be about it.
  static void release(void *user, void *data, size_t, size_t) {
    PlainDevice &self = of(user);
    std::lock_guard lock(self.mutex);
    for (Queue *queue : self.queues)
      self.flush(*queue);
    if (!self.memory.release(data)) {
      std::fputs("memory of the plain device was written beside its bounds, or is not its own\n",
                 stderr);
      std::abort();
    }
  }

  static Code copyIn(void *user, void *queue, int32_t, void *to, const void *from, size_t bytes,
                     keratin_status_t *status) {
    PlainDevice &self = of(user);
    std::lock_guard lock(self.mutex);
    if (!self.memory.holds(to, bytes) || self.memory.holds(from, 1))
      return refuse(status, "a copy to it that is none");
    ++self.counted.copiesIn;
    self.counted.bytesIn += int64_t(bytes);
    auto *begin = static_cast<const char *>(from);
    self.add(queue, [to, data = std::vector<char>(begin, begin + bytes)](Queue &) {
      std::memcpy(to, data.data(), data.size());
    });
    return KERATIN_OK;
  }

  static Code copyOut(void *user, void *queue, int32_t, void *to, const void *from, size_t bytes,
                      keratin_status_t *status) {
    PlainDevice &self = of(user);
    std::lock_guard lock(self.mutex);
    if (!self.memory.holds(from, bytes) || self.memory.holds(to, 1))
      return refuse(status, "a copy from it that is none");
    ++self.counted.copiesOut;
    self.counted.bytesOut += int64_t(bytes);
    if (queue)
      self.flush(*static_cast<Queue *>(queue));
    self.memory.open();
    std::memcpy(to, from, bytes);
    self.memory.close();
    return KERATIN_OK;
  }

  static Code copyWithin(void *user, void *queue, int32_t, void *to, const void *from, size_t bytes,
                         keratin_status_t *status) {
    PlainDevice &self = of(user);
    std::lock_guard lock(self.mutex);
    if (!self.memory.holds(from, bytes) || !self.memory.holds(to, bytes))
      return refuse(status, "a copy within it that is none");
    ++self.counted.copiesWithin;
    self.add(queue, [to, from, bytes](Queue &) { std::memcpy(to, from, bytes); });
    return KERATIN_OK;
  }

  static Code fill(void *user, void *queue, int32_t, void *to, uint8_t byte, size_t bytes,
                   keratin_status_t *status) {
    PlainDevice &self = of(user);
    std::lock_guard lock(self.mutex);
    if (!self.memory.holds(to, bytes))
      return refuse(status, "memory to fill that is not its own");
    self.add(queue, [to, byte, bytes](Queue &) { std::memset(to, byte, bytes); });
    return KERATIN_OK;
  }

  static Code load(void *user, const keratin_function_desc_t *function, void **module,
                   keratin_status_t *status) {
    PlainDevice &self = of(user);
    const keratin_device_code_t &code = *function->device_code;
    if (code.num_images != 1 || std::strcmp(code.images[0].kind, plainImageKind) != 0)
      return refuse(status, "no image for it");
    auto made = std::make_unique<Module>();
    std::vector<std::unique_ptr<llvm::MemoryBuffer>> objects;
    objects.push_back(llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(
        static_cast<const char *>(code.images[0].data), size_t(code.images[0].bytes))));
    std::string error;
    made->library = codegen::JitLibrary::load(std::move(objects), &error);
    if (!made->library)
      return refuse(status, error.c_str());
    for (int64_t i = 0; i < code.num_kernels; ++i) {
      void *kernel = made->library->lookup(code.kernels[i]);
      if (!kernel)
        return refuse(status, "a kernel that the image lacks");
      made->kernels.push_back(reinterpret_cast<keratin_kernel_fn_t>(kernel));
    }
    if (function->scratch_bytes > 0)
      made->scratch = allocate(&self, size_t(function->scratch_bytes), KERATIN_ALIGNMENT);
    *module = made.release();
    return KERATIN_OK;
  }

  static void unload(void *user, void *module) {
    auto *owned = static_cast<Module *>(module);
    if (owned->scratch)
      release(user, owned->scratch, 0, 0);
    delete owned;
  }

  static Code open(void *user, void **queue, keratin_status_t *) {
    PlainDevice &self = of(user);
    std::lock_guard lock(self.mutex);
    auto *made = new Queue;
    self.queues.insert(made);
    *queue = made;
    return KERATIN_OK;
  }

  static void close(void *user, void *queue) {
    PlainDevice &self = of(user);
    std::lock_guard lock(self.mutex);
    auto *owned = static_cast<Queue *>(queue);
    self.flush(*owned);
    self.queues.erase(owned);
    delete owned;
  }

  static Code begin(void *user, void *queue, keratin_status_t *) {
    PlainDevice &self = of(user);
    std::lock_guard lock(self.mutex);
    auto &fresh = *static_cast<Queue *>(queue);
    self.flush(fresh);
    fresh.failedSite = fresh.suspect = 0;
    fresh.isGuarded = false;
    return KERATIN_OK;
  }

  static Code launch(void *user, void *queue, int32_t, void *module, int32_t kernel,
                     const int64_t *argv, int32_t slots, int64_t units, int64_t grain,
                     keratin_status_t *status) {
    PlainDevice &self = of(user);
    std::lock_guard lock(self.mutex);
    auto &code = *static_cast<Module *>(module);
    if (kernel < 0 || size_t(kernel) >= code.kernels.size() || grain < 1)
      return refuse(status, "a launch of no kernel");
    ++self.counted.launches;
    self.add(queue, [run = code.kernels[size_t(kernel)], scratch = code.scratch, units, grain,
                     arguments = std::vector<int64_t>(argv, argv + slots)](Queue &queue) {
      keratin_context_t context = {.abi_version = KERATIN_ABI_VERSION,
                                   .failed_site = 0,
                                   .functions = &kernelFunctions,
                                   .scratch = scratch,
                                   .numbers_suspect = &queue.suspect,
                                   .host = nullptr,
                                   .call = nullptr,
                                   .profiled = nullptr,
                                   .invocation = &queue,
                                   .prepares = 0,
                                   .units_done = 0,
                                   .reserved = {}};
      for (int64_t unit = 0; unit < units; unit += grain)
        run(&context, arguments.data(), unit, std::min(unit + grain, units));
    });
    return KERATIN_OK;
  }

  static Code wait(void *user, void *queue, int32_t *failedSite, keratin_status_t *) {
    PlainDevice &self = of(user);
    std::lock_guard lock(self.mutex);
    auto &waitedFor = *static_cast<Queue *>(queue);
    ++self.counted.waits;
    self.flush(waitedFor);
    *failedSite = waitedFor.failedSite;
    return KERATIN_OK;
  }

  // Without waiting.
  static Code guard(void *user, void *queue, int32_t *, keratin_status_t *) {
    PlainDevice &self = of(user);
    std::lock_guard lock(self.mutex);
    self.add(queue, [](Queue &queue) { queue.isGuarded = true; });
    return KERATIN_OK;
  }

  std::mutex mutex;
  Memory memory;
  std::set<Queue *> queues;
  PlainDeviceCounts counted;
};

// Never destroyed: objects with static storage may give memory back late.
PlainDevice &theDevice() {
  static auto *device = new PlainDevice;
  return *device;
}

keratin_device_t PlainDevice::table() {
  return {.bytes = sizeof(keratin_device_t),
          .abi_version = KERATIN_DEVICE_ABI_VERSION,
          .name = plainTarget,
          .user = &theDevice(),
          .allocate = allocate,
          .release = release,
          .copy_in = copyIn,
          .copy_out = copyOut,
          .copy_within = copyWithin,
          .fill = fill,
          .load = load,
          .unload = unload,
          .open = open,
          .close = close,
          .begin = begin,
          .launch = launch,
          .wait = wait,
          .guard = guard,
          .run = nullptr,
          .follow = nullptr,
          .check = nullptr,
          .mark = nullptr,
          .marked = nullptr,
          .fork = nullptr,
          .join = nullptr,
          .expose = nullptr};
}

} // namespace

PlainDeviceCounts keratin::tests::plainDeviceCounts() { return theDevice().counts(); }

void keratin::tests::registerPlainDevice() {
  static const keratin_device_t device = PlainDevice::table();
  keratin_status_t status;
  if (keratin_device_register(&device, &status) != KERATIN_OK) {
    std::fprintf(stderr, "%s\n", status.message);
    std::abort();
  }
}
