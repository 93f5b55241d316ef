#include "tests/support/GuardedDevice.h"

#include "runtime/abi/keratin_cuda_abi.h"

#include <keratin/device.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <mutex>
#include <unordered_set>

namespace {

// The driver's interface, as far as it is about memory.
class ExactMemory {
public:
  explicit ExactMemory(const keratin_device_t &device, void *driver) : inner(device) {
    find(driver, "cuDevicePrimaryCtxRetain", retain);
    find(driver, "cuCtxGetCurrent", getCurrent);
    find(driver, "cuCtxSetCurrent", setCurrent);
    find(driver, "cuMemAlloc_v2", allocateExactly);
    find(driver, "cuMemFree_v2", free);
    if (retain(&context, 0) != 0)
      quit("the context is not to be had");
  }

  static void *allocate(void *user, size_t bytes, size_t alignment) {
    // The driver promises no more, and what is large is far from tight anyway.
    if (alignment > KERATIN_CUDA_ALIGNMENT)
      return made->inner.allocate(user, bytes, alignment);
    Scope scope(*made);
    uint64_t address = 0;
    // Without memory, or a device: as it would be said otherwise.
    if (made->allocateExactly(&address, std::max<size_t>(bytes, 1)) != 0)
      return made->inner.allocate(user, bytes, alignment);
    std::lock_guard lock(made->mutex);
    made->exact.insert(address);
    return reinterpret_cast<void *>(address);
  }

  static void release(void *user, void *data, size_t bytes, size_t alignment) {
    {
      std::lock_guard lock(made->mutex);
      if (!made->exact.erase(reinterpret_cast<uint64_t>(data)))
        return made->inner.release(user, data, bytes, alignment);
    }
    Scope scope(*made);
    // What a lost device does not take back is lost with it.
    (void)made->free(reinterpret_cast<uint64_t>(data));
  }

  // One in a process: the user of a table is the device's own.
  static ExactMemory *made;

private:
  // The context of the thread, changed for as long as this is there.
  class Scope {
  public:
    explicit Scope(ExactMemory &memory) : memory(memory) {
      memory.getCurrent(&before);
      memory.setCurrent(memory.context);
    }
    ~Scope() { memory.setCurrent(before); }

  private:
    ExactMemory &memory;
    void *before = nullptr;
  };

  [[noreturn]] static void quit(const char *what) {
    std::fprintf(stderr, "exact memory of the device: %s\n", what);
    std::abort();
  }

  template <typename Function> static void find(void *driver, const char *name, Function &found) {
    found = reinterpret_cast<Function>(dlsym(driver, name));
    if (!found)
      quit(name);
  }

  const keratin_device_t inner; // as it was
  int (*retain)(void **, int) = nullptr;
  int (*getCurrent)(void **) = nullptr;
  int (*setCurrent)(void *) = nullptr;
  int (*allocateExactly)(uint64_t *, size_t) = nullptr;
  int (*free)(uint64_t) = nullptr;
  void *context = nullptr;
  std::mutex mutex;
  std::unordered_set<uint64_t> exact;
};

ExactMemory *ExactMemory::made = nullptr;

} // namespace

void keratin::tests::guardCudaMemory() {
  static const bool once = [] {
    const char *path = std::getenv("KERATIN_CUDA_DRIVER"),
               *kept = std::getenv("KERATIN_TEST_MEMORY");
    if (kept && std::strcmp(kept, "kept") == 0)
      return false;
    void *driver = path ? dlopen(path, RTLD_NOW) : nullptr;
    const keratin_device_t *device = driver ? keratin_device_find(KERATIN_CUDA_DEVICE) : nullptr;
    if (!device)
      return false;
    // Never destroyed: objects with static storage may give memory back late.
    ExactMemory::made = new ExactMemory(*device, driver);
    // The table is the runtime's, which has no other way to put itself in between: the device is
    // registered as soon as it is found.
    auto &table = const_cast<keratin_device_t &>(*device);
    table.allocate = ExactMemory::allocate;
    table.release = ExactMemory::release;
    return true;
  }();
  (void)once;
}
