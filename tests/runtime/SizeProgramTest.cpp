#include "runtime/core/SizeProgram.h"

#include <catch2/catch.hpp>
#include <optional>
#include <random>

using namespace keratin::runtime;

namespace {

// The same arithmetic in 128 bits, where nothing overflows.
std::optional<__int128> expected(int64_t opcode, int64_t lhs, int64_t rhs) {
  __int128 a = lhs, b = rhs;
  auto floorDivide = [](__int128 a, __int128 b) {
    __int128 q = a / b;
    return q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
  };
  switch (opcode) {
  case KERATIN_SIZE_ADD:
    return a + b;
  case KERATIN_SIZE_SUB:
    return a - b;
  case KERATIN_SIZE_MUL:
    return a * b;
  case KERATIN_SIZE_FLOORDIV:
    return b == 0 ? std::nullopt : std::optional(floorDivide(a, b));
  case KERATIN_SIZE_CEILDIV:
    return b == 0 ? std::nullopt : std::optional(-floorDivide(-a, b));
  case KERATIN_SIZE_MOD:
    return b == 0 ? std::nullopt : std::optional(a - floorDivide(a, b) * b);
  case KERATIN_SIZE_MAX:
    return a > b ? a : b;
  case KERATIN_SIZE_MIN:
    return a < b ? a : b;
  default:
    return a == b || b == 1 ? std::optional(a) : a == 1 ? std::optional(b) : std::nullopt;
  }
}

} // namespace

TEST_CASE("every operation agrees with 128-bit arithmetic or fails") {
  std::mt19937_64 random(7);
  const int64_t edges[] = {INT64_MIN, INT64_MIN + 1, -2, -1, 0, 1, 2, 3, INT64_MAX - 1, INT64_MAX};
  auto draw = [&]() -> int64_t {
    switch (random() % 3) {
    case 0:
      return edges[random() % std::size(edges)];
    case 1:
      return int64_t(random() % 21) - 10;
    default:
      return int64_t(random()) >> (random() % 64);
    }
  };
  int failures = 0;
  for (int round = 0; round < 200000; ++round) {
    int64_t opcode = KERATIN_SIZE_ADD + int64_t(random() % 9);
    int64_t slots[] = {draw()};
    int64_t code[] = {KERATIN_SIZE_SLOT, 0, KERATIN_SIZE_CONST, draw(), opcode};
    keratin_size_program_t program = {code, 5};
    REQUIRE(validateSizeProgram(program, 1) == nullptr);
    auto right = expected(opcode, slots[0], code[3]);
    if (right && (*right > INT64_MAX || *right < INT64_MIN))
      right.reset();
    int64_t result = 0;
    SizeProgramError error;
    bool evaluated = runSizeProgram(program, slots, result, error);
    INFO(slots[0] << " " << sizeOpcodeName(int32_t(opcode)) << " " << code[3]);
    REQUIRE(evaluated == right.has_value());
    if (evaluated)
      REQUIRE(__int128(result) == *right);
    else
      ++failures;
  }
  CHECK(failures > 1000);
}

TEST_CASE("programs nest") {
  // max(slot0 * 3 - 1, ceildiv(slot1, 4)) with slots 2 and 100.
  int64_t slots[] = {2, 100};
  int64_t code[] = {KERATIN_SIZE_SLOT,
                    0,
                    KERATIN_SIZE_CONST,
                    3,
                    KERATIN_SIZE_MUL,
                    KERATIN_SIZE_CONST,
                    1,
                    KERATIN_SIZE_SUB,
                    KERATIN_SIZE_SLOT,
                    1,
                    KERATIN_SIZE_CONST,
                    4,
                    KERATIN_SIZE_CEILDIV,
                    KERATIN_SIZE_MAX};
  keratin_size_program_t program = {code, int64_t(std::size(code))};
  REQUIRE(validateSizeProgram(program, 2) == nullptr);
  int64_t result = 0;
  SizeProgramError error;
  REQUIRE(runSizeProgram(program, slots, result, error));
  CHECK(result == 25);
}
