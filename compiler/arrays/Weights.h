// Values of variables by their names, in the files that other programs know: .safetensors and .npz,
// and those that are only read here: what Keras 2 wrote, .h5 or .hdf5, and the index of a set of
// safetensors files, .safetensors.index.json.
#ifndef KERATIN_COMPILER_ARRAYS_WEIGHTS_H
#define KERATIN_COMPILER_ARRAYS_WEIGHTS_H

#include "compiler/arrays/Array.h"

#include "absl/status/statusor.h"

namespace keratin::compiler {

// A variable that takes its value from a file.
struct WeightSlot {
  std::string name;
  keratin_dtype_t dtype = KERATIN_DTYPE_INVALID;
  std::vector<int64_t> dims;
  bool isOptional = false; // keeps its value where the file has none for it
};

enum class WeightsUse { Read, Write };

// INVALID_ARGUMENT unless the path ends as such a file's does.
absl::Status checkWeightsPath(const std::string &path, WeightsUse use);

// The file's values for the variables, in their order, with their dtypes and shapes; an array
// without a dtype for what is optional and not there. Floats are rounded to the variable's dtype,
// integers must be such as it can hold; else, and where one is missing, INVALID_ARGUMENT. What no
// variable is named is passed over. Names in .npz are as writeWeights has them, or the variables',
// in .h5 as readKerasWeights has them. Messages do not name the file. UNAVAILABLE if it cannot be
// read; else as parseNpz, readSafetensors and readKerasWeights.
absl::StatusOr<std::vector<Array>> readWeights(const std::string &path,
                                               const std::vector<WeightSlot> &variables);

// Names in .npz are memberName's (artifact/Names.h). UNAVAILABLE if it cannot be written; then the
// file is as it was.
absl::Status writeWeights(const std::string &path, const std::vector<NamedView> &values);

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_ARRAYS_WEIGHTS_H
