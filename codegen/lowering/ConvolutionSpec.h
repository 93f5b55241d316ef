// A convolution as its generators are told of it, whatever machine it is made for.
#ifndef KERATIN_CODEGEN_LOWERING_CONVOLUTIONSPEC_H
#define KERATIN_CODEGEN_LOWERING_CONVOLUTIONSPEC_H

#include "codegen/lowering/ContractionSpec.h"

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
  mlir::Type elementType; // may be f16, bf16 or shorter integers: see ContractionOperand
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
  // llvm.ptr, 64-byte aligned, as big as the plan says, private to the chunk.
  mlir::Value scratch;
  // i64: 1 + the last unit that was done with this scratch, which is as it was left; 0 if there is
  // none. Null: nobody knows.
  mlir::Value unitsDone;
};

// Outputs o = phases * o' + phase meet the elements i = taps * i' + tap of the filter, for the one
// `tap` (if any) that leads to elements of x and not to zeros between them. These lie at
//   position = step * (o' * oStep + i' * iStep) - low'
// in x, `low'` depending on the phase. Without x dilation: one phase, all taps.
struct WindowSteps {
  int64_t phases = 1, taps = 1;
  int64_t step = 1, oStep = 1, iStep = 1;
  bool hasZeros = false; // x dilation is not 1
};
WindowSteps stepsOf(const ConvolutionWindow &window);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_LOWERING_CONVOLUTIONSPEC_H
