// Fourier transforms as ops that every target knows.
#ifndef KERATIN_PASSES_LINALG_FOURIER_H
#define KERATIN_PASSES_LINALG_FOURIER_H

#include "ir/builder/GraphMath.h"

namespace keratin::passes {

struct FourierRounds;

// Real and imaginary parts of complex numbers, of one type.
struct ComplexParts {
  mlir::Value re, im;
};

// Numbers of the lines of a matrix are two tensors (lines, length), or one of pairs in memory,
// (lines, length, 2). Transforms divide nothing; `inverse`: with exp(2 pi i j k / n).
llvm::SmallVector<mlir::Value> transformLines(ir::GraphMath &g, mlir::ValueRange x, bool inverse,
                                              bool makesPairs);
// The first n / 2 + 1 elements of that of real numbers, and all of them of these.
ComplexParts transformReals(ir::GraphMath &g, mlir::Value x, int64_t length, bool inverse);
ComplexParts mirrored(ir::GraphMath &g, const ComplexParts &half, int64_t length);
// The real parts alone; and of x whose first n / 2 + 1 elements are given and whose others are
// conjugates of those. Precondition of all: the length is even.
mlir::Value transformToReals(ir::GraphMath &g, const ComplexParts &x, int64_t length, bool inverse);
mlir::Value transformHalfToReals(ir::GraphMath &g, const ComplexParts &half, int64_t length,
                                 bool inverse);

// What is built of all operands, which have lines along their first axis, or of so many lines in
// each step of a loop. `length`: of what a line becomes on the way.
llvm::SmallVector<mlir::Value> inBlocks(
    ir::GraphMath &g, llvm::ArrayRef<mlir::Value> operands, int64_t length,
    llvm::function_ref<llvm::SmallVector<mlir::Value>(ir::GraphMath &, mlir::ValueRange)> build);

// Both parts of pairs, and pairs of both.
ComplexParts apart(ir::GraphMath &g, mlir::Value pairs);
mlir::Value paired(ir::GraphMath &g, const ComplexParts &parts);

// Of a length with factors 2, 3, 5 and 7 alone, in two rounds of stages that are written out.
llvm::SmallVector<mlir::Value> transformInRounds(ir::GraphMath &g, mlir::ValueRange x,
                                                 const FourierRounds &rounds, bool inverse,
                                                 bool makesPairs);
// Of short lines in one round, many of them side by side.
llvm::SmallVector<mlir::Value> transformSideBySide(ir::GraphMath &g, mlir::ValueRange x,
                                                   llvm::ArrayRef<int64_t> factors, bool inverse,
                                                   bool makesPairs);
// Of a few numbers, 8 at most if it is a power of two, else an odd number; not inverse.
llvm::SmallVector<ComplexParts> transformWrittenOut(ir::GraphMath &g,
                                                    llvm::ArrayRef<ComplexParts> x);
// Of a length with small factors, in stages that are contractions.
ComplexParts transformInStages(ir::GraphMath &g, const ComplexParts &x,
                               llvm::ArrayRef<int64_t> factors, bool inverse);
// Of any other known length, as a convolution of a length with small factors (Bluestein: A linear
// filtering approach to the computation of the discrete Fourier transform, 1970).
ComplexParts transformByConvolution(ir::GraphMath &g, const ComplexParts &x, int64_t length,
                                    bool inverse);
// Of a length that only the call knows, as a product with the whole matrix.
ComplexParts transformDirectly(ir::GraphMath &g, const ComplexParts &x, bool inverse);

// Of complex numbers, element by element.
ComplexParts multiplied(ir::GraphMath &g, const ComplexParts &a, const ComplexParts &b);
// The value, which whoever reads it reads in memory.
mlir::Value inMemory(ir::GraphMath &g, mlir::Value x);
// One behind the other along the first axis, each made there if it can be.
mlir::Value joinedInMemory(ir::GraphMath &g, mlir::ValueRange xs);
// A constant of these dimensions.
mlir::Value constantOf(ir::GraphMath &g, llvm::ArrayRef<int64_t> dims,
                       llvm::ArrayRef<double> numbers, mlir::Type elementType);

} // namespace keratin::passes

#endif // KERATIN_PASSES_LINALG_FOURIER_H
