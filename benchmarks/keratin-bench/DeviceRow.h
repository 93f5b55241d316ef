// What a function does on a CUDA device: what an emulator counts in a call, and what the assembler
// says of its kernels.
#ifndef KERATIN_BENCHMARKS_DEVICEROW_H
#define KERATIN_BENCHMARKS_DEVICEROW_H

#include "benchmarks/keratin-bench/InnerLoops.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace keratin::bench {

struct MemoryTraffic {
  double units = 0, idealUnits = 0; // sectors of 32 bytes, or wavefronts
  double onceUnits = 0;             // sectors, each once a launch
  double overIdeal() const { return idealUnits > 0 ? units / idealUnits : 1; }
};

// One kernel over all its launches of a call.
struct DeviceKernelRow {
  std::string name;
  double launches = 0, blocks = 0, warpInstructions = 0, threadInstructions = 0;
  double floatProducts = 0, matrixProducts = 0; // instructions of warps
  MemoryTraffic global, shared;
  int64_t blockThreads = 0, sharedBytes = 0;
  std::optional<int64_t> registers, spillBytes; // none without ptxas
  std::optional<double> occupancy;
  InnerLoop ptxLoop;
  std::optional<InnerLoop> sassLoop; // none without nvdisasm

  double seconds() const; // by the roofline
};

struct DeviceRow {
  std::string name, caseName;
  double elements = 0;   // that are read, or that are written, whichever are more
  double leastBytes = 0; // of inputs, variables, outputs and new values, each once
  double launches = 0, copiesIn = 0, copiesOut = 0;
  std::vector<DeviceKernelRow> kernels;

  double movedBytes() const; // in sectors
  // The same, if caches hold what a launch has touched until its end.
  double cachedBytes() const;
  double sectorsOverIdeal() const;
  double wavefrontsOverIdeal() const;
  double instructionsPerElement() const; // of threads
  // The one with most instructions.
  const DeviceKernelRow &heaviest() const;
  // By the roofline: of all kernels as they are; of one that moves the least and does nothing but
  // their products.
  double seconds() const;
  double floorSeconds() const;
};

} // namespace keratin::bench

#endif // KERATIN_BENCHMARKS_DEVICEROW_H
