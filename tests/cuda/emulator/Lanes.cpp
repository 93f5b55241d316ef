#include "tests/cuda/emulator/Lanes.h"

#include <atomic>
#include <string>
#include <unordered_map>

namespace keratin::ptx {

namespace {
bool hostIsWide() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi2");
#else
  return false;
#endif
}

using Names = std::unordered_map<std::string_view, LaneFunction>;

Names collect(bool wide) {
  Names names;
  for (const LaneTable &table :
       {wide ? wideIntegerLanes() : plainIntegerLanes(),
        wide ? wideFloatLanes() : plainFloatLanes(), directedLanes(), approximateLanes()})
    for (size_t i = 0; i < table.count; ++i)
      names.emplace(table.entries[i].name, table.entries[i].function);
  return names;
}

std::atomic<bool> wideWanted{true};
} // namespace

void useWideLanes(bool wide) { wideWanted = wide; }

const AddressLanes &addressLanes() {
  static const AddressLanes best = hostIsWide() ? wideAddressLanes() : plainAddressLanes();
  return best;
}

const MatrixLanes &matrixLanes() {
  static const MatrixLanes best = hostIsWide() ? wideMatrixLanes() : plainMatrixLanes();
  return best;
}

LaneFunction findLanes(std::string_view name) {
  static const Names plain = collect(false), wide = collect(hostIsWide());
  const Names &names = wideWanted ? wide : plain;
  auto found = names.find(name);
  return found == names.end() ? nullptr : found->second;
}

} // namespace keratin::ptx
