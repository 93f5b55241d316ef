// An array as a file holds it.
#ifndef KERATIN_COMPILER_ARRAYS_ARRAY_H
#define KERATIN_COMPILER_ARRAYS_ARRAY_H

#include "runtime/abi/keratin_types.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace keratin::compiler {

struct Array {
  keratin_dtype_t dtype = KERATIN_DTYPE_INVALID;
  std::vector<int64_t> dims;
  std::vector<char> data; // row-major, little-endian; a bool is a byte 0 or 1
};

struct NamedArray {
  std::string name;
  Array array;
};

// The same in somebody else's memory.
struct ArrayView {
  keratin_dtype_t dtype = KERATIN_DTYPE_INVALID;
  std::vector<int64_t> dims;
  std::string_view data;

  ArrayView(keratin_dtype_t dtype, std::vector<int64_t> dims, std::string_view data)
      : dtype(dtype), dims(std::move(dims)), data(data) {}
  ArrayView(const Array &array)
      : ArrayView(array.dtype, array.dims, {array.data.data(), array.data.size()}) {}
};

struct NamedView {
  std::string name;
  ArrayView array;
};

// Where the bytes of a file go, one after the other.
using ByteSink = std::function<void(std::string_view)>;

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_ARRAYS_ARRAY_H
