// Values with their derivatives by a parameter, in formulas.
#ifndef KERATIN_CODEGEN_ELEMENTS_VECTORDERIVATIVE_H
#define KERATIN_CODEGEN_ELEMENTS_VECTORDERIVATIVE_H

#include "codegen/elements/VectorExpr.h"

namespace keratin::codegen {

struct Derived {
  VectorExpr value, slope;
};

inline Derived operator+(const Derived &a, const Derived &b) {
  return {a.value + b.value, a.slope + b.slope};
}
inline Derived operator-(const Derived &a, const Derived &b) {
  return {a.value - b.value, a.slope - b.slope};
}
inline Derived operator*(const Derived &a, const Derived &b) {
  return {a.value * b.value, fma(a.value, b.slope, a.slope * b.value)};
}
inline Derived operator/(const Derived &a, const Derived &b) {
  VectorExpr inverse = 1.0 / b.value, quotient = a.value * inverse;
  return {quotient, fma(-quotient, b.slope, a.slope) * inverse};
}
inline Derived operator-(const Derived &a) { return {-a.value, -a.slope}; }
// Of numbers that the parameter does not change.
inline Derived operator+(const Derived &a, const VectorExpr &b) { return {a.value + b, a.slope}; }
inline Derived operator-(const Derived &a, const VectorExpr &b) { return {a.value - b, a.slope}; }
inline Derived operator*(const Derived &a, const VectorExpr &b) {
  return {a.value * b, a.slope * b};
}
inline Derived operator+(const Derived &a, double b) { return {a.value + b, a.slope}; }
inline Derived operator*(const Derived &a, double b) { return {a.value * b, a.slope * b}; }

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_ELEMENTS_VECTORDERIVATIVE_H
