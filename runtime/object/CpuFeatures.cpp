#include "runtime/object/CpuFeatures.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace keratin::runtime {

namespace {

enum Register : uint8_t { EAX, EBX, ECX, EDX };
// What the operating system must save at a task switch for the feature to work.
enum State : uint8_t { Any, Ymm, Zmm };

struct Feature {
  const char *name;
  uint32_t leaf, subleaf;
  Register where;
  uint8_t bit;
  State state;
};

// Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2A, CPUID. New ones go to
// the end.
constexpr Feature features[] = {
    {"sse3", 1, 0, ECX, 0, Any},          {"ssse3", 1, 0, ECX, 9, Any},
    {"fma", 1, 0, ECX, 12, Ymm},          {"cx16", 1, 0, ECX, 13, Any},
    {"sse4.1", 1, 0, ECX, 19, Any},       {"sse4.2", 1, 0, ECX, 20, Any},
    {"movbe", 1, 0, ECX, 22, Any},        {"popcnt", 1, 0, ECX, 23, Any},
    {"avx", 1, 0, ECX, 28, Ymm},          {"f16c", 1, 0, ECX, 29, Ymm},
    {"sahf", 0x80000001, 0, ECX, 0, Any}, {"lzcnt", 0x80000001, 0, ECX, 5, Any},
    {"bmi", 7, 0, EBX, 3, Any},           {"avx2", 7, 0, EBX, 5, Ymm},
    {"bmi2", 7, 0, EBX, 8, Any},          {"avx512f", 7, 0, EBX, 16, Zmm},
    {"avx512dq", 7, 0, EBX, 17, Zmm},     {"adx", 7, 0, EBX, 19, Any},
    {"avx512ifma", 7, 0, EBX, 21, Zmm},   {"avx512cd", 7, 0, EBX, 28, Zmm},
    {"avx512bw", 7, 0, EBX, 30, Zmm},     {"avx512vl", 7, 0, EBX, 31, Zmm},
    {"avx512vbmi", 7, 0, ECX, 1, Zmm},    {"avx512vbmi2", 7, 0, ECX, 6, Zmm},
    {"gfni", 7, 0, ECX, 8, Any},          {"avx512vnni", 7, 0, ECX, 11, Zmm},
    {"avx512bitalg", 7, 0, ECX, 12, Zmm}, {"avx512vpopcntdq", 7, 0, ECX, 14, Zmm},
    {"avx512fp16", 7, 0, EDX, 23, Zmm},   {"avxvnni", 7, 1, EAX, 4, Ymm},
    {"avx512bf16", 7, 1, EAX, 5, Zmm},
};
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
    return Any;
  uint32_t low, high;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (low & 0xE6) == 0xE6 ? Zmm : (low & 0x6) == 0x6 ? Ymm : Any;
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
