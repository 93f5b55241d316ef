// Products of small matrices. Compiled twice: KERATIN_LANES names the functions.
#include "tests/cuda/emulator/Formats.h"
#include "tests/cuda/emulator/LaneLoops.h"

namespace keratin::ptx {
namespace {

void unpackHalves(const uint32_t *packed, float *low, float *high) {
  KERATIN_LANE_LOOP
  for (int l = 0; l < laneCount; ++l) {
    low[l] = fromHalf(u16(packed[l]));
    high[l] = fromHalf(u16(packed[l] >> 16));
  }
}

void unpackBfloats(const uint32_t *packed, float *low, float *high) {
  KERATIN_LANE_LOOP
  for (int l = 0; l < laneCount; ++l) {
    low[l] = bits<float>(packed[l] << 16);
    high[l] = bits<float>(packed[l] & 0xffff0000u);
  }
}

// The products are exact in f32, so that each step rounds once. The order of a sum is not
// specified: from the first product on, or from the last.
void multiply(MatrixOperands<float> &on, int m, int k, bool permuted) {
  for (int row = 0; row < m; ++row) {
    float sums[8];
    for (int column = 0; column < 8; ++column)
      sums[column] = on.c[row][column];
    for (int step = 0; step < k; ++step) {
      int at = permuted ? k - 1 - step : step;
      float a = on.a[row][at];
      KERATIN_LANE_LOOP
      for (int column = 0; column < 8; ++column)
        sums[column] += a * on.b[at][column];
    }
    for (int column = 0; column < 8; ++column)
      on.c[row][column] = sums[column];
  }
}

} // namespace

MatrixLanes KERATIN_LANES() { return {unpackHalves, unpackBfloats, multiply}; }

} // namespace keratin::ptx
