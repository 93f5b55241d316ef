// LLVM's types in C.
#ifndef KERATIN_CODEGEN_C_CTYPES_H
#define KERATIN_CODEGEN_C_CTYPES_H

#include "llvm/IR/Type.h"

#include <string>

namespace keratin::codegen {

// Of a value of the subset that is printed: integers of 1, 8, 16, 32 and 64 bits as unsigned ones
// (an i1 is 0 or 1), floats, doubles, pointers to bytes. A vector of one element is the element.
// Empty: there is none.
std::string cType(llvm::Type *type);
// The same where a value of it lies in memory, whatever else may be there.
std::string cMemoryType(llvm::Type *type);
// An integer's signed counterpart.
std::string cSignedType(llvm::Type *type);
// Arithmetic on shorter integers is done in 32 bits, since C would do it in signed ones.
std::string cArithmeticType(llvm::Type *type);

// The type, or that of the one element of a vector.
llvm::Type *scalarOf(llvm::Type *type);
// Of an integer or float.
unsigned bitsOf(llvm::Type *type);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_C_CTYPES_H
