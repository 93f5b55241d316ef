// Weights of attention as powers of two.
#ifndef KERATIN_CODEGEN_GPU_ATTENTION_ATTENTIONWEIGHTS_H
#define KERATIN_CODEGEN_GPU_ATTENTION_ATTENTIONWEIGHTS_H

#include "mlir/IR/Builders.h"

#include <optional>

namespace keratin::codegen {

inline constexpr double log2e = 1.4426950408889634;

// Of one instruction, with about as many bits as float32 has: weights are rounded to 11 at most.
// Results that would be denormal are 0.
mlir::Value powerOfTwo(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x);

// A positive number by which the product is multiplied to be these logits, and nothing else but
// casts and reshapes.
std::optional<double> scaleOf(mlir::Value logits, mlir::Value product);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_ATTENTION_ATTENTIONWEIGHTS_H
