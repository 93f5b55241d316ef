// An array as a file holds it.
#ifndef KERATIN_TOOLS_NPY_ARRAY_H
#define KERATIN_TOOLS_NPY_ARRAY_H

#include "runtime/abi/keratin_types.h"

#include <cstdint>
#include <string>
#include <vector>

namespace keratin::tools {

struct Array {
  keratin_dtype_t dtype = KERATIN_DTYPE_INVALID;
  std::vector<int64_t> dims;
  std::vector<char> data; // row-major, little-endian; a bool is a byte 0 or 1
};

struct NamedArray {
  std::string name;
  Array array;
};

} // namespace keratin::tools

#endif // KERATIN_TOOLS_NPY_ARRAY_H
