#include "runtime/core/SizeProgram.h"

namespace keratin::runtime {

const char *validateSizeProgram(const keratin_size_program_t &program, int64_t numSlots) {
  if (!program.code || program.length <= 0)
    return "it is empty";
  int depth = 0;
  for (int64_t position = 0; position < program.length;) {
    int64_t opcode = program.code[position++];
    if (opcode == KERATIN_SIZE_CONST || opcode == KERATIN_SIZE_SLOT) {
      if (position == program.length)
        return "its last operation has no operand";
      int64_t operand = program.code[position++];
      if (opcode == KERATIN_SIZE_SLOT && (operand < 0 || operand >= numSlots))
        return "it reads a slot that is not computed before it";
      if (++depth > sizeStackDepth)
        return "it needs too deep a stack";
    } else if (opcode >= KERATIN_SIZE_ADD && opcode <= KERATIN_SIZE_MOD) {
      if (--depth < 1)
        return "an operation lacks operands";
    } else {
      return "it has an unknown operation";
    }
  }
  return depth == 1 ? nullptr : "it leaves more than one value";
}

// Floor and ceiling quotients; the remainder has the sign of the divisor, as in Python.
static int64_t floorDivide(int64_t a, int64_t b) {
  int64_t quotient = a / b;
  return quotient - (a % b != 0 && (a < 0) != (b < 0));
}

// Not a - floorDivide(a, b) * b: that product may not fit.
static int64_t floorRemainder(int64_t a, int64_t b) {
  int64_t remainder = a % b;
  return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

static int64_t ceilDivide(int64_t a, int64_t b) {
  int64_t quotient = a / b;
  return quotient + (a % b != 0 && (a < 0) == (b < 0));
}

static bool applySizeOpcode(int32_t opcode, int64_t a, int64_t b, int64_t &result,
                            SizeProgramError &error) {
  using Kind = SizeProgramError::Kind;
  auto failWith = [&](Kind kind) {
    error = {kind, opcode, a, b};
    return false;
  };
  switch (opcode) {
  case KERATIN_SIZE_ADD:
    return !__builtin_add_overflow(a, b, &result) || failWith(Kind::Overflow);
  case KERATIN_SIZE_SUB:
    return !__builtin_sub_overflow(a, b, &result) || failWith(Kind::Overflow);
  case KERATIN_SIZE_MUL:
    return !__builtin_mul_overflow(a, b, &result) || failWith(Kind::Overflow);
  case KERATIN_SIZE_FLOORDIV:
  case KERATIN_SIZE_CEILDIV:
  case KERATIN_SIZE_MOD:
    if (b == 0)
      return failWith(Kind::DivisionByZero);
    if (b == -1) { // min / -1 traps on the machine
      if (opcode == KERATIN_SIZE_MOD) {
        result = 0;
        return true;
      }
      return !__builtin_sub_overflow(int64_t(0), a, &result) || failWith(Kind::Overflow);
    }
    result = opcode == KERATIN_SIZE_FLOORDIV  ? floorDivide(a, b)
             : opcode == KERATIN_SIZE_CEILDIV ? ceilDivide(a, b)
                                              : floorRemainder(a, b);
    return true;
  case KERATIN_SIZE_MAX:
    result = a > b ? a : b;
    return true;
  case KERATIN_SIZE_MIN:
    result = a < b ? a : b;
    return true;
  default: // KERATIN_SIZE_BROADCAST; validation let nothing else through
    if (a != 1 && b != 1 && a != b)
      return failWith(Kind::Broadcast);
    result = a == 1 ? b : a;
    return true;
  }
}

bool runSizeProgram(const keratin_size_program_t &program, const int64_t *slots, int64_t &result,
                    SizeProgramError &error) {
  int64_t stack[sizeStackDepth];
  int top = -1;
  for (int64_t position = 0; position < program.length;) {
    int32_t opcode = int32_t(program.code[position++]);
    if (opcode == KERATIN_SIZE_CONST) {
      stack[++top] = program.code[position++];
    } else if (opcode == KERATIN_SIZE_SLOT) {
      stack[++top] = slots[program.code[position++]];
    } else {
      int64_t rhs = stack[top--];
      if (!applySizeOpcode(opcode, stack[top], rhs, stack[top], error))
        return false;
    }
  }
  result = stack[0];
  return true;
}

const char *sizeOpcodeName(int32_t opcode) {
  static const char *const names[] = {"constant", "slot", "+",   "-",         "*", "//",
                                      "ceildiv",  "max",  "min", "broadcast", "%"};
  return opcode >= 0 && opcode <= KERATIN_SIZE_MOD ? names[opcode] : "?";
}

} // namespace keratin::runtime
