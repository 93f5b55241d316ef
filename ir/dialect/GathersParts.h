// Sharded functions whose ops may have the parts of all ranks.
#ifndef KERATIN_IR_DIALECT_GATHERSPARTS_H
#define KERATIN_IR_DIALECT_GATHERSPARTS_H

#include "llvm/ADT/StringRef.h"

namespace keratin::ir {

// On a function until --keratin-shard has seen to it.
inline constexpr llvm::StringLiteral kGathersPartsAttr = "keratin.gathers_parts";

} // namespace keratin::ir

#endif // KERATIN_IR_DIALECT_GATHERSPARTS_H
