// Files of HDF5, read by libhdf5, which is opened by name when the first file is: nothing is linked
// with it, and machines without it lack nothing else.
//
// What is read is treated as hostile: only what lies in the file itself, behind no link to another
// place; sizes are checked against the bytes stored before anything is asked for. What the library
// makes of a damaged file is its own affair.
#ifndef KERATIN_COMPILER_ARRAYS_HDF5_H
#define KERATIN_COMPILER_ARRAYS_HDF5_H

#include "compiler/arrays/Array.h"

#include "absl/status/statusor.h"

#include <memory>
#include <optional>

namespace keratin::compiler {

// One thread of all uses the library at a time. Messages do not name the file.
class Hdf5File {
public:
  // FAILED_PRECONDITION without the library, UNAVAILABLE if the file cannot be read,
  // INVALID_ARGUMENT for what is no file of HDF5, as below for anything wrong.
  static absl::StatusOr<Hdf5File> open(const std::string &path);
  Hdf5File(Hdf5File &&);
  Hdf5File &operator=(Hdf5File &&);
  ~Hdf5File();

  // Objects are named by the way from the root, "model_weights/dense_1"; "" is the root.
  absl::StatusOr<bool> has(const std::string &object) const;
  // The texts of an attribute, one if it is no list; nullopt where it is not there.
  absl::StatusOr<std::optional<std::vector<std::string>>> texts(const std::string &object,
                                                                const std::string &attribute) const;
  // A dataset of integers or floats, which are of the native order then.
  absl::StatusOr<Array> array(const std::string &dataset) const;

private:
  struct Impl;
  explicit Hdf5File(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_ARRAYS_HDF5_H
