#include "runtime/cuda/CudaMarks.h"

#include <inttypes.h>
#include <string.h>

namespace keratin::cuda {

using runtime::fail;

CudaMarks::~CudaMarks() {
  for (size_t i = 0; i < events.bytes() / sizeof(CUevent); ++i)
    (void)device.driver.cuEventDestroy_v2(event(i));
}

CUevent CudaMarks::event(size_t number) const {
  CUevent found;
  memcpy(&found, events.data() + number * sizeof(found), sizeof(found));
  return found;
}

Code CudaMarks::add(CUstream stream, int32_t tag, keratin_status_t *status) {
  const Driver &driver = device.driver;
  size_t number = tags.bytes() / sizeof(int64_t);
  if (number == events.bytes() / sizeof(CUevent)) {
    CUevent made = nullptr;
    if (Code code =
            device.check(driver.cuEventCreate(&made, CU_EVENT_DEFAULT), "cuEventCreate", status))
      return code;
    if (!events.add(&made, sizeof(made))) {
      (void)driver.cuEventDestroy_v2(made);
      return fail(status, KERATIN_RESOURCE_EXHAUSTED, "device '%s': no memory for a mark",
                  device.name);
    }
  }
  if (Code code =
          device.check(driver.cuEventRecord(event(number), stream), "cuEventRecord", status))
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
          device.driver.cuEventElapsedTime(&milliseconds, event(0), event(size_t(number))),
          "cuEventElapsedTime", status))
    return code;
  int64_t value = 0;
  memcpy(&value, tags.data() + size_t(number) * sizeof(value), sizeof(value));
  *tag = int32_t(value);
  *nanoseconds = int64_t(double(milliseconds) * 1e6);
  return KERATIN_OK;
}

} // namespace keratin::cuda
