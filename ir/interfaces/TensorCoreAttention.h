// What of attention and of its gradients tensor cores make.
#ifndef KERATIN_IR_INTERFACES_TENSORCOREATTENTION_H
#define KERATIN_IR_INTERFACES_TENSORCOREATTENTION_H

#include "ir/dialect/Keratin.h"
#include "ir/interfaces/AttentionKinds.h"
#include "ir/shapes/DimExpr.h"

namespace keratin::ir {

// Whether tensor cores make these products as a block of threads holds matrices: all factors and
// results are of one type that the kinds name.
bool areOfTensorCores(llvm::ArrayRef<DotGeneralOp> products, AttentionKinds kinds);

// Whether rows of these widths, which are known, are read 16 bytes at a time and have so many
// elements at most.
bool areWidthsOfTensorCores(llvm::ArrayRef<DimExpr> widths, mlir::Type type, int64_t widest);

// Whether blocks of rows of the whole batch are about as many as the blocks of others that each
// walks over, as far as that is known: few of them would leave most of a device with nothing to do.
bool areWalksShort(const DimExpr &batch, const DimExpr &rows, const DimExpr &others);

} // namespace keratin::ir

#endif // KERATIN_IR_INTERFACES_TENSORCOREATTENTION_H
