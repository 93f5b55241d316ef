// Where the time of calls goes, into memory that keratin_profile_start was given.
#ifndef KERATIN_RUNTIME_CORE_PROFILE_H
#define KERATIN_RUNTIME_CORE_PROFILE_H

#include "runtime/include/keratin/runtime.h"

#include <atomic>

namespace keratin::runtime {

// Of the recording that is being made; 0: none.
extern std::atomic<uint64_t> recordingNumber;
inline bool isProfiling() { return recordingNumber.load(std::memory_order_acquire) != 0; }

// The entry function, recorded: what it tells of its kernels by noteKernel(), which stands in the
// context's table, and, if it is all of the call, the call.
void runProfiled(const keratin_function_desc_t &descriptor, keratin_context_t &context,
                 void *const *buffers, const int64_t *sizes, bool isWholeCall);
// A kernel that ran, or for -1 a call.
void recordKernel(const keratin_function_desc_t &descriptor, int32_t kernel, int64_t begin,
                  int64_t end);

// keratin_runtime_functions_t::profile, in a call that runProfiled() makes.
void noteKernel(keratin_context_t *context, int32_t kernel, int32_t end);

// Nanoseconds.
int64_t profileClock();

// A chunk of the kernel that runs: units [begin, end), since `start`. Precondition:
// context.profiled.
void recordChunk(const keratin_context_t &context, int64_t start, int64_t begin, int64_t end);

} // namespace keratin::runtime

#endif // KERATIN_RUNTIME_CORE_PROFILE_H
