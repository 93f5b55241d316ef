// Powers of two for weights of attention.
#ifndef KERATIN_CODEGEN_GPU_ATTENTION_POWEROFTWO_H
#define KERATIN_CODEGEN_GPU_ATTENTION_POWEROFTWO_H

#include "mlir/IR/Builders.h"

namespace keratin::codegen {

// Of one instruction, with about as many bits as float32 has: weights are rounded to 11 at most.
// Results that would be denormal are 0.
mlir::Value powerOfTwo(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_ATTENTION_POWEROFTWO_H
