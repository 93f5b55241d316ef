#include "tests/support/amx/Instruction.h"

#include <string.h>

using namespace keratin::tests::amx;

const char *keratin::tests::amx::opName(Op op) {
  static const char *const names[] = {
      "ldtilecfg", "sttilecfg", "tilerelease", "tilezero", "tileloadd", "tileloaddt1", "tilestored",
      "tdpbf16ps", "tdpbssd",   "tdpbsud",     "tdpbusd",  "tdpbuud",   "vpdpbusd",    "vpdpwssd"};
  static_assert(sizeof(names) / sizeof(names[0]) == numOps);
  return names[op];
}

namespace {

enum Prefix : uint8_t { None, P66, PF3, PF2 };

// The parts of an encoding. R, X, B and vvvv are stored inverted.
struct Encoding {
  bool r, x, b;
  uint8_t vvvv;
  Prefix prefix;
  uint8_t opcode, mod, reg, rm;
};

// Adds base and displacement to `address`, sets the stride from the index. Returns behind them.
const uint8_t *readMemoryOperand(const uint8_t *code, const Encoding &encoding,
                                 const uint64_t registers[16], Instruction &result) {
  result.address = result.stride = 0;
  unsigned mod = encoding.mod, base = encoding.rm;
  const bool hasSib = encoding.rm == 4;
  if (hasSib) {
    const uint8_t sib = *code++;
    const unsigned index = (sib >> 3 & 7) | unsigned(encoding.x) << 3;
    base = sib & 7;
    if (index != 4) // rsp is no index
      result.stride = registers[index] << (sib >> 6);
  }
  const bool hasBase = mod != 0 || base != 5;
  if (hasBase)
    result.address = registers[base | unsigned(encoding.b) << 3];
  if (mod == 1) {
    result.address += uint64_t(int64_t(int8_t(*code++)));
  } else if (mod == 2 || !hasBase) {
    int32_t displacement;
    memcpy(&displacement, code, sizeof(displacement));
    code += sizeof(displacement);
    result.address += uint64_t(int64_t(displacement));
    // From the next instruction on.
    if (!hasBase && !hasSib)
      result.address += reinterpret_cast<uint64_t>(code);
  }
  return code;
}

// With a tile and memory, or with memory alone: numOps if there is none.
Op memoryOp(const Encoding &encoding) {
  if (encoding.opcode == 0x49 && encoding.reg == 0 && !encoding.r)
    return encoding.prefix == None ? LDTILECFG : encoding.prefix == P66 ? STTILECFG : numOps;
  // Rows and their distance are a SIB byte's.
  if (encoding.opcode != 0x4B || encoding.rm != 4)
    return numOps;
  switch (encoding.prefix) {
  case P66:
    return TILELOADDT1;
  case PF3:
    return TILESTORED;
  case PF2:
    return TILELOADD;
  default:
    return numOps;
  }
}

Op tileOp(const Encoding &encoding) {
  constexpr Op products[] = {TDPBUUD, TDPBUSD, TDPBSUD, TDPBSSD}; // by prefix
  switch (encoding.opcode) {
  case 0x49:
    if (encoding.rm != 0)
      return numOps;
    return encoding.prefix == PF2                         ? TILEZERO
           : encoding.prefix == None && encoding.reg == 0 ? TILERELEASE
                                                          : numOps;
  case 0x5C:
    return encoding.prefix == PF3 ? TDPBF16PS : numOps;
  case 0x5E:
    return products[encoding.prefix];
  default:
    return numOps;
  }
}

// Behind the ModRM byte: dest += first * second, the latter a register or memory.
bool decodeVector(const uint8_t *code, const uint8_t *at, const Encoding &encoding, bool isLong,
                  const uint64_t registers[16], Instruction &result) {
  if (encoding.prefix != P66)
    return false;
  result.op = encoding.opcode == 0x50 ? VPDPBUSD : VPDPWSSD;
  result.vectorWords = isLong ? 8 : 4;
  result.dest = uint8_t(encoding.reg | encoding.r << 3);
  result.first = encoding.vvvv;
  result.second = uint8_t(encoding.rm | encoding.b << 3);
  result.inMemory = encoding.mod != 3;
  if (result.inMemory)
    at = readMemoryOperand(at, encoding, registers, result);
  result.bytes = uint8_t(at - code);
  return true;
}

} // namespace

bool keratin::tests::amx::decode(const uint8_t *code, const uint64_t registers[16],
                                 Instruction &result) {
  const uint8_t *at = code;
  if (at[0] != 0xC4 || (at[1] & 0x1F) != 2)
    return false;
  Encoding encoding;
  encoding.r = !(at[1] & 0x80);
  encoding.x = !(at[1] & 0x40);
  encoding.b = !(at[1] & 0x20);
  const bool isVector = at[3] == 0x50 || at[3] == 0x52;
  if (at[2] & (isVector ? 0x80 : 0x84)) // W, or 256 bits
    return false;
  encoding.vvvv = ~at[2] >> 3 & 15;
  encoding.prefix = Prefix(at[2] & 3);
  encoding.opcode = at[3];
  if (!isVector && encoding.opcode != 0x49 && encoding.opcode != 0x4B && encoding.opcode != 0x5C &&
      encoding.opcode != 0x5E)
    return false;
  encoding.mod = at[4] >> 6;
  encoding.reg = at[4] >> 3 & 7;
  encoding.rm = at[4] & 7;
  at += 5;
  if (isVector)
    return decodeVector(code, at, encoding, code[2] & 4, registers, result);

  const bool inMemory = result.inMemory = encoding.mod != 3;
  result.vectorWords = 0;
  result.op = inMemory ? memoryOp(encoding) : tileOp(encoding);
  if (result.op == numOps || encoding.r)
    return false;
  const bool isProduct = result.op >= TDPBF16PS;
  // There are eight tiles; who has one operand names no other.
  if (isProduct ? encoding.vvvv >= 8 : encoding.vvvv != 0)
    return false;
  if (!inMemory && encoding.b)
    return false;
  result.dest = encoding.reg;
  result.first = encoding.rm;
  result.second = encoding.vvvv;
  if (inMemory)
    at = readMemoryOperand(at, encoding, registers, result);
  result.bytes = uint8_t(at - code);
  return true;
}
