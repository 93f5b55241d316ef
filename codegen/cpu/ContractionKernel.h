// Batched matrix products as loops over register tiles: C[b,m,n] = sum over k of A[b,m,k] *
// B[b,k,n].
//
// The generator writes scf, arith, vector and llvm pointer ops; it knows nothing of tensors or of
// the keratin dialect. The caller describes where A and B are and what happens to finished sums;
// one emission serves every size, and sizes known at compile time only make it choose better
// (docs/contractions.md).
//
// The work is divided into units, each a block of rows and columns of one batch entry. Unit bounds
// and the order of every sum follow from the sizes alone, so that any split of the units over
// threads gives the same bits.
#ifndef KERATIN_CODEGEN_CPU_CONTRACTIONKERNEL_H
#define KERATIN_CODEGEN_CPU_CONTRACTIONKERNEL_H

#include "codegen/cpu/ContractionPlan.h"

namespace keratin::codegen {

// The number of units (index), zero if the result is empty. Emits a few integer operations.
mlir::Value emitContractionUnits(mlir::OpBuilder &builder, mlir::Location loc,
                                 const ContractionSpec &spec, const ContractionPlan &plan,
                                 const MachineTarget &target);

// Emits the work of the units [begin, end) at the builder's insertion point, which must be inside a
// function of a module: the micro-kernel and the packing go to private functions of that module,
// shared by all its contractions with the same tile.
void emitContraction(mlir::OpBuilder &builder, mlir::Location loc, const ContractionSpec &spec,
                     const ContractionPlan &plan, const MachineTarget &target, mlir::Value begin,
                     mlir::Value end);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_CONTRACTIONKERNEL_H
