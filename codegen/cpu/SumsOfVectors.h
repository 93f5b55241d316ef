// The sums of the lanes of several vectors, as lanes of one.
#ifndef KERATIN_CODEGEN_CPU_SUMSOFVECTORS_H
#define KERATIN_CODEGEN_CPU_SUMSOFVECTORS_H

#include "codegen/elements/LoopEmitter.h"

namespace keratin::codegen {

mlir::Value plus(LoopEmitter &emit, mlir::Value x, mlir::Value y);

// vectorAt(i) for i < count, a power of two and at most the lanes of a vector: lane i is the sum of
// that vector's lanes, the lanes behind hold anything. Vectors are made as they are needed, so that
// few are held at once. The order of the sums is the same for every call.
mlir::Value emitSumsOfVectors(LoopEmitter &emit, int64_t count,
                              llvm::function_ref<mlir::Value(int64_t)> vectorAt);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_SUMSOFVECTORS_H
