// Checks a function descriptor once, so that calls may trust it.
#ifndef KERATIN_RUNTIME_CORE_DESCRIPTOR_H
#define KERATIN_RUNTIME_CORE_DESCRIPTOR_H

#include "runtime/core/Status.h"

namespace keratin::runtime {

// Everything that the descriptor says about itself: counts, dtypes, ranks, slots, programs,
// updates, constants.
Code validateDescriptor(const keratin_function_desc_t &descriptor, keratin_status_t *status);

// Whether the check is what code assumes, not what the caller must see to.
inline bool isAssumed(const keratin_check_t &check) { return check.status == KERATIN_SIZES_DIFFER; }
// Whether there are calls that the code does not serve.
inline bool assumesSizes(const keratin_function_desc_t &descriptor) {
  return descriptor.num_checks > 0 && isAssumed(descriptor.checks[0]);
}

inline const char *functionName(const keratin_function_desc_t &descriptor) {
  return descriptor.name ? descriptor.name : "";
}

// "input 'x' (net.cc:12)", "output 2".
ShortText tensorText(const char *role, int32_t index, const keratin_tensor_desc_t &tensor);

// "(None, 4)": known sizes as numbers, others by their symbol's name, where they have one.
ShortText signatureText(const keratin_function_desc_t &descriptor,
                        const keratin_tensor_desc_t &tensor);

} // namespace keratin::runtime

#endif // KERATIN_RUNTIME_CORE_DESCRIPTOR_H
