// keratin_context_t::print, and keratin_print and keratin_format of the public API.
#ifndef KERATIN_RUNTIME_CORE_PRINT_H
#define KERATIN_RUNTIME_CORE_PRINT_H

#include "runtime/include/keratin/runtime.h"

namespace keratin::runtime {

void printFromKernel(keratin_context_t *context, const char *message, int32_t dtype, int32_t rank,
                     const int64_t *dims, const void *data);

} // namespace keratin::runtime

#endif // KERATIN_RUNTIME_CORE_PRINT_H
