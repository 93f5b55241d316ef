// The numbers that kernels fail at: of which site each is, and of which element there.
#ifndef KERATIN_RUNTIME_CORE_SITENUMBERS_H
#define KERATIN_RUNTIME_CORE_SITENUMBERS_H

#include "runtime/abi/keratin_abi.h"
#include "runtime/core/Status.h"

namespace keratin::runtime {

class SiteNumbers {
public:
  explicit SiteNumbers(const keratin_function_desc_t &descriptor);

  // Null where there is no such number.
  const keratin_site_t *find(int64_t number) const {
    int64_t element = 0;
    return hasElements ? findElement(number, element)
                       : (isIndex(number) ? descriptor.sites + number : nullptr);
  }
  // The call fails there.
  Code fail(int64_t number, keratin_status_t *status) const;

private:
  bool isIndex(int64_t number) const { return number >= 0 && number < descriptor.num_sites; }
  // The site, and which of its own numbers it is.
  const keratin_site_t *findElement(int64_t number, int64_t &element) const;

  const keratin_function_desc_t &descriptor;
  bool hasElements = false; // some site has more than one number
};

} // namespace keratin::runtime

#endif // KERATIN_RUNTIME_CORE_SITENUMBERS_H
