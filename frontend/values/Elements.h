// Reading, writing and converting elements of any dtype on the host.
#ifndef KERATIN_FRONTEND_VALUES_ELEMENTS_H
#define KERATIN_FRONTEND_VALUES_ELEMENTS_H

#include "keratin/array.h"

#include <optional>
#include <string>

namespace keratin::frontend {

// The array, or what is packed then, its copy, where its elements do not lie one after another.
const Array &rowMajor(const Array &array, Array &packed);

double elementAsDouble(DType dtype, const void *data, int64_t index);
// Saturates; the 64 bits of a uint64 that does not fit.
int64_t elementAsInteger(DType dtype, const void *data, int64_t index);

// Converts count elements as keratin.cast does.
void convertElements(DType from, const void *source, DType to, void *target, int64_t count);

// Where an element lies beside what a dtype can hold. Into integers go numbers whose fraction is
// cut off; bool and floats take everything, as keratin.cast does.
enum class Fit { Inside, Below, Above, NotANumber };
Fit fitOf(const Array &array, int64_t index, DType dtype);
std::optional<int64_t> firstMisfit(const Array &array, DType dtype);
// As astype, but integers beyond the dtype's range become its ends too.
Array saturated(const Array &array, DType dtype);
// The least and the greatest number of an integer dtype.
Array leastOf(DType dtype);
Array greatestOf(DType dtype);
// "300", "1e+30", "nan"
std::string elementText(const Array &array, int64_t index);
// -1, 0 or 1 as an element of a is less than, equal to or greater than the scalar b, whatever their
// dtypes; 0 for NaN.
int compareElements(const Array &a, int64_t index, const Array &b);

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_VALUES_ELEMENTS_H
