// Types and state spaces of PTX.
#pragma once

#include <cstdint>
#include <string_view>

namespace keratin::ptx {

enum class Type : uint8_t {
  None,
  Pred,
  B8,
  B16,
  B32,
  B64,
  B128,
  U8,
  U16,
  U32,
  U64,
  S8,
  S16,
  S32,
  S64,
  F16,
  F16x2,
  BF16,
  BF16x2,
  F32,
  F64,
  TF32
};
enum class TypeClass : uint8_t { None, Predicate, Bits, Unsigned, Signed, Float };

struct TypeFacts {
  std::string_view name; // with its dot
  Type type;
  uint8_t bytes;
  TypeClass kind;
};
// The facts of a type; of the type that a word of a mnemonic spells, or null.
const TypeFacts &facts(Type type);
const TypeFacts *typeNamed(std::string_view word);

inline uint32_t bytesOf(Type type) { return facts(type).bytes; }
inline bool isFloat(Type type) { return facts(type).kind == TypeClass::Float; }
inline bool isSigned(Type type) { return facts(type).kind == TypeClass::Signed; }
inline bool isInteger(Type type) {
  TypeClass kind = facts(type).kind;
  return kind == TypeClass::Bits || kind == TypeClass::Unsigned || kind == TypeClass::Signed;
}

enum class Space : uint8_t { Generic, Register, Global, Constant, Shared, Local, Parameter };

} // namespace keratin::ptx
