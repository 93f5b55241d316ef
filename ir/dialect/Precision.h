// Functions whose products are computed in another dtype than their operands have.
#ifndef KERATIN_IR_DIALECT_PRECISION_H
#define KERATIN_IR_DIALECT_PRECISION_H

#include "llvm/ADT/StringRef.h"

namespace keratin::ir {

// On a function, the name of the dtype, until --keratin-mix-precision has seen to it.
inline constexpr llvm::StringLiteral kProductDTypeAttr = "keratin.product_dtype";

} // namespace keratin::ir

#endif // KERATIN_IR_DIALECT_PRECISION_H
