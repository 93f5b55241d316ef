// ldmatrix and mma.sync.
#include "tests/cuda/emulator/Access.h"
#include "tests/cuda/emulator/Formats.h"
#include "tests/cuda/emulator/Handlers.h"
#include "tests/cuda/emulator/Lanes.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace keratin::ptx {

void needWholeWarp(Warp &warp, uint32_t mask) {
  if (mask != ~0u)
    warp.fail(FaultKind::DivergentBarrier, uint32_t(std::countr_zero(mask)),
              "all 32 lanes of a warp are needed, here are " + hex(mask));
}

// Lanes 8 i to 8 i + 7 hold the addresses of the rows of matrix i; lane l gets row l / 4's two
// elements from 2 (l % 4) on.
void loadMatrix(Warp &warp, const Instruction &i, uint32_t mask) {
  const LoadMatrix &use = warp.code().loadMatrices[i.detail];
  needWholeWarp(warp, mask);
  uint32_t count = uint32_t(use.d.size());
  Touch touch;
  touch.space = Space::Shared;
  touch.bytes = 16;
  touch.mask = count == 4 ? ~0u : (1u << (8 * count)) - 1;
  findAddresses(warp, use.access, mask, touch.address);
  if (use.access.space == Space::Generic)
    for (uint64_t &address : touch.address)
      address -= sharedWindow;
  resolve(warp, touch, false);
  countTraffic(warp, touch, false);
  checkLoad(warp, touch, false);
  for (uint32_t m = 0; m < count; ++m) {
    uint16_t rows[8][8];
    for (uint32_t row = 0; row < 8; ++row)
      std::memcpy(rows[row], touch.data[8 * m + row], 16);
    uint32_t *to = warp.lanes<uint32_t>(use.d[m]);
    for (uint32_t l = 0; l < warpLanes; ++l) {
      uint32_t major = l / 4, minor = 2 * (l % 4);
      uint16_t low = use.transposed ? rows[minor][major] : rows[major][minor];
      uint16_t high = use.transposed ? rows[minor + 1][major] : rows[major][minor + 1];
      to[l] = uint32_t(high) << 16 | low;
    }
  }
}

namespace {

// Lane l is at place l % 4 of group l / 4; layouts are those of the PTX manual.
template <class T> using Operands = MatrixOperands<T>;

float half(uint32_t packed, uint32_t index) { return fromHalf(uint16_t(packed >> (16 * index))); }

// What the units take of an f32: its 10 upper bits of fraction.
float asTf32(uint32_t word) { return bits<float>(word & 0xffffe000u); }

void gatherHalves(Warp &warp, const Matrix &use, Operands<float> &to) {
  auto unpack =
      use.shape.type == Type::F16 ? matrixLanes().unpackHalves : matrixLanes().unpackBfloats;
  float parts[2][warpLanes];
  for (uint32_t r = 0; r < use.a.size(); ++r) {
    unpack(warp.lanes<uint32_t>(use.a[r]), parts[0], parts[1]);
    for (uint32_t l = 0; l < warpLanes; ++l)
      for (uint32_t h = 0; h < 2; ++h)
        to.a[l / 4 + 8 * (r & 1)][2 * (l % 4) + h + 8 * (r >> 1)] = parts[h][l];
  }
  for (uint32_t r = 0; r < use.b.size(); ++r) {
    unpack(warp.lanes<uint32_t>(use.b[r]), parts[0], parts[1]);
    for (uint32_t l = 0; l < warpLanes; ++l)
      for (uint32_t h = 0; h < 2; ++h)
        to.b[2 * (l % 4) + h + 8 * r][l / 4] = parts[h][l];
  }
}

void gatherSingles(Warp &warp, const Matrix &use, Operands<float> &to) {
  for (uint32_t l = 0; l < warpLanes; ++l) {
    uint32_t group = l / 4, place = l % 4;
    for (uint32_t r = 0; r < use.a.size(); ++r)
      to.a[group + 8 * (r & 1)][place + 4 * (r >> 1)] = asTf32(warp.lanes<uint32_t>(use.a[r])[l]);
    for (uint32_t r = 0; r < use.b.size(); ++r)
      to.b[place + 4 * r][group] = asTf32(warp.lanes<uint32_t>(use.b[r])[l]);
  }
}

void gatherDoubles(Warp &warp, const Matrix &use, Operands<double> &to) {
  const uint32_t down = use.shape.m / 8;
  for (uint32_t l = 0; l < warpLanes; ++l) {
    uint32_t group = l / 4, place = l % 4;
    for (uint32_t r = 0; r < use.a.size(); ++r)
      to.a[group + 8 * (r % down)][place + 4 * (r / down)] = warp.lanes<double>(use.a[r])[l];
    for (uint32_t r = 0; r < use.b.size(); ++r)
      to.b[place + 4 * r][group] = warp.lanes<double>(use.b[r])[l];
  }
}

// Accumulators: two neighbours of a row in a lane, then two of the row 8 below.
template <class T> void gatherSums(Warp &warp, const Matrix &use, Operands<T> &to) {
  for (uint32_t l = 0; l < warpLanes; ++l)
    for (uint32_t s = 0; s < use.shape.m / 4; ++s) {
      T &sum = to.c[l / 4 + 8 * (s >> 1)][2 * (l % 4) + (s & 1)];
      if (use.shape.accumulator == Type::F16)
        sum = T(half(warp.lanes<uint32_t>(use.c[s >> 1])[l], s & 1));
      else
        sum = warp.lanes<T>(use.c[s])[l];
    }
}

template <class T> void scatterSums(Warp &warp, const Matrix &use, const Operands<T> &from) {
  for (uint32_t l = 0; l < warpLanes; ++l)
    for (uint32_t s = 0; s < use.shape.m / 4; ++s) {
      T sum = from.c[l / 4 + 8 * (s >> 1)][2 * (l % 4) + (s & 1)];
      if (use.shape.accumulator != Type::F16) {
        warp.lanes<T>(use.d[s])[l] = sum;
        continue;
      }
      uint32_t &packed = warp.lanes<uint32_t>(use.d[s >> 1])[l];
      uint32_t shift = 16 * (s & 1);
      packed = (packed & ~(0xffffu << shift)) | uint32_t(toHalf(float(sum))) << shift;
    }
}

void multiplyDoubles(Operands<double> &on, const MatrixShape &shape, bool permuted) {
  for (uint32_t row = 0; row < shape.m; ++row)
    for (uint32_t step = 0; step < shape.k; ++step)
      for (uint32_t column = 0; column < 8; ++column) {
        uint32_t k = permuted ? shape.k - 1 - step : step;
        on.c[row][column] = std::fma(on.a[row][k], on.b[k][column], on.c[row][column]);
      }
}

} // namespace

void multiplyMatrix(Warp &warp, const Instruction &i, uint32_t mask) {
  const Matrix &use = warp.code().matrices[i.detail];
  needWholeWarp(warp, mask);
  bool permuted = warp.grid->options.permuteMatrix;
  if (use.shape.type == Type::F64) {
    Operands<double> operands;
    gatherDoubles(warp, use, operands);
    gatherSums(warp, use, operands);
    multiplyDoubles(operands, use.shape, permuted);
    return scatterSums(warp, use, operands);
  }
  Operands<float> operands;
  if (use.shape.type == Type::TF32)
    gatherSingles(warp, use, operands);
  else
    gatherHalves(warp, use, operands);
  gatherSums(warp, use, operands);
  matrixLanes().multiply(operands, use.shape.m, use.shape.k, permuted);
  scatterSums(warp, use, operands);
}

} // namespace keratin::ptx
