// cvt, one value at a time.
#pragma once

#include "tests/cuda/emulator/Formats.h"
#include "tests/cuda/ptx/Types.h"

namespace keratin::ptx {

struct Conversion {
  Type to, from;
  Rounding rounding = Rounding::Nearest;
  bool integral = false; // .rni and so on: to an integer's value
  bool saturate = false, flush = false, relu = false;
};

// Bits of the source type in, bits of the destination type out, both in the low bits.
uint64_t convert(const Conversion &conversion, uint64_t value);

} // namespace keratin::ptx
