// Numbers of products on their way from memory to sums.
#ifndef KERATIN_CODEGEN_GPU_CONTRACTIONS_CONTRACTIONNUMBERS_H
#define KERATIN_CODEGEN_GPU_CONTRACTIONS_CONTRACTIONNUMBERS_H

#include "codegen/Float32Products.h"
#include "codegen/elements/LoopEmitter.h"
#include "codegen/gpu/contractions/ContractionTile.h"

namespace keratin::codegen {

// What multiplies elements of this type.
ContractionTile::Units unitsFor(mlir::Type elementType, Float32Products float32Products);
// The type of sums of products of these elements while they are made: f32, f64, i32 or i64.
mlir::Type sumTypeOf(mlir::Type elementType);
// What is shorter than sums as bits: LLVM takes vectors of narrow floats apart.
mlir::Type storageOf(mlir::Type elementType);
// What has been read so, a scalar or a vector, as a number to multiply.
mlir::Value widenToSum(LoopEmitter &emit, mlir::Value stored, mlir::Type elementType,
                       mlir::Type sumType);
// a * b + sum, of floats with one rounding.
mlir::Value addProduct(LoopEmitter &emit, mlir::Value a, mlir::Value b, mlir::Value sum);
// Scalars or vectors.
mlir::Value addSums(LoopEmitter &emit, mlir::Value x, mlir::Value y);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_CONTRACTIONS_CONTRACTIONNUMBERS_H
