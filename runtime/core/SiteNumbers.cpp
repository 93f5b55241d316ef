#include "runtime/core/SiteNumbers.h"

#include "runtime/abi/keratin_site_message.h"
#include "runtime/core/Descriptor.h"

namespace keratin::runtime {

SiteNumbers::SiteNumbers(const keratin_function_desc_t &descriptor) : descriptor(descriptor) {
  for (int64_t i = 0; i < descriptor.num_sites && !hasElements; ++i)
    hasElements = keratin_site_message(descriptor.sites[i].message).numbers > 1;
}

const keratin_site_t *SiteNumbers::findElement(int64_t number, int64_t &element) const {
  if (number < 0)
    return nullptr;
  element = number;
  for (int64_t i = 0; i < descriptor.num_sites; ++i) {
    const int64_t own = keratin_site_message(descriptor.sites[i].message).numbers;
    if (element < own)
      return descriptor.sites + i;
    element -= own;
  }
  return nullptr;
}

Code SiteNumbers::fail(int64_t number, keratin_status_t *status) const {
  int64_t element = 0;
  const keratin_site_t *site = findElement(number, element);
  if (!site)
    return runtime::fail(status, KERATIN_INTERNAL, "function '%s' failed at an unknown place",
                         functionName(descriptor));
  if (status) {
    status->code = site->status;
    (void)keratin_site_write(site->message, element, status->message, sizeof status->message);
  }
  return Code(site->status);
}

} // namespace keratin::runtime
