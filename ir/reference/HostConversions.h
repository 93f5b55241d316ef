// Host tensors from and to bytes and attributes; single elements between element types.
#ifndef KERATIN_IR_REFERENCE_HOSTCONVERSIONS_H
#define KERATIN_IR_REFERENCE_HOSTCONVERSIONS_H

#include "ir/reference/HostTensor.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

#include <optional>
#include <string>
#include <vector>

namespace keratin::ir {

// How many numbers a tensor holds for an element. Complex numbers are two in `floats`, the real and
// the imaginary part: they come and go with functions, and no op computes with them
// (passes/complex), so HostTensor counts them neither as floats nor as elements.
inline int64_t numbersPerElement(keratin_dtype_t dtype) {
  return dtype >= KERATIN_DTYPE_COMPLEX64 ? 2 : 1;
}

// The most elements that the interpreter gives a tensor.
constexpr int64_t kMaxHostElements = int64_t(1) << 28;

// A tensor of zeros; nullopt if a size is negative or there are more than kMaxHostElements.
std::optional<HostTensor> makeHostTensor(keratin_dtype_t dtype, std::vector<int64_t> dims);

// Elements of the dtype in row-major order, as the runtime holds them: bools are bytes, and
// nothing is assumed about alignment. Precondition: `data` holds as many as the dims say.
std::optional<HostTensor> fromBytes(keratin_dtype_t dtype, std::vector<int64_t> dims,
                                    const void *data);
// Floats are rounded to the dtype, to nearest, ties to even.
std::vector<char> toBytes(const HostTensor &tensor);

// From dense<…> and dense_resource<…>; nullopt for another kind or element type.
std::optional<HostTensor> fromElements(mlir::ElementsAttr elements);
// Floats are rounded as in toBytes. Precondition: the type is static and has the tensor's dtype
// and dims.
mlir::DenseElementsAttr toElements(const HostTensor &tensor, mlir::RankedTensorType type);

// To the nearest float of the dtype, ties to even.
double roundToFloat(keratin_dtype_t dtype, double value);
// The low bits of the value as an integer of the dtype; for bool, whether any bit is set.
int64_t wrapToInteger(keratin_dtype_t dtype, int64_t value);
// One element: `floating` counts for float dtypes, `integer` for the others.
struct HostElement {
  double floating = 0;
  int64_t integer = 0;
};
// An element as another element type, with the rules of keratin.cast.
HostElement castElement(keratin_dtype_t from, HostElement element, keratin_dtype_t to);

} // namespace keratin::ir

#endif // KERATIN_IR_REFERENCE_HOSTCONVERSIONS_H
