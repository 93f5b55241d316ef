// Elementwise functions for the other files of the backend.
#ifndef KERATIN_FRONTEND_BACKEND_ELEMENTWISE_H
#define KERATIN_FRONTEND_BACKEND_ELEMENTWISE_H

#include "frontend/graph/Call.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace keratin::frontend {

// What `compute` makes of two values of one dtype. Bools are 0 and 1 there, and the result is a
// bool again: whether the number is not 0 (spec 0.3).
Value asNumbers(Call &call, Value a, Value b, llvm::function_ref<Value(Value, Value)> compute);
// The same where `compute` adds up any number of products. Bools are floats there, of which no sum
// of ones is 0; a sum of 2^32 integers may be.
Value asSummands(Call &call, Value a, Value b, llvm::function_ref<Value(Value, Value)> compute);
Value asSummands(Call &call, llvm::ArrayRef<Value> values,
                 llvm::function_ref<Value(llvm::ArrayRef<Value>)> compute);

// Call::binary of floats: two integers or bools are cast to floatx.
std::pair<Value, Value> binaryFloats(Call &call, const Operand &x, const Operand &y);
// The same of any number.
std::vector<Value> floatsOfOneShape(Call &call, const std::vector<Operand> &operands);

// A K function of one tensor that is one op of the dialect. CastToFloat: integers and bools become
// floatx first; Keep: the result has the tensor's dtype.
enum class FloatRule { Keep, CastToFloat };
using UnaryMethod = Value (ir::GraphMath::*)(Value);
Tensor elementwise(const char *function, UnaryMethod method, const Operand &x, FloatRule rule,
                   SourceLocation location);

// A binary function of numbers.
using BinaryMethod = Value (ir::GraphMath::*)(Value, Value);
Tensor arithmetic(const char *function, BinaryMethod method, const Operand &x, const Operand &y,
                  SourceLocation location);
Tensor comparison(const char *function, ir::Comparison direction, const Operand &x,
                  const Operand &y, SourceLocation location);

// x limited by bounds that do not make it larger; an empty bound is none.
Value clip(Call &call, Value x, std::optional<double> low, std::optional<double> high);

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_BACKEND_ELEMENTWISE_H
