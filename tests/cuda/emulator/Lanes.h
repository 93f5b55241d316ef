// The arithmetic of PTX over 32 lanes.
#pragma once

#include "tests/cuda/emulator/Code.h"

#include <cstddef>
#include <string_view>

namespace keratin::ptx {

// Names are mnemonics without what does not change the result: "add.u32", "fma.rn.ftz.f32",
// "setp.lt.s32".
struct LaneEntry {
  const char *name;
  LaneFunction function;
};
struct LaneTable {
  const LaneEntry *entries;
  size_t count;
};

// What the addresses of 32 lanes have in common.
struct AddressScan {
  uint64_t least, greatest, combined; // combined: or-ed
  uint32_t leaders;                   // lanes whose address is not the one of the lane before
  bool contiguous;                    // each lane's bytes follow those of the lane before
};
struct AddressLanes {
  void (*scan)(const uint64_t *address, uint32_t bytes, AddressScan &scan);
  void (*gatherWords)(uint32_t *to, const void *memory, const uint64_t *address, uint64_t first);
};

// A is m x k, B is k x 8, C is m x 8.
template <class T> struct MatrixOperands {
  T a[16][16], b[16][8], c[16][8];
};
struct MatrixLanes {
  void (*unpackHalves)(const uint32_t *packed, float *low, float *high);
  void (*unpackBfloats)(const uint32_t *packed, float *low, float *high);
  void (*multiply)(MatrixOperands<float> &on, int m, int k, bool permuted);
};

// The same source, compiled for every processor and for those with AVX2, FMA and BMI.
LaneTable plainIntegerLanes();
LaneTable plainFloatLanes();
LaneTable wideIntegerLanes();
LaneTable wideFloatLanes();
AddressLanes plainAddressLanes();
AddressLanes wideAddressLanes();
MatrixLanes plainMatrixLanes();
MatrixLanes wideMatrixLanes();
// Roundings other than to nearest, and approximations.
LaneTable directedLanes();
LaneTable approximateLanes();

// Null: there is none of that name.
LaneFunction findLanes(std::string_view name);

const AddressLanes &addressLanes();
const MatrixLanes &matrixLanes();

// For tests: take the code for every processor. Holds for modules parsed afterwards.
void useWideLanes(bool wide);

} // namespace keratin::ptx
