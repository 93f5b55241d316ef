// A matrix times a vector where both are contiguous in k: dot products, vectors along k, instead of
// tiles.
#ifndef KERATIN_CODEGEN_CPU_CONTRACTIONDOTS_H
#define KERATIN_CODEGEN_CPU_CONTRACTIONDOTS_H

#include "codegen/cpu/ContractionPlan.h"
#include "codegen/elements/LoopEmitter.h"
#include "codegen/elements/SpecSizes.h"

namespace keratin::codegen {

// sums[r] = the sum over k < depth of matrix[r * stride + k] * vector[k] for r < rows; up to
// rowsAtOnce - 1 elements behind are overwritten.
struct DotSums {
  mlir::Type matrixType, vectorType;
  mlir::Value matrix, stride, vector, depth, rows, sums;
};
void emitDotSums(LoopEmitter &emit, const ContractionDots &plan, mlir::Type type,
                 const DotSums &job);

mlir::Value emitDotUnits(LoopEmitter &emit, const ContractionSpec &spec,
                         const ContractionDots &plan);
SizeCases dotUnits(const ContractionSpec &spec, const ContractionDots &plan);
void emitDots(LoopEmitter &emit, const ContractionSpec &spec, const ContractionDots &plan,
              mlir::Value begin, mlir::Value end);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_CONTRACTIONDOTS_H
