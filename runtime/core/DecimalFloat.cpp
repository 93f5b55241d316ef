#include "runtime/core/DecimalFloat.h"
#include "runtime/abi/keratin_abi.h"
#include "runtime/core/Half.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

namespace keratin::runtime {

// What text reads back as, in dtype.
static double parseAs(const char *text, int32_t dtype) {
  switch (dtype) {
  case KERATIN_DTYPE_FLOAT16:
    return doubleFromFloat16(float16FromDouble(strtod(text, nullptr)));
  case KERATIN_DTYPE_BFLOAT16:
    return doubleFromBfloat16(bfloat16FromDouble(strtod(text, nullptr)));
  case KERATIN_DTYPE_FLOAT32:
    return double(strtof(text, nullptr));
  default:
    return strtod(text, nullptr);
  }
}

// Takes digits and exponent out of "-1.2345e+02". The decimal point is the locale's, of whatever
// length.
static Decimal fromScientificText(const char *text) {
  Decimal decimal;
  decimal.negative = *text == '-';
  decimal.count = 0;
  const char *place = text + decimal.negative;
  for (; *place != 'e'; ++place)
    if (*place >= '0' && *place <= '9')
      decimal.digits[decimal.count++] = *place;
  decimal.exponent = atoi(place + 1);
  while (decimal.count > 1 && decimal.digits[decimal.count - 1] == '0')
    --decimal.count;
  if (decimal.count == 1 && decimal.digits[0] == '0')
    decimal.exponent = 0;
  return decimal;
}

// One more in the last digit of "1.2345e+02". False where that would carry out of the first.
static bool stepUp(char *text) {
  char *place = text;
  while (*place != 'e')
    ++place;
  while (place-- > text) {
    if (*place < '0' || *place > '9')
      continue;
    if (*place != '9') {
      ++*place;
      return true;
    }
    *place = '0';
  }
  return false;
}

Decimal shortestDecimal(double value, int32_t dtype, bool scientific, int precision) {
  char text[48];
  Decimal decimal;
  // The digits after the first; 17 in all tell any two doubles apart.
  for (int fraction = 0; fraction <= 16; ++fraction) {
    snprintf(text, sizeof(text), "%.*e", fraction, value);
    if (fraction == 16 || parseAs(text, dtype) == value)
      break;
    // A power of two is nearer to its lower neighbour: the next decimal up may be its own though
    // the nearest is not.
    if (stepUp(text) && parseAs(text, dtype) == value)
      break;
  }
  decimal = fromScientificText(text);
  if (precision == anyPrecision || value == 0)
    return decimal;
  int cut = scientific ? precision : precision + decimal.exponent;
  if (decimal.count - 1 <= cut)
    return decimal;
  assert(cut >= 0 && "no digit within the precision");
  return roundedDecimal(value, cut);
}

Decimal roundedDecimal(double value, int fraction) {
  char text[48];
  snprintf(text, sizeof(text), "%.*e", fraction, value);
  return fromScientificText(text);
}

} // namespace keratin::runtime
