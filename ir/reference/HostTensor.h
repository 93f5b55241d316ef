// A tensor of the reference interpreter: wide storage, plain code.
#ifndef KERATIN_IR_REFERENCE_HOSTTENSOR_H
#define KERATIN_IR_REFERENCE_HOSTTENSOR_H

#include "runtime/abi/keratin_types.h"

#include <cstdint>
#include <vector>

namespace keratin::ir {

// Floats of every width are held as double and never rounded between ops, so that the interpreter
// shows what a graph means, not what float32 makes of it (keratin.cast does round to its result's
// precision). Integers and bools are held as int64_t, wrapped to their width after each op; uint64
// as the same 64 bits.
struct HostTensor {
  keratin_dtype_t dtype = KERATIN_DTYPE_INVALID;
  std::vector<int64_t> dims;
  std::vector<double> floats; // used if isFloat()
  std::vector<int64_t> ints;  // used otherwise

  bool isFloat() const { return dtype >= KERATIN_DTYPE_FLOAT16 && dtype <= KERATIN_DTYPE_FLOAT64; }
  // How many elements are stored: the product of the dimensions in a complete tensor.
  int64_t size() const { return isFloat() ? floats.size() : ints.size(); }
};

} // namespace keratin::ir

#endif // KERATIN_IR_REFERENCE_HOSTTENSOR_H
