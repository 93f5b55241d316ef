// A tensor of which each element lies in a range.
#ifndef KERATIN_IR_REFERENCE_BOUNDEDTENSOR_H
#define KERATIN_IR_REFERENCE_BOUNDEDTENSOR_H

#include "ir/reference/HostTensor.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace keratin::ir {

// The interpreter's value and, of the same dtype and shape, the ends of the range. The range holds
// before a last rounding to the dtype. NaN at both ends: surely NaN. NaN at the upper end alone
// (for integers, lower = 1 and upper = 0): anything, for example where a comparison of nearly equal
// numbers decides.
struct BoundedTensor {
  HostTensor value, lower, upper;
};

// Whether not just anything goes.
bool isBounded(const BoundedTensor &tensor, int64_t i);

namespace reference {

//===-- Dtypes --------------------------------------------------------------------------------===//

double rounded(keratin_dtype_t dtype, double x);
// Of the arithmetic on the dtype: that on 16-bit floats goes through float32.
double ulp(keratin_dtype_t dtype);
double smallest(keratin_dtype_t dtype);
double largest(keratin_dtype_t dtype);

//===-- Single elements -----------------------------------------------------------------------===//

enum class Known { Range, NotANumber, Nothing };
Known known(const BoundedTensor &x, size_t i);
bool isPoint(const BoundedTensor &x, size_t i);
void setRange(BoundedTensor &x, size_t i, double lower, double upper);
// Anything, from here on.
void forget(BoundedTensor &x, size_t i);

//===-- All elements --------------------------------------------------------------------------===//

void forgetAll(BoundedTensor &x);
bool isExact(const BoundedTensor &x);
// The values an operand can have, whether it was rounded to memory or stayed in a register.
BoundedTensor asOperand(const BoundedTensor &x);

// Tensors of doubles computed from each element of x.
HostTensor mapElements(const BoundedTensor &x, llvm::function_ref<double(size_t)> function);
HostTensor magnitude(const BoundedTensor &x); // of the ends; 0 where nothing is known
HostTensor valueMagnitude(const BoundedTensor &x);
HostTensor width(const BoundedTensor &x); // from the value to the farther end
// Flags, 0 or 1.
HostTensor unknowns(const BoundedTensor &x);
HostTensor nonFinites(const BoundedTensor &x);
HostTensor ones(const BoundedTensor &x);

} // namespace reference
} // namespace keratin::ir

#endif // KERATIN_IR_REFERENCE_BOUNDEDTENSOR_H
