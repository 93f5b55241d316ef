#include "runtime/object/CpuFeatures.h"

#include "runtime/abi/keratin_cpu_features.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace keratin::runtime {

namespace {

enum Register : uint8_t { EAX, EBX, ECX, EDX };
enum State : uint8_t { ANY, YMM, ZMM };

struct Feature {
  const char *name;
  uint32_t leaf, subleaf;
  Register where;
  uint8_t bit;
  State state;
};

#define FEATURE(number, name, leaf, subleaf, where, bit, state)                                    \
  {name, leaf, subleaf, where, bit, state},
constexpr Feature features[] = {KERATIN_CPU_FEATURES(FEATURE)};
#undef FEATURE
constexpr int numFeatures = sizeof(features) / sizeof(features[0]);
static_assert(numFeatures <= 128, "more than a CpuFeatureSet holds");

} // namespace

const char *cpuFeatureName(int number) {
  return number >= 0 && number < numFeatures ? features[number].name : nullptr;
}

#if defined(__x86_64__)
// The states that XCR0 says the operating system saves.
static State savedState() {
  unsigned registers[4];
  constexpr unsigned osxsave = 1u << 27;
  if (!__get_cpuid(1, &registers[0], &registers[1], &registers[2], &registers[3]) ||
      !(registers[ECX] & osxsave))
    return ANY;
  uint32_t low, high;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (low & 0xE6) == 0xE6 ? ZMM : (low & 0x6) == 0x6 ? YMM : ANY;
}

CpuFeatureSet hostCpuFeatures() {
  CpuFeatureSet found;
  State saved = savedState();
  for (int i = 0; i < numFeatures; ++i) {
    const Feature &feature = features[i];
    unsigned registers[4];
    if (feature.state <= saved &&
        __get_cpuid_count(feature.leaf, feature.subleaf, &registers[0], &registers[1],
                          &registers[2], &registers[3]) &&
        (registers[feature.where] >> feature.bit & 1))
      found.add(i);
  }
  return found;
}
#else
CpuFeatureSet hostCpuFeatures() { return {}; }
#endif

} // namespace keratin::runtime
