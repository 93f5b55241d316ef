// Element types of ONNX, and how tensors hold them.
#ifndef KERATIN_FRONTEND_ONNX_ELEMENTTYPES_H
#define KERATIN_FRONTEND_ONNX_ELEMENTTYPES_H

#include "keratin/array.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace keratin::frontend::onnx_models {

// Integers of 2 and 4 bits are narrow: int8 or uint8 hold them, in their range.
struct ElementType {
  DType dtype;
  int bits = 0; // of narrow ones

  bool isNarrow() const { return bits; }
  bool operator==(const ElementType &other) const {
    return dtype == other.dtype && bits == other.bits;
  }
};

// nullopt for a type that no tensor of ours has.
std::optional<ElementType> elementTypeOf(int64_t number);
// "FLOAT", …, or the number.
std::string elementTypeName(int64_t number);
// "float32", …, "int4".
std::string elementTypeName(ElementType type);

// The numbers that integers can be; nullopt for other types, and integers of more than 16 bits.
struct IntegerRange {
  double low, high;
};
std::optional<IntegerRange> rangeOf(ElementType type);

// Narrow integers that lie in bytes, the first in the lowest bits.
Array unpackedIntegers(ElementType type, std::vector<int64_t> dims, const char *bytes);

} // namespace keratin::frontend::onnx_models

#endif // KERATIN_FRONTEND_ONNX_ELEMENTTYPES_H
