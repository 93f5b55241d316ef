// Sharded functions in which each rank normalises with the statistics of its own rows.
#ifndef KERATIN_IR_DIALECT_LOCALSTATISTICS_H
#define KERATIN_IR_DIALECT_LOCALSTATISTICS_H

#include "llvm/ADT/StringRef.h"

namespace keratin::ir {

// On a function that has keratin.enter_rank for it, until --keratin-erase-markers.
inline constexpr llvm::StringLiteral kLocalStatisticsAttr = "keratin.local_statistics";

} // namespace keratin::ir

#endif // KERATIN_IR_DIALECT_LOCALSTATISTICS_H
