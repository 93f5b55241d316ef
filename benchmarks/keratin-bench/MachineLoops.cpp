#include "benchmarks/keratin-bench/MachineLoops.h"

#include "runtime/abi/keratin_cpu_tiles.h"

#include <algorithm>
#include <immintrin.h>

using namespace keratin::bench;

// Keeps a value in a register and out of the optimiser's sight.
#define KEEP(value) asm volatile("" : "+v"(value))

namespace {

// Two pipes with a latency of four cycles need eight sums in flight; twelve leave room.
constexpr int kSums = 12;

//===-- 512 bits ---------------------------------------------------------------------------------//

__attribute__((target("avx512f"))) void multiplyAdd512(int64_t steps) {
  __m512 sums[kSums], x = _mm512_set1_ps(0.5f), y = _mm512_set1_ps(1.0f);
  for (__m512 &sum : sums)
    sum = _mm512_setzero_ps();
  for (int64_t step = 0; step < steps; ++step) {
#pragma clang loop unroll(full)
    for (int i = 0; i < kSums; ++i) {
      sums[i] = _mm512_fmadd_ps(sums[i], x, y);
      KEEP(sums[i]);
    }
  }
}

__attribute__((target("avx512f"))) void multiplyAddDouble512(int64_t steps) {
  __m512d sums[kSums], x = _mm512_set1_pd(0.5), y = _mm512_set1_pd(1.0);
  for (__m512d &sum : sums)
    sum = _mm512_setzero_pd();
  for (int64_t step = 0; step < steps; ++step) {
#pragma clang loop unroll(full)
    for (int i = 0; i < kSums; ++i) {
      sums[i] = _mm512_fmadd_pd(sums[i], x, y);
      KEEP(sums[i]);
    }
  }
}

__attribute__((target("avx512f,avx512bf16"))) void multiplyAddBFloat16_512(int64_t steps) {
  __m512 sums[kSums];
  __m512bh x = (__m512bh)_mm512_set1_epi16(0x3F00); // 0.5
  for (__m512 &sum : sums)
    sum = _mm512_setzero_ps();
  for (int64_t step = 0; step < steps; ++step) {
#pragma clang loop unroll(full)
    for (int i = 0; i < kSums; ++i) {
      sums[i] = _mm512_dpbf16_ps(sums[i], x, x);
      KEEP(sums[i]);
    }
  }
}

__attribute__((target("avx512f,avx512fp16"))) void multiplyAddFloat16_512(int64_t steps) {
  __m512h sums[kSums], x = _mm512_set1_ph(_Float16(0.5)), y = _mm512_set1_ph(_Float16(1));
  for (__m512h &sum : sums)
    sum = _mm512_setzero_ph();
  for (int64_t step = 0; step < steps; ++step) {
#pragma clang loop unroll(full)
    for (int i = 0; i < kSums; ++i) {
      sums[i] = _mm512_fmadd_ph(sums[i], x, y);
      KEEP(sums[i]);
    }
  }
}

__attribute__((target("avx512f"))) void copy512(float *to, const float *from, int64_t count) {
  for (int64_t i = 0; i < count; i += 64) {
    __m512 a = _mm512_load_ps(from + i), b = _mm512_load_ps(from + i + 16);
    __m512 c = _mm512_load_ps(from + i + 32), d = _mm512_load_ps(from + i + 48);
    _mm512_store_ps(to + i, a);
    _mm512_store_ps(to + i + 16, b);
    _mm512_store_ps(to + i + 32, c);
    _mm512_store_ps(to + i + 48, d);
  }
}

__attribute__((target("avx512f"))) void streamCopy512(float *to, const float *from, int64_t count) {
  for (int64_t i = 0; i < count; i += 64) {
    __m512 a = _mm512_load_ps(from + i), b = _mm512_load_ps(from + i + 16);
    __m512 c = _mm512_load_ps(from + i + 32), d = _mm512_load_ps(from + i + 48);
    _mm512_stream_ps(to + i, a);
    _mm512_stream_ps(to + i + 16, b);
    _mm512_stream_ps(to + i + 32, c);
    _mm512_stream_ps(to + i + 48, d);
  }
  _mm_sfence();
}

__attribute__((target("avx512f"))) void read512(const float *from, int64_t count) {
  for (int64_t i = 0; i < count; i += 128) {
#pragma clang loop unroll(full)
    for (int j = 0; j < 8; ++j) {
      __m512 x = _mm512_load_ps(from + i + 16 * j);
      KEEP(x);
    }
  }
}

//===-- Tiles ------------------------------------------------------------------------------------//

// Two tiles of one factor meet two of the other: each is loaded once for two products.
__attribute__((target("amx-tile,amx-bf16"))) void multiplyTiles(int64_t steps) {
  struct {
    uint8_t palette = 1, reserved[15] = {};
    uint16_t columnBytes[16] = {};
    uint8_t rows[16] = {};
  } config;
  std::fill_n(config.columnBytes, 8, 64);
  std::fill_n(config.rows, 8, 16);
  alignas(64) uint16_t factors[4][16][32];
  std::fill_n(&factors[0][0][0], sizeof(factors) / sizeof(uint16_t), 0x3F00); // 0.5
  _tile_loadconfig(&config);
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  for (int64_t step = 0; step < steps; ++step) {
    _tile_loadd(4, factors[0], 64);
    _tile_loadd(6, factors[2], 64);
    _tile_dpbf16ps(0, 4, 6);
    _tile_loadd(7, factors[3], 64);
    _tile_dpbf16ps(1, 4, 7);
    _tile_loadd(5, factors[1], 64);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  _tile_release();
}

//===-- 256 bits ---------------------------------------------------------------------------------//

__attribute__((target("avx2,fma"))) void multiplyAdd256(int64_t steps) {
  __m256 sums[kSums], x = _mm256_set1_ps(0.5f), y = _mm256_set1_ps(1.0f);
  for (__m256 &sum : sums)
    sum = _mm256_setzero_ps();
  for (int64_t step = 0; step < steps; ++step) {
#pragma clang loop unroll(full)
    for (int i = 0; i < kSums; ++i) {
      sums[i] = _mm256_fmadd_ps(sums[i], x, y);
      KEEP(sums[i]);
    }
  }
}

__attribute__((target("avx2,fma"))) void multiplyAddDouble256(int64_t steps) {
  __m256d sums[kSums], x = _mm256_set1_pd(0.5), y = _mm256_set1_pd(1.0);
  for (__m256d &sum : sums)
    sum = _mm256_setzero_pd();
  for (int64_t step = 0; step < steps; ++step) {
#pragma clang loop unroll(full)
    for (int i = 0; i < kSums; ++i) {
      sums[i] = _mm256_fmadd_pd(sums[i], x, y);
      KEEP(sums[i]);
    }
  }
}

__attribute__((target("avx2"))) void copy256(float *to, const float *from, int64_t count) {
  for (int64_t i = 0; i < count; i += 32) {
    __m256 a = _mm256_load_ps(from + i), b = _mm256_load_ps(from + i + 8);
    __m256 c = _mm256_load_ps(from + i + 16), d = _mm256_load_ps(from + i + 24);
    _mm256_store_ps(to + i, a);
    _mm256_store_ps(to + i + 8, b);
    _mm256_store_ps(to + i + 16, c);
    _mm256_store_ps(to + i + 24, d);
  }
}

__attribute__((target("avx2"))) void streamCopy256(float *to, const float *from, int64_t count) {
  for (int64_t i = 0; i < count; i += 32) {
    __m256 a = _mm256_load_ps(from + i), b = _mm256_load_ps(from + i + 8);
    __m256 c = _mm256_load_ps(from + i + 16), d = _mm256_load_ps(from + i + 24);
    _mm256_stream_ps(to + i, a);
    _mm256_stream_ps(to + i + 8, b);
    _mm256_stream_ps(to + i + 16, c);
    _mm256_stream_ps(to + i + 24, d);
  }
  _mm_sfence();
}

__attribute__((target("avx2"))) void read256(const float *from, int64_t count) {
  for (int64_t i = 0; i < count; i += 64) {
#pragma clang loop unroll(full)
    for (int j = 0; j < 8; ++j) {
      __m256 x = _mm256_load_ps(from + i + 8 * j);
      KEEP(x);
    }
  }
}

//===-- 128 bits, as any x86-64 has them ---------------------------------------------------------//

void multiplyAdd128(int64_t steps) {
  __m128 sums[kSums], x = _mm_set1_ps(0.5f), y = _mm_set1_ps(1.0f);
  for (__m128 &sum : sums)
    sum = _mm_setzero_ps();
  for (int64_t step = 0; step < steps; ++step) {
#pragma clang loop unroll(full)
    for (int i = 0; i < kSums; ++i) {
      sums[i] = _mm_add_ps(_mm_mul_ps(sums[i], x), y);
      asm volatile("" : "+x"(sums[i]));
    }
  }
}

void multiplyAddDouble128(int64_t steps) {
  __m128d sums[kSums], x = _mm_set1_pd(0.5), y = _mm_set1_pd(1.0);
  for (__m128d &sum : sums)
    sum = _mm_setzero_pd();
  for (int64_t step = 0; step < steps; ++step) {
#pragma clang loop unroll(full)
    for (int i = 0; i < kSums; ++i) {
      sums[i] = _mm_add_pd(_mm_mul_pd(sums[i], x), y);
      asm volatile("" : "+x"(sums[i]));
    }
  }
}

void copy128(float *to, const float *from, int64_t count) {
  for (int64_t i = 0; i < count; i += 16) {
    __m128 a = _mm_load_ps(from + i), b = _mm_load_ps(from + i + 4);
    __m128 c = _mm_load_ps(from + i + 8), d = _mm_load_ps(from + i + 12);
    _mm_store_ps(to + i, a);
    _mm_store_ps(to + i + 4, b);
    _mm_store_ps(to + i + 8, c);
    _mm_store_ps(to + i + 12, d);
  }
}

void streamCopy128(float *to, const float *from, int64_t count) {
  for (int64_t i = 0; i < count; i += 16) {
    __m128 a = _mm_load_ps(from + i), b = _mm_load_ps(from + i + 4);
    __m128 c = _mm_load_ps(from + i + 8), d = _mm_load_ps(from + i + 12);
    _mm_stream_ps(to + i, a);
    _mm_stream_ps(to + i + 4, b);
    _mm_stream_ps(to + i + 8, c);
    _mm_stream_ps(to + i + 12, d);
  }
  _mm_sfence();
}

void read128(const float *from, int64_t count) {
  for (int64_t i = 0; i < count; i += 32) {
#pragma clang loop unroll(full)
    for (int j = 0; j < 8; ++j) {
      __m128 x = _mm_load_ps(from + i + 4 * j);
      asm volatile("" : "+x"(x));
    }
  }
}

} // namespace

const MachineLoops &keratin::bench::machineLoops() {
  __builtin_cpu_init();
  static const bool hasTiles = __builtin_cpu_supports("amx-tile") &&
                               __builtin_cpu_supports("amx-bf16") && keratin_cpu_request_tiles();
  static const MachineLoops loops512 = {
      "avx512",
      2 * 16 * kSums,
      multiplyAdd512,
      multiplyAddDouble512,
      __builtin_cpu_supports("avx512bf16") ? multiplyAddBFloat16_512 : nullptr,
      __builtin_cpu_supports("avx512fp16") ? multiplyAddFloat16_512 : nullptr,
      hasTiles ? multiplyTiles : nullptr,
      copy512,
      streamCopy512,
      read512};
  static const MachineLoops loops256 = {
      "avx2",  2 * 8 * kSums, multiplyAdd256, multiplyAddDouble256, nullptr,
      nullptr, nullptr,       copy256,        streamCopy256,        read256};
  static const MachineLoops loops128 = {
      "baseline", 2 * 4 * kSums, multiplyAdd128, multiplyAddDouble128, nullptr,
      nullptr,    nullptr,       copy128,        streamCopy128,        read128};
  if (__builtin_cpu_supports("avx512f"))
    return loops512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return loops256;
  return loops128;
}
