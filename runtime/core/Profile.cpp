#include "runtime/core/Profile.h"

#include "runtime/core/Status.h"

#include <time.h>

namespace keratin::runtime {

constinit std::atomic<uint64_t> recordingNumber{0};

namespace {

// Slots that a thread takes at once, so that threads seldom meet.
constexpr int64_t blockSlots = 64;

// What is being recorded, and where.
struct Recording {
  uint64_t last = 0; // its number
  keratin_profile_event_t *events = nullptr;
  int64_t capacity = 0;
  std::atomic<int64_t> next{0}; // the first slot that no thread has taken
  std::atomic<int64_t> dropped{0};
  std::atomic<int32_t> threads{0};
};

// A thread's part in the recording of that number.
struct Part {
  uint64_t number = 0;
  int32_t thread = 0;
  int64_t next = 0, end = 0; // its slots
};

// What context.profiled points at: the kernel that the call is in.
struct ProfiledCall {
  const keratin_function_desc_t *function;
  int32_t kernel;
  int64_t begin;
};

constinit Recording recording;
constinit thread_local Part part;

void record(keratin_profile_event_t event) {
  uint64_t number = recordingNumber.load(std::memory_order_acquire);
  if (number == 0)
    return;
  if (part.number != number)
    part = {number, recording.threads.fetch_add(1, std::memory_order_relaxed), 0, 0};
  if (part.next == part.end) {
    int64_t first = recording.next.load(std::memory_order_relaxed), count;
    do {
      count = recording.capacity - first;
      if (count <= 0) {
        recording.dropped.fetch_add(1, std::memory_order_relaxed);
        return;
      }
      count = count < blockSlots ? count : blockSlots;
    } while (
        !recording.next.compare_exchange_weak(first, first + count, std::memory_order_relaxed));
    part.next = first;
    part.end = first + count;
    for (int64_t i = first; i < part.end; ++i)
      recording.events[i].function = nullptr; // nothing there yet
  }
  event.thread = part.thread;
  recording.events[part.next++] = event;
}

} // namespace

void noteKernel(keratin_context_t *context, int32_t kernel, int32_t end) {
  auto &call = *static_cast<ProfiledCall *>(context->profiled);
  if (!end) {
    call.kernel = kernel;
    call.begin = profileClock();
    return;
  }
  record({call.function, kernel, 0, call.begin, profileClock(), -1, -1});
  call.kernel = -1;
}

int64_t profileClock() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

void runProfiled(const keratin_function_desc_t &descriptor, keratin_context_t &context,
                 void *const *buffers, const int64_t *sizes, bool isWholeCall) {
  ProfiledCall call = {&descriptor, -1, 0};
  // Functions that do not tell of their kernels need not be asked about chunks either.
  if (descriptor.num_kernels > 0)
    context.profiled = &call;
  int64_t begin = profileClock();
  descriptor.entry(&context, buffers, sizes);
  if (isWholeCall)
    recordKernel(descriptor, -1, begin, profileClock());
}

void recordKernel(const keratin_function_desc_t &descriptor, int32_t kernel, int64_t begin,
                  int64_t end) {
  record({&descriptor, kernel, 0, begin, end, -1, -1});
}

void recordChunk(const keratin_context_t &context, int64_t start, int64_t begin, int64_t end) {
  const auto &call = *static_cast<const ProfiledCall *>(context.profiled);
  record({call.function, call.kernel, 0, start, profileClock(), begin, end});
}

} // namespace keratin::runtime

using namespace keratin::runtime;

extern "C" keratin_status_code_t keratin_profile_start(keratin_profile_event_t *events,
                                                       int64_t capacity, keratin_status_t *status) {
  if (capacity < 0 || (capacity && !events))
    return fail(status, KERATIN_INVALID_ARGUMENT, "profile: no memory for events is given");
  if (isProfiling())
    return fail(status, KERATIN_FAILED_PRECONDITION, "profile: one is being recorded");
  recording.events = events;
  recording.capacity = capacity;
  recording.next.store(0);
  recording.dropped.store(0);
  recording.threads.store(0);
  recordingNumber.store(++recording.last);
  return succeed(status);
}

extern "C" int64_t keratin_profile_stop(int64_t *dropped) {
  if (dropped)
    *dropped = 0;
  if (!isProfiling())
    return 0;
  recordingNumber.store(0);
  if (dropped)
    *dropped = recording.dropped.load();
  // Threads may have left slots of theirs empty.
  int64_t count = 0, taken = recording.next.load();
  for (int64_t i = 0; i < taken; ++i)
    if (recording.events[i].function)
      recording.events[count++] = recording.events[i];
  return count;
}
