// keratin-bench --device=cuda: how long functions take on a CUDA device.
#ifndef KERATIN_BENCHMARKS_DEVICETIMES_H
#define KERATIN_BENCHMARKS_DEVICETIMES_H

#include "benchmarks/keratin-bench/DeviceCases.h"

#include <optional>
#include <string>
#include <vector>

namespace keratin::bench {

struct DeviceTimesOptions {
  std::string device;             // "cuda", "cuda:1", …
  std::string target = "cuda";    // what is compiled for
  std::vector<std::string> names; // of rows; empty: all
  std::string cases;              // part of the names of those that are timed
  bool json = false;
  int batches = 0;        // readings of a case at most; 0: as many as fit into `seconds`
  double seconds = 0.3;   // of calls that are timed, for a case
  int64_t scale = 1;      // sizes are divided by it
  int limitSeconds = 120; // a case that takes longer is given up
  // Of all cases in float32; none: as each case says.
  std::optional<codegen::Float32Products> float32Products;
};

// A line for each case, as soon as it is there. What ends the process, or takes too long, is left
// out: cases run in processes of their own, in which the next one begins behind it. Returns how
// many cases failed.
int runDeviceTimes(const DeviceTimesOptions &options);

} // namespace keratin::bench

#endif // KERATIN_BENCHMARKS_DEVICETIMES_H
