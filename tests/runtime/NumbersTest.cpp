#include "runtime/core/Half.h"
#include "runtime/core/Philox.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

using namespace keratin::runtime;

// Known answers of Random123 (kat_vectors, philox4x32 10).
TEST_CASE("Philox gives the published bits") {
  static_assert(philox4x32({0, 0, 0, 0}, {0, 0}) ==
                PhiloxCounter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox4x32({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}) ==
        PhiloxCounter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        PhiloxCounter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("every float16 and bfloat16 survives the way through double") {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    auto half = uint16_t(bits);
    double asHalf = doubleFromFloat16(half), asBrain = doubleFromBfloat16(half);
    if (std::isnan(asHalf))
      CHECK(std::isnan(doubleFromFloat16(float16FromDouble(asHalf))));
    else
      REQUIRE(float16FromDouble(asHalf) == half);
    if (std::isnan(asBrain))
      CHECK(std::isnan(doubleFromBfloat16(bfloat16FromDouble(asBrain))));
    else
      REQUIRE(bfloat16FromDouble(asBrain) == half);
    // bfloat16 is the upper half of a float.
    float single;
    uint32_t widened = bits << 16;
    std::memcpy(&single, &widened, sizeof(single));
    if (!std::isnan(single))
      REQUIRE(asBrain == double(single));
  }
}

TEST_CASE("halves round to nearest even") {
  // Between any two neighbours: the middle goes to the even one, a hair off the middle to its own
  // side.
  auto checkNeighbours = [](auto toDouble, auto fromDouble, uint32_t infinity) {
    for (uint32_t bits = 0; bits + 1 < infinity; ++bits) {
      double low = toDouble(uint16_t(bits)), high = toDouble(uint16_t(bits + 1));
      double middle = low + (high - low) / 2;
      uint32_t even = bits % 2 ? bits + 1 : bits;
      REQUIRE(fromDouble(middle) == even);
      REQUIRE(fromDouble(std::nextafter(middle, 0)) == bits);
      REQUIRE(fromDouble(std::nextafter(middle, INFINITY)) == bits + 1);
      REQUIRE(fromDouble(-middle) == (even | 0x8000));
    }
  };
  checkNeighbours(doubleFromFloat16, float16FromDouble, 0x7C00);
  checkNeighbours(doubleFromBfloat16, bfloat16FromDouble, 0x7F80);
  CHECK(float16FromDouble(65519.999) == 0x7BFF);
  CHECK(float16FromDouble(65520) == 0x7C00);
  CHECK(float16FromDouble(-1e300) == 0xFC00);
  CHECK(float16FromDouble(INFINITY) == 0x7C00);
  CHECK(float16FromDouble(5e-324) == 0);
  CHECK(bfloat16FromDouble(3.4e38) == 0x7F80);
  CHECK(bfloat16FromDouble(1e300) == 0x7F80);
  CHECK(bfloat16FromDouble(-0.0) == 0x8000);
}
