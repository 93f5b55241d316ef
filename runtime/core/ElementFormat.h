// How one element of an array is written, so that all elements line up.
#ifndef KERATIN_RUNTIME_CORE_ELEMENTFORMAT_H
#define KERATIN_RUNTIME_CORE_ELEMENTFORMAT_H

#include "runtime/core/DecimalFloat.h"
#include "runtime/core/Text.h"

namespace keratin::runtime {

// Two passes: every element that will be written is shown to the format, which settles widths; then
// each is written.
class ElementFormat {
public:
  // NumPy gives bools the width of False, whatever they are.
  explicit ElementFormat(int32_t dtype)
      : dtype(dtype), width(dtype == KERATIN_DTYPE_BOOL ? 5 : 0) {}

  // First pass, over all elements: settles positional or scientific.
  void observe(const void *element);
  // Second pass, over all elements again: settles widths.
  void measure(const void *element);
  void finish();
  void write(const void *element, Text &text) const;

  // A scalar by itself, as str() of a NumPy scalar: 1.0, 1e-05, True.
  static void writeScalar(int32_t dtype, const void *element, Text &text);

private:
  double load(const void *element) const;
  bool isFloat() const;
  Decimal decimalOf(double value) const;

  int32_t dtype;
  // Of the finite values other than zero.
  bool anyNonZero = false;
  double largest = 0, smallest = 0;
  bool scientific = false;
  bool anyFinite = false, anyNotFinite = false, anyNegativeInfinity = false;
  int integerWidth = 0, fractionWidth = 0, exponentWidth = 0;
  int width; // of integers and bools
};

} // namespace keratin::runtime

#endif // KERATIN_RUNTIME_CORE_ELEMENTFORMAT_H
