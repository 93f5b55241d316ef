// The tile registers of AMX (palette 1) and what its instructions do to them. Source: Intel 64 and
// IA-32 Architectures Software Developer's Manual, volume 1 chapter 18 (helpers) and volume 2, the
// "Operation" of each instruction and section 2.10 (what it refuses).
//
// Called in signal handlers: nothing here allocates, locks or throws.
#ifndef KERATIN_TESTS_SUPPORT_AMX_TILES_H
#define KERATIN_TESTS_SUPPORT_AMX_TILES_H

#include <stdint.h>

namespace keratin::tests::amx {

constexpr int numTiles = 8, maxRows = 16, rowWords = 16, rowBytes = 64;

// What the signs of the bytes in an int8 product are.
enum class Signs { BothSigned, SignedUnsigned, UnsignedSigned, BothUnsigned };

// Functions that can fail return why, or null. Memory is read and written as by any code: who may
// not gets its SIGSEGV.
class Tiles {
public:
  const char *loadConfig(const void *memory);
  void storeConfig(void *memory) const;
  void release();
  const char *zero(int tile);
  const char *load(int tile, const char *memory, int64_t stride);
  const char *store(int tile, char *memory, int64_t stride);
  // dest += first * second: bfloat16 pairs into float, and groups of four bytes into int32.
  const char *multiplyBFloat16(int dest, int first, int second);
  const char *multiplyBytes(int dest, int first, int second, Signs signs);

private:
  // One row for each k: `sums` holds what a row of the result is to become.
  template <typename Row> const char *multiply(int dest, int first, int second, Row row);
  const char *whyNot(int tile) const;
  const char *whyNotMoved(int tile) const;
  const char *whyNotMultiplied(int dest, int first, int second) const;

  uint8_t palette, startRow;
  uint8_t rows[numTiles];
  uint16_t columnBytes[numTiles];
  alignas(rowBytes) uint32_t data[numTiles][maxRows][rowWords];
};

} // namespace keratin::tests::amx

#endif // KERATIN_TESTS_SUPPORT_AMX_TILES_H
