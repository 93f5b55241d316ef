// Functions whose updates leave the rows alone that no gradient names.
#ifndef KERATIN_IR_DIALECT_LAZYUPDATES_H
#define KERATIN_IR_DIALECT_LAZYUPDATES_H

#include "llvm/ADT/StringRef.h"

namespace keratin::ir {

// On a function until --keratin-make-updates-lazy has seen to it.
inline constexpr llvm::StringLiteral kLazyUpdatesAttr = "keratin.lazy_updates";

} // namespace keratin::ir

#endif // KERATIN_IR_DIALECT_LAZYUPDATES_H
