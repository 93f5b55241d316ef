// Weights of attention as powers of two.
#ifndef KERATIN_CODEGEN_GPU_ATTENTION_ATTENTIONWEIGHTS_H
#define KERATIN_CODEGEN_GPU_ATTENTION_ATTENTIONWEIGHTS_H

#include "mlir/IR/Builders.h"

#include <optional>
#include <utility>

namespace keratin::codegen {

inline constexpr double log2e = 1.4426950408889634;

// Of one instruction, with about as many bits as float32 has: weights are rounded to 11 at most.
// Results that would be denormal are 0.
mlir::Value powerOfTwo(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x);

// A positive number by which the product is multiplied to be these logits, and nothing else but
// casts and reshapes.
std::optional<double> scaleOf(mlir::Value logits, mlir::Value product);

// What a factor of a product is before it is rounded from float32, and a power of two that it is
// multiplied by: who rounds the product rounds it to the same, and once.
std::pair<mlir::Value, double> unroundedFactor(mlir::Value factor);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_ATTENTION_ATTENTIONWEIGHTS_H
