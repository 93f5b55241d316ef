// Loops over elements that were asked for as ops on all elements.
#ifndef KERATIN_IR_DIALECT_VECTORIZEDMAP_H
#define KERATIN_IR_DIALECT_VECTORIZEDMAP_H

#include "llvm/ADT/StringRef.h"

namespace keratin::ir {

// On a scan without states (a unit): --keratin-vectorize replaces it by ops on all elements. A
// loop means the same.
inline constexpr llvm::StringLiteral kVectorizedAttr = "keratin.vectorized";
// On a loop that stands for one op of such a map: why there is no form of it for all elements.
inline constexpr llvm::StringLiteral kLoopedAttr = "keratin.looped";

} // namespace keratin::ir

#endif // KERATIN_IR_DIALECT_VECTORIZEDMAP_H
