// Bytes of .npy files, good ones and hostile ones.
#ifndef KERATIN_TESTS_ARRAYS_NPYBYTES_H
#define KERATIN_TESTS_ARRAYS_NPYBYTES_H

#include "compiler/arrays/Array.h"

#include <cstring>
#include <string>
#include <vector>

namespace keratin::tests {

using compiler::Array;

inline std::string bytesOf(uint64_t value, size_t length) {
  std::string bytes;
  for (size_t i = 0; i < length; ++i)
    bytes += i < 8 ? char(value >> (8 * i) & 0xFF) : '\0';
  return bytes;
}

inline std::string npy(const std::string &header, const std::string &data, int major = 1) {
  return "\x93NUMPY" + bytesOf(uint64_t(major), 1) + bytesOf(0, 1) +
         bytesOf(header.size(), major == 1 ? 2 : 4) + header + data;
}

inline std::string dictionary(const std::string &descr, const std::string &shape,
                              bool fortran = false) {
  return "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + shape + ", }\n";
}

template <class T> std::string raw(std::initializer_list<T> values) {
  return std::string(reinterpret_cast<const char *>(values.begin()), values.size() * sizeof(T));
}

template <class T> std::vector<T> valuesOf(const Array &array) {
  std::vector<T> values(array.data.size() / sizeof(T));
  std::memcpy(values.data(), array.data.data(), array.data.size());
  return values;
}

// What must be refused, and with which words.
struct Hostile {
  const char *what;
  std::string bytes;
  const char *message;
};

} // namespace keratin::tests

#endif // KERATIN_TESTS_ARRAYS_NPYBYTES_H
