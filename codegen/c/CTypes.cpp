#include "codegen/c/CTypes.h"

#include "llvm/IR/DerivedTypes.h"

using namespace keratin;
using namespace llvm;

Type *codegen::scalarOf(Type *type) {
  auto *vector = dyn_cast<FixedVectorType>(type);
  return vector && vector->getNumElements() == 1 ? vector->getElementType() : type;
}

unsigned codegen::bitsOf(Type *type) {
  return unsigned(scalarOf(type)->getPrimitiveSizeInBits().getFixedValue());
}

static bool isWhole(unsigned bits) { return bits == 8 || bits == 16 || bits == 32 || bits == 64; }

std::string codegen::cType(Type *type) {
  type = scalarOf(type);
  if (type->isFloatTy())
    return "float";
  if (type->isDoubleTy())
    return "double";
  if (type->isPointerTy())
    return "unsigned char *";
  if (type->isIntegerTy(1))
    return "uint8_t";
  if (type->isIntegerTy() && isWhole(bitsOf(type)))
    return "uint" + std::to_string(bitsOf(type)) + "_t";
  return "";
}

std::string codegen::cMemoryType(Type *type) {
  type = scalarOf(type);
  if (type->isFloatTy())
    return "keratin_f32";
  if (type->isDoubleTy())
    return "keratin_f64";
  if (type->isPointerTy())
    return "keratin_pointer";
  return "keratin_u" + std::to_string(type->isIntegerTy(1) ? 8 : bitsOf(type));
}

std::string codegen::cSignedType(Type *type) {
  const unsigned bits = bitsOf(type);
  return "int" + std::to_string(bits == 1 ? 8 : bits) + "_t";
}

std::string codegen::cArithmeticType(Type *type) {
  return bitsOf(type) == 64 ? "uint64_t" : "uint32_t";
}
