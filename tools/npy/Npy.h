// NumPy's .npy files, format versions 1.0 to 3.0.
// Source: NumPy documentation, numpy.lib.format.
//
// What is read is treated as hostile: nothing is evaluated, and nothing is asked for that the bytes
// given do not hold. Arrays of Python objects are refused: reading those runs code.
#ifndef KERATIN_TOOLS_NPY_NPY_H
#define KERATIN_TOOLS_NPY_NPY_H

#include "tools/npy/Array.h"

#include "absl/status/statusor.h"

#include <string_view>

namespace keratin::tools {

// Big-endian elements and Fortran order are converted. Errors are INVALID_ARGUMENT, or
// UNIMPLEMENTED for what NumPy has and Keratin has not.
absl::StatusOr<Array> parseNpy(std::string_view bytes);

// Version 1.0. bfloat16, which NumPy lacks, is widened to float32.
std::string formatNpy(const Array &array);

// The bytes of a regular file.
absl::StatusOr<std::string> readArrayFile(const std::string &path);

} // namespace keratin::tools

#endif // KERATIN_TOOLS_NPY_NPY_H
