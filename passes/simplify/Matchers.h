// Questions that rewrite rules ask about values.
#ifndef KERATIN_PASSES_SIMPLIFY_MATCHERS_H
#define KERATIN_PASSES_SIMPLIFY_MATCHERS_H

#include "ir/dialect/Keratin.h"

#include <optional>

namespace keratin::passes {

// The constant that stands at every index of the value: a splat constant, also behind a broadcast
// or reshape (a splat is written as a scalar and a broadcast). Null if it is none.
mlir::Attribute getSplat(mlir::Value value);
// The same as a number. Floats of any width are exact in double; integers beyond 2^53 are not
// given.
std::optional<double> getSplatNumber(mlir::Value value);
// Whether the value is this number everywhere; 0.0 and -0.0 are different floats.
bool isSplat(mlir::Value value, double number);

bool isFloat(mlir::Value value);
inline bool isInteger(mlir::Value value) { return !isFloat(value); }
bool isBool(mlir::Value value);

// Whether it is never negative, and never -0 either (so that pow and sqrt agree); NaN may be.
bool isNonNegative(mlir::Value value);

// Axes of a tensor of this rank that are not in the ascending list.
llvm::SmallVector<int64_t> complement(llvm::ArrayRef<int64_t> axes, int64_t rank);

// Whether a contraction of transpose(x) with these dimensions can be one of x: the free dimensions,
// which the result has in their order, keep it.
bool keepsFreeOrder(llvm::ArrayRef<int64_t> permutation, llvm::ArrayRef<int64_t> batch,
                    llvm::ArrayRef<int64_t> contract);

} // namespace keratin::passes

#endif // KERATIN_PASSES_SIMPLIFY_MATCHERS_H
