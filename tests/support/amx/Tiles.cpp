#include "tests/support/amx/Tiles.h"

#include <immintrin.h>
#include <initializer_list>
#include <string.h>

using namespace keratin::tests::amx;

//===-- Configuration ----------------------------------------------------------------------------//

namespace {
struct ConfigImage {
  uint8_t palette, startRow, reserved[14];
  uint16_t columnBytes[16];
  uint8_t rows[16];
};
static_assert(sizeof(ConfigImage) == 64);

bool isZero(const void *memory, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i)
    if (static_cast<const char *>(memory)[i])
      return false;
  return true;
}
} // namespace

const char *Tiles::loadConfig(const void *memory) {
  ConfigImage image;
  memcpy(&image, memory, sizeof(image));
  if (image.palette > 1)
    return "there are the palettes 0 and 1";
  if (image.palette == 0) {
    release();
    return nullptr;
  }
  if (!isZero(image.reserved, sizeof(image.reserved)) ||
      !isZero(image.columnBytes + numTiles, numTiles * sizeof(image.columnBytes[0])) ||
      !isZero(image.rows + numTiles, numTiles * sizeof(image.rows[0])))
    return "reserved bytes are not zero";
  for (int tile = 0; tile < numTiles; ++tile) {
    if (image.columnBytes[tile] > rowBytes)
      return "a row has more than 64 bytes";
    if (image.rows[tile] > maxRows)
      return "a tile has more than 16 rows";
    if (!image.columnBytes[tile] != !image.rows[tile])
      return "a tile has either rows or columns";
  }
  release();
  palette = 1;
  startRow = image.startRow;
  memcpy(columnBytes, image.columnBytes, sizeof(columnBytes));
  memcpy(rows, image.rows, sizeof(rows));
  return nullptr;
}

void Tiles::storeConfig(void *memory) const {
  ConfigImage image = {};
  image.palette = palette;
  image.startRow = startRow;
  memcpy(image.columnBytes, columnBytes, sizeof(columnBytes));
  memcpy(image.rows, rows, sizeof(rows));
  memcpy(memory, &image, sizeof(image));
}

void Tiles::release() { memset(this, 0, sizeof(*this)); }

//===-- What is refused --------------------------------------------------------------------------//

const char *Tiles::whyNot(int tile) const {
  if (!palette)
    return "no tiles are configured";
  return rows[tile] ? nullptr : "the tile is not configured";
}

const char *Tiles::whyNotMoved(int tile) const {
  if (const char *why = whyNot(tile))
    return why;
  if (columnBytes[tile] % 4)
    return "a row is no whole number of words";
  return startRow < rows[tile] ? nullptr : "the tile ends before the row to start with";
}

const char *Tiles::whyNotMultiplied(int dest, int first, int second) const {
  if (dest == first || dest == second || first == second)
    return "a tile is there twice";
  for (int tile : {dest, first, second}) {
    if (const char *why = whyNot(tile))
      return why;
    if (columnBytes[tile] % 4)
      return "a row is no whole number of words";
  }
  if (rows[dest] != rows[first])
    return "the result and the first factor have different rows";
  if (columnBytes[dest] != columnBytes[second])
    return "the result and the second factor have different columns";
  if (columnBytes[first] / 4 != rows[second])
    return "the first factor's columns are not the second one's rows";
  return nullptr;
}

//===-- Moves ------------------------------------------------------------------------------------//

const char *Tiles::zero(int tile) {
  if (const char *why = whyNot(tile))
    return why;
  memset(data[tile], 0, sizeof(data[tile]));
  startRow = 0;
  return nullptr;
}

const char *Tiles::load(int tile, const char *memory, int64_t stride) {
  if (const char *why = whyNotMoved(tile))
    return why;
  memset(data[tile][startRow], 0, size_t(maxRows - startRow) * rowBytes);
  for (int row = startRow; row < rows[tile]; ++row)
    memcpy(data[tile][row], memory + row * stride, columnBytes[tile]);
  startRow = 0;
  return nullptr;
}

const char *Tiles::store(int tile, char *memory, int64_t stride) {
  if (const char *why = whyNotMoved(tile))
    return why;
  for (int row = startRow; row < rows[tile]; ++row)
    memcpy(memory + row * stride, data[tile][row], columnBytes[tile]);
  startRow = 0;
  return nullptr;
}

//===-- Products ---------------------------------------------------------------------------------//

template <typename Row> const char *Tiles::multiply(int dest, int first, int second, Row row) {
  if (const char *why = whyNotMultiplied(dest, first, second))
    return why;
  for (int m = 0; m < rows[dest]; ++m) {
    row(data[dest][m], data[first][m], data[second], rows[second]);
    char *bytes = reinterpret_cast<char *>(data[dest][m]);
    memset(bytes + columnBytes[dest], 0, rowBytes - columnBytes[dest]);
  }
  memset(data[dest][rows[dest]], 0, size_t(maxRows - rows[dest]) * rowBytes);
  startRow = 0;
  return nullptr;
}

static float lowHalf(uint32_t pair) { return __builtin_bit_cast(float, pair << 16); }
static float highHalf(uint32_t pair) { return __builtin_bit_cast(float, pair & 0xFFFF0000); }

// Not inlined, so that it stays between the changes of MXCSR.
__attribute__((noinline, target("avx2,fma"))) static void
multiplyRowBFloat16(uint32_t *dest, const uint32_t *first, const uint32_t (*second)[rowWords],
                    int numPairs) {
  float even[rowWords] = {}, odd[rowWords] = {};
  for (int k = 0; k < numPairs; ++k)
    for (int n = 0; n < rowWords; ++n) {
      even[n] = __builtin_fmaf(lowHalf(first[k]), lowHalf(second[k][n]), even[n]);
      odd[n] = __builtin_fmaf(highHalf(first[k]), highHalf(second[k][n]), odd[n]);
    }
  for (int n = 0; n < rowWords; ++n)
    dest[n] = __builtin_bit_cast(uint32_t, __builtin_bit_cast(float, dest[n]) + (even[n] + odd[n]));
}

const char *Tiles::multiplyBFloat16(int dest, int first, int second) {
  // No exceptions, to nearest even, denormals are zeros going in and coming out.
  constexpr unsigned masked = 0x1F80, denormalsAreZero = 0x40, flushToZero = 0x8000;
  const unsigned before = _mm_getcsr();
  _mm_setcsr(masked | denormalsAreZero | flushToZero);
  const char *why = multiply(dest, first, second, multiplyRowBFloat16);
  _mm_setcsr(before);
  return why;
}

template <typename A, typename B>
static void multiplyRowBytes(uint32_t *dest, const uint32_t *first,
                             const uint32_t (*second)[rowWords], int numGroups) {
  for (int k = 0; k < numGroups; ++k)
    for (int n = 0; n < rowWords; ++n)
      for (int shift = 0; shift < 32; shift += 8)
        dest[n] += uint32_t(int32_t(A(first[k] >> shift)) * int32_t(B(second[k][n] >> shift)));
}

const char *Tiles::multiplyBytes(int dest, int first, int second, Signs signs) {
  switch (signs) {
  case Signs::BothSigned:
    return multiply(dest, first, second, multiplyRowBytes<int8_t, int8_t>);
  case Signs::SignedUnsigned:
    return multiply(dest, first, second, multiplyRowBytes<int8_t, uint8_t>);
  case Signs::UnsignedSigned:
    return multiply(dest, first, second, multiplyRowBytes<uint8_t, int8_t>);
  case Signs::BothUnsigned:
    return multiply(dest, first, second, multiplyRowBytes<uint8_t, uint8_t>);
  }
  __builtin_unreachable();
}
