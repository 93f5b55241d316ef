// Code that assumes sizes to be equal, and the code for calls where they are not.
#ifndef KERATIN_RUNTIME_CORE_GENERALCODE_H
#define KERATIN_RUNTIME_CORE_GENERALCODE_H

#include "runtime/core/CallPlan.h"

namespace keratin::runtime {

// False where the dims of the inputs say that what the code assumes does not hold. Looks at no
// sizes that must be computed first: these the plan of a call finds out.
bool mayServe(const keratin_function_desc_t &descriptor, const CallArguments &arguments);

// Lets the code that is for the sizes of the call do it: `call` takes an executable. Nothing is
// done of a call before KERATIN_SIZES_DIFFER.
template <typename Call>
Code withCodeFor(keratin_executable_t &executable, const CallArguments &arguments, Call call) {
  keratin_executable_t *general = executable.general.load(std::memory_order_acquire);
  if (!general) [[likely]]
    return call(executable);
  if (mayServe(executable.descriptor, arguments))
    if (Code code = call(executable); code != KERATIN_SIZES_DIFFER)
      return code;
  return call(*general);
}

} // namespace keratin::runtime

#endif // KERATIN_RUNTIME_CORE_GENERALCODE_H
