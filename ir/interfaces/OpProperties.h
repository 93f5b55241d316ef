// What an op is, as its record says (Keratin_Properties in ir/dialect/KeratinBase.td).
#ifndef KERATIN_IR_INTERFACES_OPPROPERTIES_H
#define KERATIN_IR_INTERFACES_OPPROPERTIES_H

#include "ir/dialect/Keratin.h"

namespace keratin::ir {

//===-- What it costs -------------------------------------------------------------------------===//

// Whether the function of an element costs more than reading it from memory.
bool isCostly(mlir::Operation *op);
// Instructions that an element becomes, roughly.
int64_t instructionsOf(mlir::Operation *op);
// Whether nothing is computed and nothing moved: what lies there already, a size, an index, other
// names or repetitions of elements.
bool costsNothing(mlir::Operation *op);
// Whether it moves all elements of its one operand, so that its result has no fewer of them, and
// zeros beside them at most.
bool movesAll(mlir::Operation *op);
bool takesComplex(mlir::Operation *op);
// Whether kernels make it anew wherever they need it, instead of reading it from memory.
bool isFreeToRepeat(mlir::Operation *op);

//===-- What it does --------------------------------------------------------------------------===//

// Whether the op itself may end the call with an error while it runs: an index out of range, a
// number that is not finite.
bool canFail(mlir::Operation *op);
// Whether its result, outside of kernels, is the first operand's memory or a part of it, under
// another name: a reshape, or a slice of neighbouring rows.
bool isView(mlir::Operation *op);
// The value whose memory `value` is, or is a part of, outside of kernels.
mlir::Value rootOf(mlir::Value value);
// Whether it makes each element of its result from elements of its operands and nothing else, and
// hands it on once, finished: no part of the result is needed while the rest is made.
bool isMadeByElement(mlir::Operation *op);
// Whether it sums products of elements of its two operands.
bool isContraction(mlir::Operation *op);
// Whether its result is made in tiles of finished sums, from which the rest of its kernel starts: a
// contraction, a sum or a choice over windows.
bool isTiled(mlir::Operation *op);
// The function of the runtime by which the host does the op itself; empty: code of its own does it.
llvm::StringRef runtimeFunctionOf(mlir::Operation *op);
// Whether all ranks of a job do it together.
bool isCollective(mlir::Operation *op);

//===-- Algebra -------------------------------------------------------------------------------===//

// Whether dimensions may be in any order, the same for operands and result; elementwise ops aside,
// which are so anyway.
bool takesAnyOrder(mlir::Operation *op);
// Whether what it makes of a sum in this operand is the sum of what it makes of the addends.
bool isLinearIn(mlir::Operation *op, unsigned operand);
// Whether no element of its result, of floats, has a sign, NaN aside.
bool isNeverNegative(mlir::Operation *op);
// Whether the operand says where, not what.
bool saysWhere(mlir::Operation *op, unsigned operand);
// Whether it can be made for all steps of a loop at once (passes/loops/StepBatcher.h), though passes
// leave it there by itself; and whether they take it out.
bool isMappable(mlir::Operation *op);
bool isBatchable(mlir::Operation *op);
// Says in the op's attributes that there is one more dimension before all others, which the op
// leaves alone. For ops that are batchable and have no way of their own for it.
void prependDimension(mlir::Operation *op);

// Whether it stands for a derivative, until the ops that compute it take its place.
bool isDerivative(mlir::Operation *op);

//===-- Numbers -------------------------------------------------------------------------------===//

// Units in the last place that an element may be wrong by (docs/vector-math.md), if its operands
// are right.
int64_t allowedUlps(mlir::Operation *op);
// Whether it rounds nothing, element by element, so that no other form of it has other elements.
bool neverRounds(mlir::Operation *op);
// What an op makes of integers, element by element, that are sizes; nullopt if that is no size.
std::optional<DimExpr> sizeMadeBy(mlir::Operation *op, llvm::ArrayRef<DimExpr> elements);
// Whether the above knows anything about such ops.
bool makesSizes(mlir::Operation *op);
// Calls `visit` with the lists of sizes among the op's attributes. A dictionary of all its
// attributes would be uniqued, and kept, for every op.
void forEachDims(mlir::Operation *op, llvm::function_ref<void(DimsAttr)> visit);

} // namespace keratin::ir

#endif // KERATIN_IR_INTERFACES_OPPROPERTIES_H
