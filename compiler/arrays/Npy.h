// NumPy's .npy files, format versions 1.0 to 3.0.
// Source: NumPy documentation, numpy.lib.format.
//
// What is read is treated as hostile: nothing is evaluated, and nothing is asked for that the bytes
// given do not hold. Arrays of Python objects are refused: reading those runs code.
#ifndef KERATIN_COMPILER_ARRAYS_NPY_H
#define KERATIN_COMPILER_ARRAYS_NPY_H

#include "compiler/arrays/Array.h"

#include "absl/status/statusor.h"

#include <string_view>

namespace keratin::compiler {

// Big-endian elements and Fortran order are converted. Errors are INVALID_ARGUMENT, or
// UNIMPLEMENTED for what NumPy has and Keratin has not.
absl::StatusOr<Array> parseNpy(std::string_view bytes);

// What NumPy can hold: bfloat16, which it lacks, is widened to float32, in the text given.
ArrayView forNumpy(const ArrayView &array, std::string &widened);
// What stands before the elements of such an array. Version 1.0.
std::string npyHeader(const ArrayView &array);
// A whole file of any array.
std::string formatNpy(const ArrayView &array);

// The bytes of a regular file; UNAVAILABLE, with a message that does not name it.
absl::StatusOr<std::string> readArrayFile(const std::string &path);

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_ARRAYS_NPY_H
