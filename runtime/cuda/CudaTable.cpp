// The device's table (keratin/device.h): each function makes the context current and hands on.
#include "runtime/cuda/CudaModule.h"
#include "runtime/cuda/CudaQueue.h"
#include "runtime/include/keratin/cuda.h"

#include <optional>
#include <stdlib.h>
#include <string.h>

namespace keratin::cuda {

using runtime::fail;

static CudaDevice &deviceOf(void *user) { return *static_cast<CudaDevice *>(user); }
static CUdeviceptr addressOf(const void *data) { return reinterpret_cast<CUdeviceptr>(data); }

// A lost device gives an address that is nobody's: whatever is done with it fails, and says why,
// which "no memory" would not.
static void *allocate(void *user, size_t bytes, size_t alignment) {
  CudaDevice &device = deviceOf(user);
  CudaScope scope(device);
  CUdeviceptr address = device.memory.allocate(bytes, alignment);
  if (!address && device.checkAlive(nullptr) != KERATIN_OK)
    address = alignment > KERATIN_CUDA_ALIGNMENT ? alignment : KERATIN_CUDA_ALIGNMENT;
  return reinterpret_cast<void *>(address);
}

static void release(void *user, void *data, size_t, size_t) {
  CudaDevice &device = deviceOf(user);
  CudaScope scope(device);
  device.waitForQueues();
  device.memory.release(addressOf(data));
}

// The device's context, unless the queue is in a call that has made it current already.
class QueueScope {
public:
  QueueScope(CudaDevice &device, const void *queue) {
    if (!queue || !static_cast<const CudaQueue *>(queue)->isInCall())
      scope.emplace(device);
  }

private:
  std::optional<CudaScope> scope;
};

// Calls `action` with the queue; with none, with the device's own, after everything that others
// have under way, and waits for it.
template <typename Action>
static Code inQueue(void *user, void *queue, keratin_status_t *status, Action action) {
  CudaDevice &device = deviceOf(user);
  QueueScope scope(device, queue);
  if (queue)
    return action(*static_cast<CudaQueue *>(queue));
  MutexGuard guard(device.ownQueueMutex);
  device.waitForQueues();
  Code code = action(*device.ownQueue);
  int32_t failedSite = 0;
  return code == KERATIN_OK ? device.ownQueue->wait(&failedSite, status) : code;
}

static Code copyIn(void *user, void *queue, int32_t, void *to, const void *from, size_t bytes,
                   keratin_status_t *status) {
  return inQueue(user, queue, status,
                 [&](CudaQueue &used) { return used.copyIn(addressOf(to), from, bytes, status); });
}

static Code copyOut(void *user, void *queue, int32_t, void *to, const void *from, size_t bytes,
                    keratin_status_t *status) {
  return inQueue(user, queue, status,
                 [&](CudaQueue &used) { return used.copyOut(to, addressOf(from), bytes, status); });
}

static Code copyWithin(void *user, void *queue, int32_t, void *to, const void *from, size_t bytes,
                       keratin_status_t *status) {
  return inQueue(user, queue, status, [&](CudaQueue &used) {
    return used.copyWithin(addressOf(to), addressOf(from), bytes, status);
  });
}

static Code fill(void *user, void *queue, int32_t, void *to, uint8_t byte, size_t bytes,
                 keratin_status_t *status) {
  return inQueue(user, queue, status,
                 [&](CudaQueue &used) { return used.fill(addressOf(to), byte, bytes, status); });
}

static Code load(void *user, const keratin_function_desc_t *function, void **module,
                 keratin_status_t *status) {
  CudaDevice &device = deviceOf(user);
  CudaScope scope(device);
  CudaModule *made = nullptr;
  Code code = CudaModule::load(device, *function, &made, status);
  *module = made;
  return code;
}

static void unload(void *user, void *module) {
  CudaScope scope(deviceOf(user));
  CudaModule::unload(static_cast<CudaModule *>(module));
}

static Code open(void *user, void **queue, keratin_status_t *status) {
  CudaDevice &device = deviceOf(user);
  CudaScope scope(device);
  CudaQueue *made = nullptr;
  Code code = CudaQueue::create(device, &made, status);
  *queue = made;
  return code;
}

static void close(void *user, void *queue) {
  CudaScope scope(deviceOf(user));
  CudaQueue::destroy(static_cast<CudaQueue *>(queue));
}

static Code begin(void *user, void *queue, keratin_status_t *status) {
  CudaScope scope(deviceOf(user));
  return static_cast<CudaQueue *>(queue)->begin(status);
}

static Code launch(void *user, void *queue, int32_t, void *module, int32_t kernel,
                   const int64_t *argv, int32_t slots, int64_t units, int64_t grain,
                   keratin_status_t *status) {
  return inQueue(user, queue, status, [&](CudaQueue &used) {
    return used.launch(*static_cast<CudaModule *>(module), kernel, argv, slots, units, grain,
                       status);
  });
}

static Code wait(void *user, void *queue, int32_t *failedSite, keratin_status_t *status) {
  QueueScope scope(deviceOf(user), queue);
  return static_cast<CudaQueue *>(queue)->wait(failedSite, status);
}

static Code guard(void *user, void *queue, int32_t *, keratin_status_t *status) {
  static_cast<CudaQueue *>(queue)->guard();
  return deviceOf(user).checkAlive(status);
}

static Code run(void *user, void *queue, void *, const keratin_device_call_t *call,
                int32_t *failedSite, keratin_status_t *status) {
  CudaScope scope(deviceOf(user));
  return static_cast<CudaQueue *>(queue)->run(*call, failedSite, status);
}

// Without a queue the device's own is waited for by nobody: what is done in it later is.
static Code follow(void *user, void *queue, void *stream, keratin_status_t *status) {
  CudaDevice &device = deviceOf(user);
  CudaScope scope(device);
  auto *followed = static_cast<CUstream>(stream);
  if (queue)
    return static_cast<CudaQueue *>(queue)->follow(followed, status);
  MutexGuard guard(device.ownQueueMutex);
  return device.ownQueue->follow(followed, status);
}

static Code check(void *user, const void *data, size_t, keratin_status_t *status) {
  CudaDevice &device = deviceOf(user);
  CudaScope scope(device);
  return device.checkAddress(addressOf(data), status);
}

static Code mark(void *user, void *queue, int32_t tag, keratin_status_t *status) {
  QueueScope scope(deviceOf(user), queue);
  return static_cast<CudaQueue *>(queue)->mark(tag, status);
}

static Code marked(void *user, void *queue, int32_t number, int32_t *tag, int64_t *nanoseconds,
                   keratin_status_t *status) {
  CudaScope scope(deviceOf(user));
  return static_cast<CudaQueue *>(queue)->readMark(number, tag, nanoseconds, status);
}

static Code fork(void *user, void *queue, const keratin_stream_work_t *work,
                 keratin_status_t *status) {
  QueueScope scope(deviceOf(user), queue);
  return static_cast<CudaQueue *>(queue)->fork(*work, status);
}

static Code join(void *user, void *queue, keratin_status_t *status) {
  QueueScope scope(deviceOf(user), queue);
  return static_cast<CudaQueue *>(queue)->join(status);
}

static Code expose(void *user, void *queue, void **own, void **all, keratin_status_t *status) {
  QueueScope scope(deviceOf(user), queue);
  CUdeviceptr places[2] = {};
  Code code = static_cast<CudaQueue *>(queue)->expose(places[0], places[1], status);
  *own = reinterpret_cast<void *>(places[0]);
  *all = reinterpret_cast<void *>(places[1]);
  return code;
}

keratin_device_t tableOf(CudaDevice &device) {
  return {.bytes = sizeof(keratin_device_t),
          .abi_version = KERATIN_DEVICE_ABI_VERSION,
          .name = device.name,
          .user = &device,
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
          .run = run,
          .follow = follow,
          .check = check,
          .mark = mark,
          .marked = marked,
          .fork = fork,
          .join = join,
          .expose = expose};
}

//===-- By name -------------------------------------------------------------------------------===//

// The number in "cuda" or "cuda:1"; -1: it is none of these names.
static int ordinalOf(const char *name) {
  size_t length = strlen(KERATIN_CUDA_DEVICE);
  if (strncmp(name, KERATIN_CUDA_DEVICE, length) != 0)
    return -1;
  if (name[length] == '\0')
    return 0;
  const char *digits = name + length + 1;
  size_t count = strspn(digits, "0123456789");
  if (name[length] != ':' || count == 0 || count > 4 || digits[count] != '\0')
    return -1;
  return atoi(digits);
}

static Code provide(const char *name, const keratin_device_t **device, keratin_status_t *status) {
  int ordinal = ordinalOf(name);
  if (ordinal < 0)
    return KERATIN_OK;
  CudaDevice *found = nullptr;
  if (Code code = CudaDevice::find(ordinal, &found, status))
    return code;
  *device = &found->table;
  return KERATIN_OK;
}

} // namespace keratin::cuda

extern "C" void keratin_cuda_enable(void) { keratin_device_set_provider(keratin::cuda::provide); }

extern "C" const char *keratin_cuda_architecture(const keratin_device_t *device) {
  // Its table tells whose it is.
  bool isOurs = device && device->load == keratin::cuda::load;
  return isOurs && !getenv("KERATIN_CUDA_DRIVER")
             ? keratin::cuda::deviceOf(device->user).architecture
             : nullptr;
}

extern "C" void keratin_cuda_trim(void) { keratin::cuda::CudaDevice::trimAll(); }
