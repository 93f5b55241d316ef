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

#include "codegen/cpu/ContractionKernel.h"

#include "llvm/ADT/SmallVector.h"

namespace keratin::codegen {

// An index value, and what is known of it at compile time.
using ConvolutionSize = ContractionSize;

// A dimension that windows slide along.
struct ConvolutionWindow {
  ConvolutionSize x, filter, y, low;
  int64_t stride = 1, xDilation = 1, dilation = 1;
  bool reversed = false;
};

// Where elements are, strides in elements. The stride of a dimension that an operand lacks is 0.
struct ConvolutionOperand {
  mlir::Value base;       // llvm.ptr
  mlir::Type elementType; // may be f16 or bf16, which are widened to the accumulator
  ConvolutionSize batch;  // of x only
  ConvolutionSize groups, contracted;
  ConvolutionSize filters; // of the filter only
  llvm::SmallVector<ConvolutionSize, 3> windows;
};

// Place of the first lane of a vector of sums; lanes lie along the filters or along the groups.
struct ConvolutionPlace {
  mlir::Value batch, group, filter; // index
  llvm::SmallVector<mlir::Value, 3> windows;
  bool alongGroups = false;
};

// See ContractionStore.
using ConvolutionStore =
    std::function<void(mlir::OpBuilder &builder, mlir::Location loc, const ConvolutionPlace &place,
                       mlir::Value sums, mlir::Value mask)>;

struct ConvolutionSpec {
  // f32, f64 or a signless integer; sums are made in it. f32 if an operand is f16 or bf16.
  mlir::Type accumulatorType;
  ConvolutionSize batch, groups, contracted, filters; // 1 where there is no such dimension
  llvm::SmallVector<ConvolutionWindow, 3> windows;    // at least one
  ConvolutionOperand x, filter;
  ConvolutionStore store;
  // llvm.ptr, 64-byte aligned, as big as emitConvolution says, private to the chunk.
  mlir::Value scratch;
};

// The number of units (index), zero if the result is empty. Emits a few integer operations.
mlir::Value emitConvolutionUnits(mlir::OpBuilder &builder, mlir::Location loc,
                                 const ConvolutionSpec &spec, const MachineTarget &target);

// Emits the work of the units [begin, end) (index) at the builder's insertion point, which must be
// inside a function of a module, and gives the bytes of scratch that a chunk needs: a constant that
// does not depend on sizes known only at run time.
int64_t emitConvolution(mlir::OpBuilder &builder, mlir::Location loc, const ConvolutionSpec &spec,
                        const MachineTarget &target, mlir::Value begin, mlir::Value end);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_CONVOLUTIONKERNEL_H
