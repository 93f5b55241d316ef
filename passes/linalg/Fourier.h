// Fourier transforms as ops that every target knows.
#ifndef KERATIN_PASSES_LINALG_FOURIER_H
#define KERATIN_PASSES_LINALG_FOURIER_H

#include "ir/builder/GraphMath.h"

namespace keratin::passes {

// Real and imaginary parts of complex numbers, of one type.
struct ComplexParts {
  mlir::Value re, im;
};

// Transforms of the lines of a matrix; nothing is divided. `inverse`: with exp(2 pi i j k / n).
ComplexParts transformLines(ir::GraphMath &g, const ComplexParts &x, bool inverse);
// The first n / 2 + 1 elements of that of real numbers, and all of them of these.
ComplexParts transformReals(ir::GraphMath &g, mlir::Value x, int64_t length, bool inverse);
ComplexParts mirrored(ir::GraphMath &g, const ComplexParts &half, int64_t length);
// The real parts alone. Precondition of both: the length is even.
mlir::Value transformToReals(ir::GraphMath &g, const ComplexParts &x, int64_t length, bool inverse);

// Of a length with small factors, in stages.
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
// A constant of these dimensions.
mlir::Value constantOf(ir::GraphMath &g, llvm::ArrayRef<int64_t> dims,
                       llvm::ArrayRef<double> numbers, mlir::Type elementType);

} // namespace keratin::passes

#endif // KERATIN_PASSES_LINALG_FOURIER_H
