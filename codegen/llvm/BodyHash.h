// What a function computes, as a number.
#ifndef KERATIN_CODEGEN_LLVM_BODYHASH_H
#define KERATIN_CODEGEN_LLVM_BODYHASH_H

#include "mlir/Interfaces/FunctionInterfaces.h"

#include <string>

namespace keratin::codegen {

// 128 bits of BLAKE3, in hexadecimal, of the types, ops and attributes of a function, which do not
// depend on its name, on locations or on the process. Functions of one hash are equal, if what they
// call by one name is; equal functions that were built in different order may have two.
std::string bodyHash(mlir::FunctionOpInterface function);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_LLVM_BODYHASH_H
