#include "runtime/core/ElementFormat.h"
#include "runtime/core/DType.h"
#include "runtime/core/Half.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

namespace keratin::runtime {

// NumPy's defaults.
static constexpr int printPrecision = 8;

static bool isComplexDType(int32_t dtype) { return dtype >= KERATIN_DTYPE_COMPLEX64; }
static bool isFloatDType(int32_t dtype) {
  return dtype >= KERATIN_DTYPE_FLOAT16 && !isComplexDType(dtype);
}

static double loadFloat(int32_t dtype, const void *element) {
  uint16_t half;
  float single;
  double value;
  switch (dtype) {
  case KERATIN_DTYPE_FLOAT16:
    memcpy(&half, element, sizeof(half));
    return doubleFromFloat16(half);
  case KERATIN_DTYPE_BFLOAT16:
    memcpy(&half, element, sizeof(half));
    return doubleFromBfloat16(half);
  case KERATIN_DTYPE_FLOAT32:
    memcpy(&single, element, sizeof(single));
    return double(single);
  default:
    memcpy(&value, element, sizeof(value));
    return value;
  }
}

// NumPy chooses the form by arithmetic in the array's own dtype.
static double roundTo(int32_t dtype, double value) {
  switch (dtype) {
  case KERATIN_DTYPE_FLOAT16:
    return doubleFromFloat16(float16FromDouble(value));
  case KERATIN_DTYPE_BFLOAT16:
    return doubleFromBfloat16(bfloat16FromDouble(value));
  case KERATIN_DTYPE_FLOAT32:
    return double(float(value));
  default:
    return value;
  }
}

// Bools and integers; returns the length.
static int exactText(int32_t dtype, const void *element, char (&text)[24]) {
  if (dtype == KERATIN_DTYPE_BOOL)
    return snprintf(text, sizeof(text), *static_cast<const char *>(element) ? "True" : "False");
  int64_t value = 0;
  readInteger(dtype, element, value);
  if (dtype == KERATIN_DTYPE_UINT64)
    return snprintf(text, sizeof(text), "%" PRIu64, uint64_t(value));
  return snprintf(text, sizeof(text), "%" PRId64, value);
}

static const char *notFiniteText(double value) {
  return isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
}

static void writePositional(const Decimal &decimal, Text &text) {
  if (decimal.negative)
    text.append("-");
  if (decimal.exponent < 0) {
    text.append("0.");
    text.repeat('0', -decimal.exponent - 1);
    text.append(decimal.digits, size_t(decimal.count));
    return;
  }
  int before = decimal.exponent + 1;
  text.append(decimal.digits, size_t(before < decimal.count ? before : decimal.count));
  text.repeat('0', before - decimal.count);
  text.append(".");
  if (decimal.count > before)
    text.append(decimal.digits + before, size_t(decimal.count - before));
}

static void writeExponent(int exponent, int digits, Text &text) {
  char number[16];
  snprintf(number, sizeof(number), "e%c%0*d", exponent < 0 ? '-' : '+', digits,
           exponent < 0 ? -exponent : exponent);
  text.append(number);
}

bool ElementFormat::isFloat() const { return isFloatDType(dtype); }
double ElementFormat::load(const void *element) const { return loadFloat(dtype, element); }

Decimal ElementFormat::decimalOf(double value) const {
  Decimal decimal = shortestDecimal(value, dtype, scientific, printPrecision);
  // In arrays NumPy writes digits before the point as they are, not as zeros.
  if (!scientific && decimal.count <= decimal.exponent)
    return roundedDecimal(value, decimal.exponent);
  return decimal;
}

void ElementFormat::observe(const void *element) {
  if (!isFloat())
    return;
  double value = load(element);
  if (!isfinite(value)) {
    anyNotFinite = true;
    anyNegativeInfinity |= isinf(value) && value < 0;
    return;
  }
  anyFinite = true;
  double magnitude = fabs(value);
  if (magnitude == 0)
    return;
  largest = !anyNonZero || magnitude > largest ? magnitude : largest;
  smallest = !anyNonZero || magnitude < smallest ? magnitude : smallest;
  anyNonZero = true;
  scientific = largest >= 1e8 || smallest < roundTo(dtype, 0.0001) ||
               roundTo(dtype, largest / smallest) > 1000;
}

void ElementFormat::measure(const void *element) {
  auto widen = [](int &width, int length) { width = length > width ? length : width; };
  if (isComplexDType(dtype)) {
    Text text;
    writeScalar(dtype, element, text);
    widen(width, int(text.size()));
    return;
  }
  if (!isFloat()) {
    char text[24];
    widen(width, exactText(dtype, element, text));
    return;
  }
  double value = load(element);
  if (!isfinite(value))
    return;
  Decimal decimal = decimalOf(value);
  if (scientific) {
    widen(integerWidth, decimal.negative + 1);
    widen(fractionWidth, decimal.count - 1);
    widen(exponentWidth, decimal.exponentDigits());
  } else {
    widen(integerWidth, decimal.integerLength());
    widen(fractionWidth, decimal.fractionLength());
  }
}

void ElementFormat::finish() {
  if (!anyNotFinite)
    return;
  // "nan" and "inf" end where numbers end: the point and what follows it count.
  int after = fractionWidth + 1 + (anyFinite && scientific ? exponentWidth + 2 : 0);
  int needed = 3 + anyNegativeInfinity - after;
  integerWidth = needed > integerWidth ? needed : integerWidth;
}

void ElementFormat::write(const void *element, Text &text) const {
  if (isComplexDType(dtype)) {
    Text number;
    writeScalar(dtype, element, number);
    text.repeat(' ', width - int(number.size()));
    text.append(number.data(), number.size());
    return;
  }
  if (!isFloat()) {
    char number[24];
    int length = exactText(dtype, element, number);
    text.repeat(' ', width - length);
    text.append(number, size_t(length));
    return;
  }
  double value = load(element);
  if (!isfinite(value)) {
    int total = integerWidth + 1 + fractionWidth + (scientific ? exponentWidth + 2 : 0);
    const char *name = notFiniteText(value);
    text.repeat(' ', total - int(strlen(name)));
    text.append(name);
    return;
  }
  Decimal decimal = decimalOf(value);
  if (scientific) {
    // Where the shortest digits are fewer than others', NumPy goes on with digits of the exact
    // value.
    if (decimal.count - 1 < fractionWidth)
      decimal = roundedDecimal(value, fractionWidth);
    text.repeat(' ', integerWidth - decimal.negative - 1);
    if (decimal.negative)
      text.append("-");
    text.append(decimal.digits, 1);
    text.append(".");
    text.append(decimal.digits + 1, size_t(decimal.count - 1));
    text.repeat('0', fractionWidth - (decimal.count - 1));
    writeExponent(decimal.exponent, exponentWidth, text);
  } else {
    text.repeat(' ', integerWidth - decimal.integerLength());
    writePositional(decimal, text);
    text.repeat(' ', fractionWidth - decimal.fractionLength());
  }
}

// 1.0+2.0j: each part as a scalar by itself.
static void writeComplex(int32_t dtype, const void *element, Text &text) {
  const bool isDouble = dtype == KERATIN_DTYPE_COMPLEX128;
  const int32_t part = isDouble ? KERATIN_DTYPE_FLOAT64 : KERATIN_DTYPE_FLOAT32;
  ElementFormat::writeScalar(part, element, text);
  Text im;
  ElementFormat::writeScalar(part, static_cast<const char *>(element) + (isDouble ? 8 : 4), im);
  if (im.data()[0] != '-')
    text.append("+");
  text.append(im.data(), im.size());
  text.append("j");
}

void ElementFormat::writeScalar(int32_t dtype, const void *element, Text &text) {
  if (isComplexDType(dtype))
    return writeComplex(dtype, element, text);
  if (!isFloatDType(dtype)) {
    char number[24];
    text.append(number, size_t(exactText(dtype, element, number)));
    return;
  }
  double value = loadFloat(dtype, element);
  if (!isfinite(value)) {
    text.append(notFiniteText(value));
    return;
  }
  double magnitude = fabs(value);
  bool scientific = magnitude != 0 && (magnitude >= 1e16 || magnitude < 1e-4);
  Decimal decimal = shortestDecimal(value, dtype, scientific, anyPrecision);
  if (!scientific) {
    writePositional(decimal, text);
    if (decimal.fractionLength() == 0)
      text.append("0");
    return;
  }
  if (decimal.negative)
    text.append("-");
  text.append(decimal.digits, 1);
  if (decimal.count > 1) {
    text.append(".");
    text.append(decimal.digits + 1, size_t(decimal.count - 1));
  }
  writeExponent(decimal.exponent, decimal.exponentDigits(), text);
}

} // namespace keratin::runtime
