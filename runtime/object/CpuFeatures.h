// Which of the instruction sets in abi/keratin_cpu_features.h the processor has.
#ifndef KERATIN_RUNTIME_OBJECT_CPUFEATURES_H
#define KERATIN_RUNTIME_OBJECT_CPUFEATURES_H

#include <stdint.h>

namespace keratin::runtime {

struct CpuFeatureSet {
  uint64_t bits[2] = {0, 0};

  void add(int number) { bits[number / 64] |= uint64_t(1) << (number % 64); }
  bool has(int number) const { return bits[number / 64] >> (number % 64) & 1; }
};

// Null past the last one.
const char *cpuFeatureName(int number);

// Those of the processor we run on that the operating system supports too.
CpuFeatureSet hostCpuFeatures();

} // namespace keratin::runtime

#endif // KERATIN_RUNTIME_OBJECT_CPUFEATURES_H
