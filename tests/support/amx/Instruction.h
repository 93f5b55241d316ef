// Machine code of AMX, and of AVX-VNNI. Source: Intel 64 and IA-32 Architectures Software
// Developer's Manual, volume 2; all of it is VEX, map 0F38, W0, tiles 128 bits.
#ifndef KERATIN_TESTS_SUPPORT_AMX_INSTRUCTION_H
#define KERATIN_TESTS_SUPPORT_AMX_INSTRUCTION_H

#include <stdint.h>

namespace keratin::tests::amx {

enum Op : uint8_t {
  LDTILECFG,
  STTILECFG,
  TILERELEASE,
  TILEZERO,
  TILELOADD,
  TILELOADDT1,
  TILESTORED,
  TDPBF16PS,
  TDPBSSD,
  TDPBSUD,
  TDPBUSD,
  TDPBUUD,
  VPDPBUSD,
  VPDPWSSD,
  numOps
};

// As in assembly: "tileloadd".
const char *opName(Op op);

struct Instruction {
  Op op;
  uint8_t bytes;
  uint8_t dest, first, second; // tiles or vectors; what is stored is `dest` too
  uint64_t address, stride;    // of the operand in memory; a vector's is at their sum
  bool inMemory;               // the operand, of a vector's the second
  uint8_t vectorWords;         // 4 or 8; 0 of tiles
};

// False where `code` is something else. `registers` in the order of their encoding, from rax to
// r15; what is read is the instruction, and no byte behind it.
bool decode(const uint8_t *code, const uint64_t registers[16], Instruction &result);

} // namespace keratin::tests::amx

#endif // KERATIN_TESTS_SUPPORT_AMX_INSTRUCTION_H
