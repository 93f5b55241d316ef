// Sharded functions of which each rank has a part of what optimizers keep.
#ifndef KERATIN_IR_DIALECT_SHARDSSTATES_H
#define KERATIN_IR_DIALECT_SHARDSSTATES_H

#include "llvm/ADT/StringRef.h"

namespace keratin::ir {

// On a function of a saved graph, until its variables are divided.
inline constexpr llvm::StringLiteral kShardsStatesAttr = "keratin.shards_states";

} // namespace keratin::ir

#endif // KERATIN_IR_DIALECT_SHARDSSTATES_H
