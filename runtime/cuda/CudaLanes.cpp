#include "runtime/cuda/CudaLanes.h"

namespace keratin::cuda {

CudaLanes::~CudaLanes() {
  const Driver &driver = device.driver;
  if (left)
    (void)driver.cuEventDestroy_v2(left);
  for (CUstream each : {stream, beside})
    if (each)
      (void)driver.cuStreamDestroy_v2(each);
}

// Not the stream 0, nor one that waits for it: that one is everybody's.
static Code makeStream(CudaDevice &device, CUstream &stream, keratin_status_t *status) {
  if (stream)
    return KERATIN_OK;
  return device.check(device.driver.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING),
                      "cuStreamCreate", status);
}

Code CudaLanes::start(keratin_status_t *status) { return makeStream(device, stream, status); }

// The stream beside comes to where the main one is.
Code CudaLanes::leave(keratin_status_t *status) {
  if (Code code = makeStream(device, beside, status))
    return code;
  if (!left)
    if (Code code = device.check(device.driver.cuEventCreate(&left, CU_EVENT_DISABLE_TIMING),
                                 "cuEventCreate", status))
      return code;
  if (Code code = device.check(device.driver.cuEventRecord(left, stream), "cuEventRecord", status))
    return code;
  return device.check(device.driver.cuStreamWaitEvent(beside, left, 0), "cuStreamWaitEvent",
                      status);
}

Code CudaLanes::markReached(keratin_status_t *status) {
  CUevent event = nullptr;
  if (Code code = reached.find(forked, CU_EVENT_DISABLE_TIMING, &event, status))
    return code;
  if (Code code = device.check(device.driver.cuEventRecord(event, beside), "cuEventRecord", status))
    return code;
  ++forked;
  return KERATIN_OK;
}

Code CudaLanes::join(keratin_status_t *status) {
  if (!isForked())
    return KERATIN_OK;
  CUevent event = reached[joined++];
  if (joined == forked)
    joined = forked = 0;
  return device.check(device.driver.cuStreamWaitEvent(stream, event, 0), "cuStreamWaitEvent",
                      status);
}

} // namespace keratin::cuda
