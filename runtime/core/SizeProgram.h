// Postfix programs over checked 64-bit integers: how sizes follow from the symbols of a call.
#ifndef KERATIN_RUNTIME_CORE_SIZEPROGRAM_H
#define KERATIN_RUNTIME_CORE_SIZEPROGRAM_H

#include "runtime/abi/keratin_abi.h"

namespace keratin::runtime {

// A program that needs a deeper stack is refused when the executable is made.
inline constexpr int sizeStackDepth = 64;

// nullptr if the program is well formed and reads only slots below numSlots; else what is wrong
// with it.
const char *validateSizeProgram(const keratin_size_program_t &program, int64_t numSlots);

struct SizeProgramError {
  enum class Kind { Overflow, DivisionByZero, Broadcast };
  Kind kind;
  int32_t opcode; // keratin_size_opcode_t
  int64_t lhs, rhs;
};

// Runs a program that validateSizeProgram accepted. False, with error filled, if it cannot be
// evaluated.
bool runSizeProgram(const keratin_size_program_t &program, const int64_t *slots, int64_t &result,
                    SizeProgramError &error);

// "+", "//", "max", ...
const char *sizeOpcodeName(int32_t opcode);

} // namespace keratin::runtime

#endif // KERATIN_RUNTIME_CORE_SIZEPROGRAM_H
