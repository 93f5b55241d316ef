#include "runtime/cuda/CudaDevice.h"

#include "runtime/core/Allocator.h"
#include "runtime/cuda/CudaQueue.h"

#include <stdio.h>

namespace keratin::cuda {

using runtime::fail;
using runtime::ShortText;

//===-- What the driver says ------------------------------------------------------------------===//

// Errors after which nothing works any more in a context, and, as the driver has it, in the
// process.
static bool isFatal(CUresult result) {
  switch (result) {
  case CUDA_ERROR_ECC_UNCORRECTABLE:
  case CUDA_ERROR_NVLINK_UNCORRECTABLE:
  case CUDA_ERROR_ILLEGAL_ADDRESS:
  case CUDA_ERROR_LAUNCH_TIMEOUT:
  case CUDA_ERROR_CONTEXT_IS_DESTROYED:
  case CUDA_ERROR_ASSERT:
  case CUDA_ERROR_HARDWARE_STACK_ERROR:
  case CUDA_ERROR_ILLEGAL_INSTRUCTION:
  case CUDA_ERROR_MISALIGNED_ADDRESS:
  case CUDA_ERROR_INVALID_ADDRESS_SPACE:
  case CUDA_ERROR_INVALID_PC:
  case CUDA_ERROR_LAUNCH_FAILED:
  case CUDA_ERROR_DEINITIALIZED:
  case CUDA_ERROR_UNKNOWN:
    return true;
  default:
    return false;
  }
}

void CudaDevice::noteLoss(CUresult result, const char *function, const char *about) {
  MutexGuard guard(lossMutex);
  if (isLost.load(std::memory_order_relaxed))
    return;
  loss.add("%s%s said %s", function, about, driver.describe(result).text());
  isLost.store(true, std::memory_order_release);
}

Code CudaDevice::checkAlive(keratin_status_t *status) const {
  if (!isLost.load(std::memory_order_acquire))
    return KERATIN_OK;
  return fail(status, KERATIN_INTERNAL,
              "device '%s' (%s) is lost, and with it all that lay on it: %s; a new process can use "
              "it again",
              name, model, loss.text());
}

Code CudaDevice::check(CUresult result, const char *function, keratin_status_t *status,
                       const char *about) {
  if (result == CUDA_SUCCESS)
    return KERATIN_OK;
  if (isFatal(result)) {
    noteLoss(result, function, about);
    return checkAlive(status);
  }
  return fail(status,
              result == CUDA_ERROR_OUT_OF_MEMORY ? KERATIN_RESOURCE_EXHAUSTED : KERATIN_INTERNAL,
              "device '%s' (%s): %s%s failed: %s", name, model, function, about,
              driver.describe(result).text());
}

Code CudaDevice::checkAddress(CUdeviceptr address, keratin_status_t *status) {
  unsigned type = 0;
  int of = -1;
  CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                      CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
  void *values[] = {&type, &of};
  if (Code code = checkAlive(status))
    return code;
  CUresult result = driver.cuPointerGetAttributes(2, attributes, values, address);
  if (isFatal(result))
    return check(result, "cuPointerGetAttributes", status);
  if (result == CUDA_SUCCESS && type == CU_MEMORYTYPE_DEVICE && of == ordinal)
    return KERATIN_OK;
  ShortText what;
  if (result == CUDA_SUCCESS && type == CU_MEMORYTYPE_DEVICE)
    what.add("memory of device 'cuda:%d'", of);
  else
    what.add("memory of the host, or of nobody");
  return fail(status, KERATIN_INVALID_ARGUMENT, "0x%llx is %s",
              static_cast<unsigned long long>(address), what.text());
}

//===-- The devices of the process ------------------------------------------------------------===//

static constinit Mutex devicesMutex;
static constinit CudaDevice *devices[CudaDevice::maxDevices] = {};

static Code checkOrdinal(const Driver &driver, int ordinal, keratin_status_t *status) {
  int count = 0;
  if (CUresult result = driver.cuDeviceGetCount(&count))
    return fail(status, KERATIN_FAILED_PRECONDITION, "CUDA: cuDeviceGetCount failed: %s",
                driver.describe(result).text());
  if (ordinal < count)
    return KERATIN_OK;
  return fail(status, KERATIN_FAILED_PRECONDITION,
              "CUDA: there is no device 'cuda:%d'; the driver of version %d.%d knows %d of them",
              ordinal, driver.version / 1000, driver.version % 1000 / 10, count);
}

Code CudaDevice::retain(keratin_status_t *status) {
  CUdevice device = 0;
  if (Code code = check(driver.cuDeviceGet(&device, ordinal), "cuDeviceGet", status))
    return code;
  if (Code code =
          check(driver.cuDeviceGetName(model, sizeof(model), device), "cuDeviceGetName", status))
    return code;
  struct {
    CUdevice_attribute attribute;
    int *value;
  } attributes[] = {{CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major},
                    {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &minor},
                    {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &multiprocessors}};
  for (auto [attribute, value] : attributes)
    if (Code code = check(driver.cuDeviceGetAttribute(value, attribute, device),
                          "cuDeviceGetAttribute", status))
      return code;
  if (major < 8)
    return fail(status, KERATIN_FAILED_PRECONDITION,
                "device '%s' (%s) has compute capability %d.%d; needed is 8.0 or later", name,
                model, major, minor);
  snprintf(architecture, sizeof(architecture), "sm_%d%d", major, minor);
  return check(driver.cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain",
               status);
}

Code CudaDevice::start(keratin_status_t *status) {
  snprintf(name, sizeof(name), ordinal ? KERATIN_CUDA_DEVICE ":%d" : KERATIN_CUDA_DEVICE, ordinal);
  table = tableOf(*this);
  if (Code code = retain(status))
    return code;
  CudaScope scope(*this);
  if (Code code = CudaQueue::create(*this, &ownQueue, status))
    return code;
  return ownQueue->start(status);
}

// A device that nobody has seen.
void CudaDevice::stop() {
  if (!context)
    return;
  {
    CudaScope scope(*this);
    if (ownQueue)
      CudaQueue::destroy(ownQueue);
    guardedCopies.unload(*this);
    memory.trim();
  }
  (void)driver.cuDevicePrimaryCtxRelease_v2(ordinal);
}

Code CudaDevice::make(int ordinal, CudaDevice **device, keratin_status_t *status) {
  const Driver *driver = nullptr;
  if (Code code = findDriver(&driver, status))
    return code;
  if (Code code = checkOrdinal(*driver, ordinal, status))
    return code;
  auto *made = runtime::makeObject<CudaDevice>(*driver, ordinal);
  if (!made)
    return fail(status, KERATIN_RESOURCE_EXHAUSTED, "no memory for device 'cuda:%d'", ordinal);
  Code code = made->start(status);
  if (code == KERATIN_OK)
    code = keratin_device_register(&made->table, status);
  if (code != KERATIN_OK) {
    made->stop();
    runtime::destroyObject(made);
    return code;
  }
  *device = made;
  return KERATIN_OK;
}

Code CudaDevice::find(int ordinal, CudaDevice **device, keratin_status_t *status) {
  if (ordinal < 0 || ordinal >= maxDevices)
    return fail(status, KERATIN_FAILED_PRECONDITION,
                "CUDA: there is no device 'cuda:%d'; numbers up to %d are known", ordinal,
                maxDevices - 1);
  MutexGuard guard(devicesMutex);
  if (!devices[ordinal])
    if (Code code = make(ordinal, &devices[ordinal], status))
      return code;
  *device = devices[ordinal];
  return KERATIN_OK;
}

void CudaDevice::trimAll() {
  MutexGuard guard(devicesMutex);
  for (CudaDevice *device : devices)
    if (device) {
      CudaScope scope(*device);
      device->memory.trim();
    }
}

//===-- Queues and contexts -------------------------------------------------------------------===//

void CudaDevice::add(CudaQueue &queue) {
  MutexGuard guard(queuesMutex);
  queue.next = queues;
  queues = &queue;
}

void CudaDevice::remove(CudaQueue &queue) {
  MutexGuard guard(queuesMutex);
  for (CudaQueue **link = &queues; *link; link = &(*link)->next)
    if (*link == &queue) {
      *link = queue.next;
      return;
    }
}

void CudaDevice::waitForQueues() {
  MutexGuard guard(queuesMutex);
  for (CudaQueue *queue = queues; queue; queue = queue->next)
    queue->waitForWork();
}

// What does not work here does not work at the next call either, which says so.
CudaScope::CudaScope(CudaDevice &device) : driver(device.driver) {
  if (driver.cuCtxGetCurrent(&before) == CUDA_SUCCESS && before == device.context)
    return;
  isChanged = driver.cuCtxSetCurrent(device.context) == CUDA_SUCCESS;
}

CudaScope::~CudaScope() {
  if (isChanged)
    (void)driver.cuCtxSetCurrent(before);
}

} // namespace keratin::cuda
