// Functions that the C++ library lacks, for the interpreter and for tests of VectorMath: to nearly
// all digits that a long double has, by formulas that have nothing in common with generated code.
#ifndef KERATIN_IR_REFERENCE_SPECIALFUNCTIONS_H
#define KERATIN_IR_REFERENCE_SPECIALFUNCTIONS_H

namespace keratin::ir::reference {

using Long = long double;

Long erfinv(Long x);
// log |gamma(x)|.
Long logGamma(Long x);
// For negative x exact to the digits of what it is the difference of, as everywhere.
Long digamma(Long x);
// Of Hurwitz: the sum of (q + k)^-s over k = 0, 1, ...
Long zeta(Long s, Long q);
// e^-|x| times the modified Bessel functions of order 0 and 1.
Long besselI0e(Long x);
Long besselI1e(Long x);

} // namespace keratin::ir::reference

#endif // KERATIN_IR_REFERENCE_SPECIALFUNCTIONS_H
