// A target and its device, as plain as they can be, to hold the seam between targets, devices and
// everything else to its word: whatever runs on them runs by their interfaces alone.
//
// The target compiles kernels to scalar code, an image of its own. The device has memory that the
// host cannot touch, runs a chunk of units at a time, and does nothing before it must: work waits
// in its queue until somebody waits for it. It counts what it is asked for.
#ifndef KERATIN_TESTS_SUPPORT_PLAINTARGET_H
#define KERATIN_TESTS_SUPPORT_PLAINTARGET_H

#include <cstdint>

namespace keratin::tests {

inline constexpr const char *plainTarget = "plain";

// Makes target and device known, once.
void registerPlainTarget();

// What the device was asked for since the start of the process.
struct PlainDeviceCounts {
  int64_t copiesIn = 0, bytesIn = 0;
  int64_t copiesOut = 0, bytesOut = 0;
  int64_t copiesWithin = 0;
  int64_t launches = 0;
  int64_t waits = 0;
  int64_t allocations = 0;
};
PlainDeviceCounts plainDeviceCounts();

} // namespace keratin::tests

#endif // KERATIN_TESTS_SUPPORT_PLAINTARGET_H
