// One CUDA device of this process: its context, its memory, what was said of it.
#ifndef KERATIN_RUNTIME_CUDA_CUDADEVICE_H
#define KERATIN_RUNTIME_CUDA_CUDADEVICE_H

#include "runtime/cuda/CudaMemory.h"
#include "runtime/cuda/GuardedCopies.h"
#include "runtime/include/keratin/device.h"

#include <atomic>

namespace keratin::cuda {

using runtime::Code;

class CudaQueue;

class CudaDevice {
public:
  static constexpr int maxDevices = 16;

  // The device of this number, made and registered at the first call. It lives as long as the
  // process.
  static Code find(int ordinal, CudaDevice **device, keratin_status_t *status);
  // Gives memory back to the driver that no device uses.
  static void trimAll();
  CudaDevice(const Driver &driver, int ordinal) : driver(driver), memory(*this), ordinal(ordinal) {}

  // KERATIN_OK, or the status filled in with the name of the driver's function and what it said. A
  // device that does not survive the error is lost from then on.
  Code check(CUresult result, const char *function, keratin_status_t *status,
             const char *about = "");
  // Whether the device is there still: what happened before is said again.
  Code checkAlive(keratin_status_t *status) const;
  // Whether it is an address of the device's memory, of whoever in the process asked for that; if
  // not, what it is.
  Code checkAddress(CUdeviceptr address, keratin_status_t *status);

  // Waits for what any queue has under way.
  void waitForQueues();
  void add(CudaQueue &queue);
  void remove(CudaQueue &queue);

  const Driver &driver;
  CudaMemory memory;
  GuardedCopies guardedCopies;
  const int ordinal;
  char name[16] = "";  // "cuda:1"
  char model[64] = ""; // as the driver calls it
  CUcontext context = nullptr;
  int major = 0, minor = 0;   // compute capability
  char architecture[16] = ""; // "sm_90"
  int multiprocessors = 1;
  keratin_device_t table = {};
  // For what is done without a queue; its mutex lets one in at a time.
  CudaQueue *ownQueue = nullptr;
  Mutex ownQueueMutex;

private:
  static Code make(int ordinal, CudaDevice **device, keratin_status_t *status);
  void stop();
  Code start(keratin_status_t *status);
  Code retain(keratin_status_t *status);
  void noteLoss(CUresult result, const char *function, const char *about);

  Mutex queuesMutex;
  CudaQueue *queues = nullptr;
  // Written once, before isLost.
  Mutex lossMutex;
  std::atomic<bool> isLost{false};
  runtime::ShortText loss;
};

// The device's context is current in this thread for a scope. What was current before is so again
// afterwards: others in the process may use the driver, too.
class CudaScope {
public:
  explicit CudaScope(CudaDevice &device);
  ~CudaScope();
  CudaScope(const CudaScope &) = delete;
  CudaScope &operator=(const CudaScope &) = delete;

private:
  const Driver &driver;
  CUcontext before = nullptr;
  bool isChanged = false;
};

// The functions of a device's table.
keratin_device_t tableOf(CudaDevice &device);

} // namespace keratin::cuda

#endif // KERATIN_RUNTIME_CUDA_CUDADEVICE_H
