// Convolutions as loops over register tiles, without an unfolded copy of x:
//   y[b, g, o, f] = sum over i, c of z[b, g, o * stride - low + i * dilation, c] * w[g, i, c, f]
// (see keratin.convolution). The generator writes scf, arith, vector and llvm pointer ops; it knows
// nothing of tensors or of the keratin dialect.
//
// One emission serves every size. Work is divided into units, each a block of the result for one
// group and, forward, one batch entry; unit bounds and the order of every sum follow from the sizes
// alone, so that any split of the units over threads gives the same bits (docs/convolutions.md).
#ifndef KERATIN_CODEGEN_CPU_CONVOLUTIONKERNEL_H
#define KERATIN_CODEGEN_CPU_CONVOLUTIONKERNEL_H

#include "codegen/cpu/ConvolutionPlan.h"

namespace keratin::codegen {

// The number of units (index), zero if the result is empty. Emits a few integer operations.
mlir::Value emitConvolutionUnits(mlir::OpBuilder &builder, mlir::Location loc,
                                 const ConvolutionSpec &spec, const ConvolutionPlan &plan,
                                 const MachineTarget &target);

// Emits the work of the units [begin, end) (index) at the builder's insertion point, which must be
// inside a function of a module.
void emitConvolution(mlir::OpBuilder &builder, mlir::Location loc, const ConvolutionSpec &spec,
                     const ConvolutionPlan &plan, const MachineTarget &target, mlir::Value begin,
                     mlir::Value end);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_CONVOLUTIONKERNEL_H
