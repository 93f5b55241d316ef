// keratin.rank and keratin.rank_count: what a call knows of its ranks, as it knows its sizes.
#ifndef KERATIN_IR_DIALECT_RANKNUMBERS_H
#define KERATIN_IR_DIALECT_RANKNUMBERS_H

#include "ir/dialect/Keratin.h"

namespace keratin::ir {

inline bool isRankNumber(mlir::Operation *op) { return mlir::isa<RankOp, RankCountOp>(op); }

// Its symbol, which --keratin-shard gives it; null: it has none yet. Precondition: isRankNumber.
inline DimsAttr rankNumberSize(mlir::Operation *op) {
  return op->getAttrOfType<DimsAttr>(RankOp::kSizeAttr);
}

} // namespace keratin::ir

#endif // KERATIN_IR_DIALECT_RANKNUMBERS_H
