#include "runtime/object/CpuFeatures.h"

#include "runtime/abi/keratin_cpu_features.h"
#include "runtime/abi/keratin_cpu_tiles.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace keratin::runtime {

namespace {

enum Register : uint8_t { EAX, EBX, ECX, EDX };
// As bits of XCR0.
enum State : uint32_t { ANY = 0, YMM = 0x6, ZMM = 0xE6, TILES = 0x60000 };

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
static uint32_t savedStates() {
  unsigned registers[4];
  constexpr unsigned osxsave = 1u << 27;
  if (!__get_cpuid(1, &registers[0], &registers[1], &registers[2], &registers[3]) ||
      !(registers[ECX] & osxsave))
    return ANY;
  uint32_t low, high;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

CpuFeatureSet hostCpuFeatures() {
  CpuFeatureSet found;
  const uint32_t saved = savedStates();
  int mayUseTiles = -1; // not asked yet
  for (int i = 0; i < numFeatures; ++i) {
    const Feature &feature = features[i];
    unsigned registers[4];
    if ((feature.state & ~saved) != 0 ||
        !__get_cpuid_count(feature.leaf, feature.subleaf, &registers[0], &registers[1],
                           &registers[2], &registers[3]) ||
        !(registers[feature.where] >> feature.bit & 1))
      continue;
    if (feature.state == TILES && mayUseTiles < 0)
      mayUseTiles = keratin_cpu_request_tiles();
    if (feature.state != TILES || mayUseTiles)
      found.add(i);
  }
  return found;
}
#else
CpuFeatureSet hostCpuFeatures() { return {}; }
#endif

} // namespace keratin::runtime
