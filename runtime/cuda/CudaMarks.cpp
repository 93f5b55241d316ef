#include "runtime/cuda/CudaMarks.h"

#include <inttypes.h>
#include <string.h>

namespace keratin::cuda {

using runtime::fail;

Code CudaMarks::add(CUstream stream, int32_t tag, keratin_status_t *status) {
  size_t number = tags.bytes() / sizeof(int64_t);
  CUevent event = nullptr;
  if (Code code = events.find(number, CU_EVENT_DEFAULT, &event, status))
    return code;
  if (Code code = device.check(device.driver.cuEventRecord(event, stream), "cuEventRecord", status))
    return code;
  int64_t value = tag;
  return tags.add(&value, sizeof(value)) ? KERATIN_OK
                                         : fail(status, KERATIN_RESOURCE_EXHAUSTED,
                                                "device '%s': no memory for a mark", device.name);
}

Code CudaMarks::read(int32_t number, int32_t *tag, int64_t *nanoseconds, keratin_status_t *status) {
  auto count = int64_t(tags.bytes() / sizeof(int64_t));
  if (number < 0 || number >= count)
    return fail(status, KERATIN_OUT_OF_RANGE, "device '%s': there are %" PRId64 " marks",
                device.name, count);
  float milliseconds = 0;
  if (Code code = device.check(
          device.driver.cuEventElapsedTime(&milliseconds, events[0], events[size_t(number)]),
          "cuEventElapsedTime", status))
    return code;
  int64_t value = 0;
  memcpy(&value, tags.data() + size_t(number) * sizeof(value), sizeof(value));
  *tag = int32_t(value);
  *nanoseconds = int64_t(double(milliseconds) * 1e6);
  return KERATIN_OK;
}

} // namespace keratin::cuda
