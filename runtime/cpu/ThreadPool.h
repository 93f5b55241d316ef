// Fork-join parallelism for kernels.
//
// A region's chunks follow from units and grain alone; which thread runs a chunk, and how many
// chunks one call of the kernel is given, varies, so a kernel must not care. The calling thread
// works too and never waits for a thread that has not begun: chunks nobody has claimed are its own.
// Regions inside a region, and regions begun while another thread holds the pool, run on the
// calling thread, in one call.
#ifndef KERATIN_RUNTIME_CPU_THREADPOOL_H
#define KERATIN_RUNTIME_CPU_THREADPOOL_H

#include "runtime/include/keratin/runtime.h"

namespace keratin::runtime {

// keratin_context_t::parallel_for: on the host's pool if there is one, else on the runtime's.
void parallelFor(keratin_context_t *context, keratin_kernel_fn_t kernel, const int64_t *argv,
                 int64_t units, int64_t grain);

// Who may begin regions. When the last user goes, the pool's threads end, so that the code that
// they run may be unloaded; the next region starts them again.
void addPoolUser();
void removePoolUser();

} // namespace keratin::runtime

#endif // KERATIN_RUNTIME_CPU_THREADPOOL_H
