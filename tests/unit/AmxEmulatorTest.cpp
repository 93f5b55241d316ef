// Tile instructions, and those of AVX-VNNI, against plain loops: by the emulator, or where the
// processor has them and lends them to us, by itself, which then says whether the emulator's idea
// of them is right.
#include "runtime/object/CpuFeatures.h"
#include "tests/support/NoExit.h"
#include "tests/support/TemporaryFile.h"
#include "tests/support/amx/Emulator.h"
#include "tests/support/amx/Instruction.h"

#include <catch2/catch.hpp>

#include <bit>
#include <cmath>
#include <csetjmp>
#include <csignal>
#include <cstring>
#include <fstream>
#include <immintrin.h>
#include <limits>
#include <random>
#include <string_view>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace keratin;
using namespace keratin::tests;
using amx::Instruction;

#define WITH_TILES __attribute__((target("amx-tile,amx-bf16,amx-int8"), noinline))

namespace {

//===-- Helpers ----------------------------------------------------------------------------------//

// Whether these instructions are the processor's. Looking asks for the permission to use them, so
// it is done before any test: without it they end in the emulator, which has not seen the
// instructions that need none. What they make of factors is tested there, too; at the edges of what
// Intel says, and of what is refused, the emulator alone.
const bool kNative = [] {
  const runtime::CpuFeatureSet host = runtime::hostCpuFeatures();
  auto has = [&](std::string_view name) {
    int number = 0;
    while (runtime::cpuFeatureName(number) != name)
      ++number;
    return host.has(number);
  };
  return has("amx-tile") && has("amx-bf16") && has("amx-int8");
}();

struct Config {
  uint8_t palette = 1, startRow = 0, reserved[14] = {};
  uint16_t columnBytes[16] = {};
  uint8_t rows[16] = {};

  void set(int tile, int numRows, int words) {
    rows[tile] = uint8_t(numRows);
    columnBytes[tile] = uint16_t(4 * words);
  }
  bool operator==(const Config &) const = default;
};
static_assert(sizeof(Config) == 64);

// Rows of words; what the words hold is the product's business.
struct Matrix {
  int rows, words;
  std::vector<uint32_t> data;

  Matrix(int rows, int words) : rows(rows), words(words), data(size_t(rows) * words) {}
  uint32_t &at(int row, int word) { return data[size_t(row) * words + word]; }
  uint32_t at(int row, int word) const { return data[size_t(row) * words + word]; }
  int64_t stride() const { return 4 * words; }
};

enum Kind { BFloat16, BothSigned, SignedUnsigned, UnsignedSigned, BothUnsigned };

// dest += first * second on tiles.
template <int D, int A, int B>
WITH_TILES void multiply(Kind kind, Matrix &dest, const Matrix &first, const Matrix &second) {
  Config config;
  config.set(D, dest.rows, dest.words);
  config.set(A, first.rows, first.words);
  config.set(B, second.rows, second.words);
  _tile_loadconfig(&config);
  _tile_loadd(D, dest.data.data(), dest.stride());
  _tile_stream_loadd(A, first.data.data(), first.stride());
  _tile_loadd(B, second.data.data(), second.stride());
  switch (kind) {
  case BFloat16:
    _tile_dpbf16ps(D, A, B);
    break;
  case BothSigned:
    _tile_dpbssd(D, A, B);
    break;
  case SignedUnsigned:
    _tile_dpbsud(D, A, B);
    break;
  case UnsignedSigned:
    _tile_dpbusd(D, A, B);
    break;
  case BothUnsigned:
    _tile_dpbuud(D, A, B);
    break;
  }
  _tile_stored(D, dest.data.data(), dest.stride());
  _tile_release();
}

float low(uint32_t word) { return std::bit_cast<float>(word << 16); }
float high(uint32_t word) { return std::bit_cast<float>(word & 0xFFFF0000); }
uint32_t pair(float even, float odd) {
  return std::bit_cast<uint32_t>(even) >> 16 | (std::bit_cast<uint32_t>(odd) & 0xFFFF0000);
}

// Without denormals.
void multiplyPlainly(Matrix &dest, const Matrix &first, const Matrix &second) {
  for (int m = 0; m < dest.rows; ++m)
    for (int n = 0; n < dest.words; ++n) {
      float even = 0, odd = 0;
      for (int k = 0; k < second.rows; ++k) {
        even = std::fma(low(first.at(m, k)), low(second.at(k, n)), even);
        odd = std::fma(high(first.at(m, k)), high(second.at(k, n)), odd);
      }
      dest.at(m, n) = std::bit_cast<uint32_t>(std::bit_cast<float>(dest.at(m, n)) + (even + odd));
    }
}

int byteOf(uint32_t word, int place, bool isSigned) {
  const int byte = int(word >> 8 * place & 0xFF);
  return isSigned && byte >= 128 ? byte - 256 : byte;
}

void multiplyBytesPlainly(Kind kind, Matrix &dest, const Matrix &first, const Matrix &second) {
  const bool firstSigned = kind == BothSigned || kind == SignedUnsigned;
  const bool secondSigned = kind == BothSigned || kind == UnsignedSigned;
  for (int m = 0; m < dest.rows; ++m)
    for (int n = 0; n < dest.words; ++n) {
      int64_t sum = 0;
      for (int k = 0; k < second.rows; ++k)
        for (int i = 0; i < 4; ++i)
          sum += byteOf(first.at(m, k), i, firstSigned) * byteOf(second.at(k, n), i, secondSigned);
      dest.at(m, n) += uint32_t(sum);
    }
}

template <typename Word> Matrix filled(int rows, int words, Word word) {
  Matrix matrix(rows, words);
  for (uint32_t &each : matrix.data)
    each = word();
  return matrix;
}

// One result: dest + the products of pairs.
float sumOfPairs(float dest, std::vector<std::pair<float, float>> even,
                 std::vector<std::pair<float, float>> odd = {}) {
  odd.resize(even.size());
  const int pairs = int(even.size());
  Matrix result(1, 1), first(1, pairs), second(pairs, 1);
  result.at(0, 0) = std::bit_cast<uint32_t>(dest);
  for (int k = 0; k < pairs; ++k) {
    first.at(0, k) = pair(even[k].first, odd[k].first);
    second.at(k, 0) = pair(even[k].second, odd[k].second);
  }
  multiply<0, 1, 2>(BFloat16, result, first, second);
  return std::bit_cast<float>(result.at(0, 0));
}

// Also the sign of zero.
void expectBits(float got, float expected) {
  INFO(got << " where " << expected << " is expected");
  CHECK(std::bit_cast<uint32_t>(got) == std::bit_cast<uint32_t>(expected));
}

} // namespace

//===-- Products ---------------------------------------------------------------------------------//

TEST_CASE("tiles multiply bfloat16 of every shape") {
  std::mt19937 random(1);
  // Far apart, so that another order of sums has other bits.
  std::uniform_int_distribution<int> exponent(-12, 12);
  std::uniform_real_distribution<float> fraction(1, 2);
  auto number = [&] {
    return std::ldexp(random() % 2 ? fraction(random) : -fraction(random), exponent(random));
  };
  auto numbers = [&] {
    const float even = number();
    return pair(even, number());
  };
  for (int m : {1, 5, 16})
    for (int k : {1, 3, 8, 16})
      for (int n : {1, 7, 16}) {
        Matrix first = filled(m, k, numbers), second = filled(k, n, numbers);
        Matrix dest = filled(m, n, [&] { return std::bit_cast<uint32_t>(number()); });
        Matrix expected = dest;
        multiplyPlainly(expected, first, second);
        INFO(m << " x " << k << " x " << n);
        multiply<0, 1, 2>(BFloat16, dest, first, second);
        CHECK(dest.data == expected.data);
      }
}

TEST_CASE("every tile is a result and each factor") {
  std::mt19937 random(2);
  auto number = [&] {
    return pair(float(int(random() % 64) - 32), float(int(random() % 64) - 32));
  };
  Matrix first = filled(3, 4, number), second = filled(4, 5, number), expected(3, 5);
  multiplyPlainly(expected, first, second);
  using Multiply = void (*)(Kind, Matrix &, const Matrix &, const Matrix &);
  for (Multiply way :
       {multiply<0, 7, 3>, multiply<1, 6, 2>, multiply<2, 5, 1>, multiply<3, 4, 0>,
        multiply<4, 3, 7>, multiply<5, 2, 6>, multiply<6, 1, 5>, multiply<7, 0, 4>}) {
    Matrix dest(3, 5);
    way(BFloat16, dest, first, second);
    CHECK(dest.data == expected.data);
  }
}

TEST_CASE("even and odd pairs have sums of their own") {
  const float big = 0x1p24f;
  // 1 is lost beside 2^24, twice; summed up first it would not be.
  expectBits(sumOfPairs(0, {{big, 1}, {1, 1}, {1, 1}}), big);
  expectBits(sumOfPairs(0, {{1, 1}, {1, 1}, {big, 1}}), big + 2);
  // The sums meet each other before the old result.
  expectBits(sumOfPairs(1, {{big, 1}}, {{-big, 1}}), 1);
  expectBits(sumOfPairs(big, {{1, 1}}, {{1, 1}}), big + 2);
  // And begin at +0.
  expectBits(sumOfPairs(-0.0f, {{-0.0f, 1}}, {{-0.0f, 1}}), 0.0f);
}

TEST_CASE("products are not rounded before they are added") {
  if (kNative)
    return; // of the emulator
  // 2^-130 is no normal number by itself.
  expectBits(sumOfPairs(0, {{0x1p-63f, 0x1p-63f}, {0x1p-65f, 0x1p-65f}}), 0x1.1p-126f);
  // 2^128 is none either.
  expectBits(sumOfPairs(0, {{-0x1p127f, 1}, {0x1p64f, 0x1p64f}}), 0x1p127f);
}

TEST_CASE("denormals are zeros") {
  if (kNative)
    return; // of the emulator
  const float denormal = 0x1p-127f;
  expectBits(sumOfPairs(0, {{denormal, 0x1p127f}}), 0.0f);
  expectBits(sumOfPairs(0, {{0x1p127f, denormal}}), 0.0f);
  expectBits(sumOfPairs(denormal, {{0, 0}}), 0.0f);
  expectBits(sumOfPairs(0, {{0x1p-70f, 0x1p-70f}}), 0.0f);
  // As a sum of two normal numbers too.
  expectBits(sumOfPairs(0x1p-126f, {{-0x1.8p-63f, 0x1p-63f}}), -0.0f);
}

TEST_CASE("infinities and NaN go through") {
  const float infinity = std::numeric_limits<float>::infinity(), nan = std::nanf("");
  expectBits(sumOfPairs(1, {{infinity, 2}}), infinity);
  expectBits(sumOfPairs(1, {{infinity, -2}}), -infinity);
  expectBits(sumOfPairs(1, {{0x1p127f, 4}}), infinity);
  expectBits(sumOfPairs(-infinity, {{1, 1}}), -infinity);
  CHECK(std::isnan(sumOfPairs(1, {{infinity, 0}})));
  CHECK(std::isnan(sumOfPairs(1, {{infinity, 1}}, {{-infinity, 1}})));
  CHECK(std::isnan(sumOfPairs(-infinity, {{infinity, 1}})));
  CHECK(std::isnan(sumOfPairs(1, {{nan, 1}})));
  CHECK(std::isnan(sumOfPairs(nan, {{1, 1}})));
  // An infinity times the denormal that is a zero.
  CHECK(std::isnan(sumOfPairs(1, {{infinity, 0x1p-127f}})));
}

TEST_CASE("the thread's rounding does not matter, nor do its flags change") {
  const unsigned before = _mm_getcsr();
  const unsigned upwards = (before & ~0x603Fu) | 0x4000;
  _mm_setcsr(upwards);
  const float sum = sumOfPairs(0, {{0x1p24f, 1}, {1, 1}});
  const unsigned after = _mm_getcsr();
  _mm_setcsr(before);
  expectBits(sum, 0x1p24f);
  CHECK(after == upwards);
}

TEST_CASE("tiles multiply bytes of both signs") {
  std::mt19937 random(3);
  for (Kind kind : {BothSigned, SignedUnsigned, UnsignedSigned, BothUnsigned})
    for (int m : {1, 6, 16})
      for (int k : {1, 5, 16})
        for (int n : {1, 9, 16}) {
          Matrix first = filled(m, k, random), second = filled(k, n, random);
          Matrix dest = filled(m, n, random), expected = dest;
          multiplyBytesPlainly(kind, expected, first, second);
          INFO(int(kind) << ": " << m << " x " << k << " x " << n);
          multiply<5, 3, 6>(kind, dest, first, second);
          CHECK(dest.data == expected.data);
        }
}

TEST_CASE("sums of bytes wrap around") {
  Matrix ones(1, 1), dest(1, 1);
  ones.at(0, 0) = 0x01;
  dest.at(0, 0) = 0x7FFFFFFF;
  multiply<0, 1, 2>(BothSigned, dest, ones, ones);
  CHECK(dest.at(0, 0) == 0x80000000);
  dest.at(0, 0) = 0xFFFFFFFF;
  multiply<0, 1, 2>(BothUnsigned, dest, ones, ones);
  CHECK(dest.at(0, 0) == 0);
}

//===-- Vectors of AVX-VNNI ----------------------------------------------------------------------//

namespace {
struct Vector {
  alignas(32) uint32_t words[8];
};
} // namespace

// Those of the registers that no function keeps, and of memory.
#define MULTIPLY_VECTORS(text)                                                                     \
  [](Vector &sums, const Vector &first, const Vector &second) {                                    \
    asm volatile("vmovdqa %0, %%ymm3\n vmovdqa %1, %%ymm12\n vmovdqa %2, %%ymm9\n" text            \
                 "\n vmovdqa %%ymm3, %0"                                                           \
                 : "+m"(sums)                                                                      \
                 : "m"(first), "m"(second)                                                         \
                 : "xmm3", "xmm9", "xmm12");                                                       \
  }

TEST_CASE("vectors multiply bytes and words") {
  std::mt19937 random(9);
  auto filled = [&] {
    Vector vector;
    for (uint32_t &word : vector.words)
      word = random();
    return vector;
  };
  auto ofBytes = [](uint32_t x, uint32_t y) {
    uint32_t sum = 0;
    for (int shift = 0; shift < 32; shift += 8)
      sum += uint32_t(int32_t(uint8_t(x >> shift)) * int32_t(int8_t(y >> shift)));
    return sum;
  };
  auto ofWords = [](uint32_t x, uint32_t y) {
    uint32_t sum = 0;
    for (int shift = 0; shift < 32; shift += 16)
      sum += uint32_t(int32_t(int16_t(x >> shift)) * int32_t(int16_t(y >> shift)));
    return sum;
  };
  auto check = [&](auto multiply, auto product, int words) {
    Vector sums = filled(), first = filled(), second = filled(), expected = sums;
    first.words[0] = second.words[0] = 0x80008000; // the largest sum, which wraps
    for (int i = 0; i < 8; ++i)
      expected.words[i] = i < words ? sums.words[i] + product(first.words[i], second.words[i]) : 0;
    multiply(sums, first, second);
    for (int i = 0; i < 8; ++i)
      CHECK(sums.words[i] == expected.words[i]);
  };
  check(MULTIPLY_VECTORS("%{vex%} vpdpbusd %%ymm9, %%ymm12, %%ymm3"), ofBytes, 8);
  check(MULTIPLY_VECTORS("%{vex%} vpdpbusd %2, %%ymm12, %%ymm3"), ofBytes, 8);
  check(MULTIPLY_VECTORS("%{vex%} vpdpbusd %%xmm9, %%xmm12, %%xmm3"), ofBytes, 4);
  check(MULTIPLY_VECTORS("%{vex%} vpdpwssd %%ymm9, %%ymm12, %%ymm3"), ofWords, 8);
  check(MULTIPLY_VECTORS("%{vex%} vpdpwssd %2, %%ymm12, %%ymm3"), ofWords, 8);
}

//===-- Moves ------------------------------------------------------------------------------------//

WITH_TILES static void move(const Config &config, const char *from, int64_t fromStride, char *to,
                            int64_t toStride) {
  _tile_loadconfig(&config);
  _tile_loadd(3, from, fromStride);
  _tile_stored(3, to, toStride);
  _tile_release();
}

TEST_CASE("rows lie as far apart as the stride says") {
  constexpr int rows = 5, bytes = 12;
  Config config;
  config.set(3, rows, bytes / 4);
  std::vector<char> memory(1000);
  for (size_t i = 0; i < memory.size(); ++i)
    memory[i] = char(i * 7);
  for (int64_t from : {12, 64, 13, 0, -12, -17})
    for (int64_t to : {12, 100, -12, -50}) {
      INFO(from << " to " << to);
      std::vector<char> stored(1000, 'x'), expected = stored;
      for (int row = 0; row < rows; ++row)
        std::memcpy(&expected[500 + row * to], &memory[500 + row * from], bytes);
      move(config, &memory[500], from, &stored[500], to);
      CHECK(stored == expected);
    }
}

WITH_TILES static void zeroOne(const Config &config, Matrix &first, Matrix &second) {
  _tile_loadconfig(&config);
  _tile_loadd(6, first.data.data(), first.stride());
  _tile_loadd(7, second.data.data(), second.stride());
  _tile_zero(6);
  _tile_stored(6, first.data.data(), first.stride());
  _tile_stored(7, second.data.data(), second.stride());
  _tile_release();
}

TEST_CASE("one tile becomes zero") {
  Config config;
  config.set(6, 2, 3);
  config.set(7, 2, 3);
  Matrix first = filled(2, 3, [] { return 5; }), second = first, before = first;
  zeroOne(config, first, second);
  CHECK(first.data == Matrix(2, 3).data);
  CHECK(second.data == before.data);
}

WITH_TILES static void configure(const Config &config, Config &configured, Config &released) {
  _tile_loadconfig(&config);
  _tile_storeconfig(&configured);
  _tile_release();
  _tile_storeconfig(&released);
}

TEST_CASE("a configuration reads as it was written, and is gone with its tiles") {
  if (kNative)
    return; // of the emulator
  Config config, configured, released;
  for (int tile = 0; tile < 8; ++tile)
    config.set(tile, tile + 1, 16 - tile);
  config.startRow = 3;
  configure(config, configured, released);
  CHECK(configured == config);
  Config none;
  none.palette = 0;
  CHECK(released == none);
  // So is it with palette 0, whatever else is there.
  config.palette = 0;
  configure(config, configured, released);
  CHECK(configured == none);
}

TEST_CASE("a load begins with the row that the configuration names") {
  if (kNative)
    return; // of the emulator
  Config config;
  config.set(3, 3, 1);
  config.startRow = 1;
  uint32_t from[3] = {1, 2, 3}, to[3] = {7, 7, 7};
  move(config, reinterpret_cast<char *>(from), 4, reinterpret_cast<char *>(to), 4);
  // Configuring has made the other zero. The load done, the whole tile is stored.
  CHECK(to[0] == 0);
  CHECK(to[1] == 2);
  CHECK(to[2] == 3);
}

TEST_CASE("each thread has its tiles") {
  std::vector<std::thread> threads;
  std::vector<int> wrong(4);
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([thread, &wrong] {
      std::mt19937 random(100 + unsigned(thread));
      for (int i = 0; i < 200; ++i) {
        const int m = 1 + int(random() % 16), k = 1 + int(random() % 16),
                  n = 1 + int(random() % 16);
        Matrix first = filled(m, k, random), second = filled(k, n, random);
        Matrix dest = filled(m, n, random), expected = dest;
        multiplyBytesPlainly(BothSigned, expected, first, second);
        multiply<0, 1, 2>(BothSigned, dest, first, second);
        wrong[size_t(thread)] += dest.data != expected.data;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(wrong == std::vector<int>(4));
}

//===-- What ends a process ----------------------------------------------------------------------//

namespace {
struct End {
  int signal;
  std::string message;
};
} // namespace

// How a process ends that does this.
template <typename Work> static End endOf(Work work) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    for (int number : {SIGILL, SIGSEGV, SIGBUS})
      signal(number, SIG_DFL);
    dup2(ends[1], STDERR_FILENO);
    work();
    endProcess(0);
  }
  close(ends[1]);
  End end{0, {}};
  char text[256];
  for (ssize_t count; (count = read(ends[0], text, sizeof(text))) > 0;)
    end.message.append(text, size_t(count));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  return end;
}

static void expectEnd(const End &end, int signal, const char *message) {
  CHECK(end.signal == signal);
  CHECK(end.message == std::string("AMX emulator: ") + message + "\n");
}

WITH_TILES static void loadConfig(const Config &config) { _tile_loadconfig(&config); }

TEST_CASE("wrong configurations are refused") {
  if (kNative)
    return; // of the emulator
  auto refused = [](auto change, const char *message) {
    Config config;
    for (int tile = 0; tile < 8; ++tile)
      config.set(tile, 16, 16);
    change(config);
    expectEnd(endOf([&] { loadConfig(config); }), SIGSEGV, message);
  };
  refused([](Config &c) { c.palette = 2; }, "ldtilecfg: there are the palettes 0 and 1");
  refused([](Config &c) { c.rows[7] = 17; }, "ldtilecfg: a tile has more than 16 rows");
  refused([](Config &c) { c.columnBytes[0] = 65; }, "ldtilecfg: a row has more than 64 bytes");
  refused([](Config &c) { c.rows[4] = 0; }, "ldtilecfg: a tile has either rows or columns");
  refused([](Config &c) { c.reserved[13] = 1; }, "ldtilecfg: reserved bytes are not zero");
  refused([](Config &c) { c.columnBytes[8] = 4; }, "ldtilecfg: reserved bytes are not zero");
  refused([](Config &c) { c.rows[8] = 1; }, "ldtilecfg: reserved bytes are not zero");
}

WITH_TILES static void moveUnconfigured(const Config *config) {
  static char memory[1024];
  if (config)
    _tile_loadconfig(config);
  _tile_loadd(1, memory, 64);
}

WITH_TILES static void storeUnconfigured(const Config &config) {
  static char memory[1024];
  _tile_loadconfig(&config);
  _tile_stored(1, memory, 64);
}

WITH_TILES static void zeroUnconfigured() { _tile_zero(1); }

TEST_CASE("tiles that are not configured are refused") {
  if (kNative)
    return; // of the emulator
  expectEnd(endOf([] { moveUnconfigured(nullptr); }), SIGILL, "tileloadd: no tiles are configured");
  expectEnd(endOf([] { zeroUnconfigured(); }), SIGILL, "tilezero: no tiles are configured");
  Config config;
  config.set(0, 16, 16);
  expectEnd(endOf([&] { moveUnconfigured(&config); }), SIGILL,
            "tileloadd: the tile is not configured");
  expectEnd(endOf([&] { storeUnconfigured(config); }), SIGILL,
            "tilestored: the tile is not configured");
  config.rows[1] = 2;
  config.columnBytes[1] = 6;
  expectEnd(endOf([&] { moveUnconfigured(&config); }), SIGILL,
            "tileloadd: a row is no whole number of words");
  config.columnBytes[1] = 8;
  config.startRow = 2;
  expectEnd(endOf([&] { moveUnconfigured(&config); }), SIGILL,
            "tileloadd: the tile ends before the row to start with");
}

WITH_TILES static void multiplyTwice() {
  Config config;
  config.set(0, 4, 4);
  config.set(1, 4, 4);
  _tile_loadconfig(&config);
  asm volatile(".byte 0xC4, 0xE2, 0x73, 0x5E, 0xC1"); // tdpbssd %tmm1, %tmm1, %tmm0
}

TEST_CASE("factors that do not fit are refused") {
  if (kNative)
    return; // of the emulator
  auto refused = [](Matrix dest, Matrix first, Matrix second, const char *message) {
    expectEnd(endOf([&] { multiply<0, 1, 2>(BFloat16, dest, first, second); }), SIGILL, message);
  };
  refused(Matrix(3, 5), Matrix(4, 6), Matrix(6, 5),
          "tdpbf16ps: the result and the first factor have different rows");
  refused(Matrix(4, 5), Matrix(4, 6), Matrix(6, 6),
          "tdpbf16ps: the result and the second factor have different columns");
  refused(Matrix(4, 5), Matrix(4, 6), Matrix(5, 5),
          "tdpbf16ps: the first factor's columns are not the second one's rows");
  expectEnd(endOf(multiplyTwice), SIGILL, "tdpbssd: a tile is there twice");
}

TEST_CASE("memory that may not be read ends the process as a load of any kind") {
  Config config;
  config.set(3, 2, 4);
  char to[32];
  auto *page =
      static_cast<char *>(mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  REQUIRE(page != MAP_FAILED);
  const End end = endOf([&] { move(config, page, 16, to, 16); });
  munmap(page, 4096);
  CHECK(end.signal == SIGSEGV);
  CHECK(end.message == "");
}

//===-- Other handlers ---------------------------------------------------------------------------//

// Left by a jump that restores no mask: SIGILL must not be blocked while it is handled.
static volatile sig_atomic_t numIllegal;
static sigjmp_buf beforeIllegal;
static void countIllegal(int number) {
  numIllegal = numIllegal + (number == SIGILL);
  siglongjmp(beforeIllegal, 1);
}

TEST_CASE("a handler of SIGILL gets what is no tile instruction") {
  struct sigaction action = {}, before = {}, found = {};
  action.sa_handler = countIllegal;
  action.sa_flags = SA_NODEFER;
  REQUIRE(sigaction(SIGILL, &action, &before) == 0);
  numIllegal = 0;
  if (sigsetjmp(beforeIllegal, 0) == 0)
    asm volatile("ud2");
  CHECK(numIllegal == 1);
  if (sigsetjmp(beforeIllegal, 0) == 0)
    raise(SIGILL);
  CHECK(numIllegal == 2);
  expectBits(sumOfPairs(1, {{2, 3}}), 7);
  CHECK(numIllegal == 2);
  CHECK(sigaction(SIGILL, &before, &found) == 0);
  CHECK(found.sa_handler == countIllegal);
}

TEST_CASE("without one they end the process") {
  CHECK(endOf([] { asm volatile("ud2"); }).signal == SIGILL);
  CHECK(endOf([] { raise(SIGILL); }).signal == SIGILL);
}

//===-- Counts -----------------------------------------------------------------------------------//

TEST_CASE("executed instructions are counted") {
  const uint64_t products = keratin_amx_executed("tdpbf16ps"),
                 loads = keratin_amx_executed("tileloadd");
  sumOfPairs(0, {{1, 1}});
  CHECK(keratin_amx_executed("tdpbf16ps") - products == (kNative ? 0 : 1));
  CHECK(keratin_amx_executed("tileloadd") - loads == (kNative ? 0 : 2));
  CHECK(keratin_amx_executed("tdpfp16ps") == 0);
}

TEST_CASE("a program that knows nothing of the emulator runs with it") {
  TemporaryFile counts;
  const std::string command =
      "LD_PRELOAD=" KERATIN_AMX_EMULATOR " KERATIN_AMX_COUNTS=" + counts.path +
      " " KERATIN_AMX_PROGRAM;
  REQUIRE(std::system(command.c_str()) == 0);
  std::ifstream file(counts.path);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  CHECK(text == (kNative ? ""
                         : "ldtilecfg 1\ntilerelease 1\ntilezero 1\ntileloadd 1\n"
                           "tileloaddt1 1\ntilestored 1\ntdpbf16ps 2\n"));
}

//===-- Machine code -----------------------------------------------------------------------------//

namespace {
struct Code {
  const uint8_t *begin, *end;
};
} // namespace

#define CODE(text)                                                                                 \
  [] {                                                                                             \
    Code code;                                                                                     \
    asm volatile("lea 1f(%%rip), %0\n lea 2f(%%rip), %1\n jmp 2f\n1: " text "\n2:"                 \
                 : "=r"(code.begin), "=r"(code.end));                                              \
    return code;                                                                                   \
  }()

// Registers that show where they are: r12 holds 0xC000.
static bool decoded(const Code &code, Instruction &result) {
  uint64_t registers[16];
  for (uint64_t i = 0; i < 16; ++i)
    registers[i] = i << 12;
  result = {};
  return amx::decode(code.begin, registers, result);
}

TEST_CASE("operands in memory are found") {
  auto expect = [](Code code, amx::Op op, int dest, uint64_t address, uint64_t stride) {
    Instruction instruction;
    REQUIRE(decoded(code, instruction));
    CHECK(amx::opName(instruction.op) == std::string(amx::opName(op)));
    CHECK(instruction.bytes == code.end - code.begin);
    CHECK(int(instruction.dest) == dest);
    CHECK(instruction.address == address);
    CHECK(instruction.stride == stride);
  };
  expect(CODE("tileloadd (%%rax,%%rcx), %%tmm0"), amx::TILELOADD, 0, 0, 0x1000);
  expect(CODE("tileloadd 8(%%rdx,%%rbx,2), %%tmm1"), amx::TILELOADD, 1, 0x2008, 0x6000);
  expect(CODE("tileloadd -8(%%rsp,%%rbp,4), %%tmm2"), amx::TILELOADD, 2, 0x3FF8, 0x14000);
  expect(CODE("tileloadd 0x12345(%%rsi,%%rdi,8), %%tmm3"), amx::TILELOADD, 3, 0x18345, 0x38000);
  expect(CODE("tileloadd (%%rbp,%%r8), %%tmm4"), amx::TILELOADD, 4, 0x5000, 0x8000);
  expect(CODE("tileloadd (%%r13,%%r12), %%tmm5"), amx::TILELOADD, 5, 0xD000, 0xC000);
  expect(CODE("tileloadd (%%r12,%%r13), %%tmm6"), amx::TILELOADD, 6, 0xC000, 0xD000);
  expect(CODE("tileloadd -0x12345(%%r15,%%r14,2), %%tmm7"), amx::TILELOADD, 7, 0xF000 - 0x12345ull,
         0x1C000);
  // No index, no base, neither.
  expect(CODE("tileloadd (%%r9), %%tmm0"), amx::TILELOADD, 0, 0x9000, 0);
  expect(CODE("tileloadd 0x1000(,%%r10,4), %%tmm0"), amx::TILELOADD, 0, 0x1000, 0x28000);
  expect(CODE("tileloadd 0x1000, %%tmm0"), amx::TILELOADD, 0, 0x1000, 0);
  expect(CODE("tileloaddt1 (%%rax,%%r11), %%tmm5"), amx::TILELOADDT1, 5, 0, 0xB000);
  expect(CODE("tilestored %%tmm6, (%%r11,%%rax)"), amx::TILESTORED, 6, 0xB000, 0);
  expect(CODE("ldtilecfg (%%rdi)"), amx::LDTILECFG, 0, 0x7000, 0);
  expect(CODE("ldtilecfg 64(%%r12,%%r13,4)"), amx::LDTILECFG, 0, 0xC040, 0x34000);
  expect(CODE("sttilecfg -64(%%rsp)"), amx::STTILECFG, 0, 0x3FC0, 0);
  const Code relative = CODE("ldtilecfg 0x100(%%rip)");
  expect(relative, amx::LDTILECFG, 0, reinterpret_cast<uint64_t>(relative.end) + 0x100, 0);
}

TEST_CASE("tiles are found") {
  auto expect = [](Code code, amx::Op op, int dest, int first, int second) {
    Instruction instruction;
    REQUIRE(decoded(code, instruction));
    CHECK(amx::opName(instruction.op) == std::string(amx::opName(op)));
    CHECK(instruction.bytes == code.end - code.begin);
    CHECK(int(instruction.dest) == dest);
    CHECK(int(instruction.first) == first);
    CHECK(int(instruction.second) == second);
  };
  expect(CODE("tilerelease"), amx::TILERELEASE, 0, 0, 0);
  expect(CODE("tilezero %%tmm7"), amx::TILEZERO, 7, 0, 0);
  // From the right: the result, the first factor, the second.
  expect(CODE("tdpbf16ps %%tmm1, %%tmm2, %%tmm3"), amx::TDPBF16PS, 3, 2, 1);
  expect(CODE("tdpbssd %%tmm4, %%tmm5, %%tmm6"), amx::TDPBSSD, 6, 5, 4);
  expect(CODE("tdpbsud %%tmm7, %%tmm0, %%tmm1"), amx::TDPBSUD, 1, 0, 7);
  expect(CODE("tdpbusd %%tmm0, %%tmm7, %%tmm5"), amx::TDPBUSD, 5, 7, 0);
  expect(CODE("tdpbuud %%tmm3, %%tmm4, %%tmm7"), amx::TDPBUUD, 7, 4, 3);
}

TEST_CASE("vectors are found") {
  auto expect = [](Code code, amx::Op op, int words, int dest, int first) {
    Instruction instruction;
    REQUIRE(decoded(code, instruction));
    CHECK(amx::opName(instruction.op) == std::string(amx::opName(op)));
    CHECK(instruction.bytes == code.end - code.begin);
    CHECK(int(instruction.vectorWords) == words);
    CHECK(int(instruction.dest) == dest);
    CHECK(int(instruction.first) == first);
    return instruction;
  };
  CHECK(expect(CODE("%{vex%} vpdpbusd %%ymm1, %%ymm2, %%ymm3"), amx::VPDPBUSD, 8, 3, 2).second ==
        1);
  CHECK(expect(CODE("%{vex%} vpdpwssd %%xmm14, %%xmm15, %%xmm8"), amx::VPDPWSSD, 4, 8, 15).second ==
        14);
  const Instruction inMemory =
      expect(CODE("%{vex%} vpdpbusd 8(%%rdx,%%rbx,2), %%ymm9, %%ymm10"), amx::VPDPBUSD, 8, 10, 9);
  CHECK(inMemory.inMemory);
  CHECK(inMemory.address + inMemory.stride == 0x8008);
}

TEST_CASE("other instructions are nobody's tiles") {
  Instruction instruction;
  CHECK(!decoded(CODE("ud2"), instruction));
  CHECK(!decoded(CODE("tdpfp16ps %%tmm1, %%tmm2, %%tmm3"), instruction));
  CHECK(!decoded(CODE("vpermd %%ymm1, %%ymm2, %%ymm3"), instruction));
  CHECK(!decoded(CODE("vpdpbusd %%zmm1, %%zmm2, %%zmm3"), instruction));
  // tmm8, by each of the three fields; W; 256 bits; a rest of vvvv; a load without a SIB byte.
  for (auto bytes : {std::vector<uint8_t>{0xC4, 0x62, 0x72, 0x5C, 0xDA},
                     {0xC4, 0xC2, 0x72, 0x5C, 0xDA},
                     {0xC4, 0xE2, 0x32, 0x5C, 0xDA},
                     {0xC4, 0xE2, 0xF2, 0x5C, 0xDA},
                     {0xC4, 0xE2, 0x76, 0x5C, 0xDA},
                     {0xC4, 0xE2, 0x73, 0x49, 0xF8},
                     {0xC4, 0xE2, 0x7B, 0x4B, 0x00}})
    CHECK(!decoded({bytes.data(), nullptr}, instruction));
}
