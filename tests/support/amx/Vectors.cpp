#include "tests/support/amx/Vectors.h"

#include <string.h>

using namespace keratin::tests::amx;

namespace {

constexpr int maxWords = 8;
struct Vector {
  uint32_t words[maxWords];
};

// Where XSAVE puts them: the lower halves of registers as FXSAVE does, a header, whose first bits
// say which parts are not as after a reset, and the upper halves. Source: Intel 64 and IA-32
// Architectures Software Developer's Manual, volume 1, section 13.4.
class Registers {
public:
  explicit Registers(mcontext_t &state) : area(reinterpret_cast<char *>(state.fpregs)) {}

  Vector read(int number) const {
    Vector vector = {};
    if (parts() & lowerPart)
      memcpy(vector.words, lower(number), half);
    if (parts() & upperPart)
      memcpy(vector.words + 4, upper(number), half);
    return vector;
  }

  void write(int number, const Vector &vector) {
    // What was as after a reset is zero.
    for (int i = 0; i < 16; ++i) {
      if (!(parts() & lowerPart))
        memset(lower(i), 0, half);
      if (!(parts() & upperPart))
        memset(upper(i), 0, half);
    }
    const uint64_t now = parts() | lowerPart | upperPart;
    memcpy(area + header, &now, sizeof(now));
    memcpy(lower(number), vector.words, half);
    memcpy(upper(number), vector.words + 4, half);
  }

private:
  static constexpr int half = 16, header = 512, upperHalves = 576, lowerHalves = 160;
  static constexpr uint64_t lowerPart = 2, upperPart = 4;

  uint64_t parts() const {
    uint64_t parts;
    memcpy(&parts, area + header, sizeof(parts));
    return parts;
  }
  char *lower(int number) const { return area + lowerHalves + number * half; }
  char *upper(int number) const { return area + upperHalves + number * half; }

  char *area;
};

} // namespace

void keratin::tests::amx::multiplyVectors(const Instruction &instruction, mcontext_t &state) {
  Registers registers(state);
  Vector sums = registers.read(instruction.dest), first = registers.read(instruction.first),
         second = {};
  if (instruction.inMemory)
    memcpy(second.words, reinterpret_cast<const void *>(instruction.address + instruction.stride),
           instruction.vectorWords * sizeof(uint32_t));
  else
    second = registers.read(instruction.second);
  for (int i = 0; i < maxWords; ++i) {
    // What a short vector leaves of its register is zero.
    if (i >= instruction.vectorWords)
      sums.words[i] = 0;
    else if (instruction.op == VPDPBUSD)
      for (int shift = 0; shift < 32; shift += 8)
        sums.words[i] += uint32_t(int32_t(uint8_t(first.words[i] >> shift)) *
                                  int32_t(int8_t(second.words[i] >> shift)));
    else
      for (int shift = 0; shift < 32; shift += 16)
        sums.words[i] += uint32_t(int32_t(int16_t(first.words[i] >> shift)) *
                                  int32_t(int16_t(second.words[i] >> shift)));
  }
  registers.write(instruction.dest, sums);
}
