// Products of AVX-VNNI in the vector registers that a signal has interrupted.
#ifndef KERATIN_TESTS_SUPPORT_AMX_VECTORS_H
#define KERATIN_TESTS_SUPPORT_AMX_VECTORS_H

#include "tests/support/amx/Instruction.h"

#include <ucontext.h>

namespace keratin::tests::amx {

// Called in signal handlers: nothing here allocates, locks or throws.
void multiplyVectors(const Instruction &instruction, mcontext_t &state);

} // namespace keratin::tests::amx

#endif // KERATIN_TESTS_SUPPORT_AMX_VECTORS_H
