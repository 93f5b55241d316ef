#include "runtime/cuda/CudaEvents.h"

#include <string.h>

namespace keratin::cuda {

CudaEvents::~CudaEvents() {
  for (size_t i = 0; i < count(); ++i)
    (void)device.driver.cuEventDestroy_v2((*this)[i]);
}

CUevent CudaEvents::operator[](size_t number) const {
  CUevent found;
  memcpy(&found, events.data() + number * sizeof(found), sizeof(found));
  return found;
}

Code CudaEvents::find(size_t number, unsigned flags, CUevent *event, keratin_status_t *status) {
  const Driver &driver = device.driver;
  if (number == count()) {
    CUevent made = nullptr;
    if (Code code = device.check(driver.cuEventCreate(&made, flags), "cuEventCreate", status))
      return code;
    if (!events.add(&made, sizeof(made))) {
      (void)driver.cuEventDestroy_v2(made);
      return runtime::fail(status, KERATIN_RESOURCE_EXHAUSTED,
                           "device '%s': no memory for an event", device.name);
    }
  }
  *event = (*this)[number];
  return KERATIN_OK;
}

} // namespace keratin::cuda
