// Multiplies on tiles. What executes them is none of its business.
#include "runtime/abi/keratin_cpu_tiles.h"

#include <immintrin.h>
#include <stdint.h>

__attribute__((target("amx-tile,amx-bf16"))) int main() {
  keratin_cpu_request_tiles();
  uint8_t config[64] = {1};
  for (int tile = 0; tile < 3; ++tile) {
    config[16 + 2 * tile] = 4;
    config[48 + tile] = 1;
  }
  const uint32_t two = 0x40004000, three = 0x40404040; // pairs
  float result = 0;
  _tile_loadconfig(config);
  _tile_zero(0);
  _tile_loadd(1, &two, 4);
  _tile_stream_loadd(2, &three, 4);
  _tile_dpbf16ps(0, 1, 2);
  _tile_dpbf16ps(0, 1, 2);
  _tile_stored(0, &result, 4);
  _tile_release();
  return result == 24 ? 0 : 1;
}
