// Gathers from, and scatters into, a part of the rows that indices name.
#ifndef KERATIN_IR_DIALECT_OWNROWS_H
#define KERATIN_IR_DIALECT_OWNROWS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

#include "llvm/ADT/StringRef.h"

namespace keratin::ir {

// On a gather or scatter that --keratin-shard has made one of a part: an index outside is of a row
// that another rank has, and no error. It picks zeros, and what would be added there is left out.
// So it is where --keratin-fold-constants gathers as many elements for each place, of which some
// have fewer.
inline constexpr llvm::StringLiteral kOwnRowsAttr = "keratin.own_rows";

inline bool hasOwnRows(mlir::Operation *op) { return op->hasAttr(kOwnRowsAttr); }

inline void setOwnRows(mlir::Operation *op) {
  op->setAttr(kOwnRowsAttr, mlir::UnitAttr::get(op->getContext()));
}

} // namespace keratin::ir

#endif // KERATIN_IR_DIALECT_OWNROWS_H
