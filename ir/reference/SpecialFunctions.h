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
// The incomplete gamma function, regularized, and 1 minus that, of a >= 0 and x >= 0.
Long igamma(Long a, Long x);
Long igammac(Long a, Long x);
// How x changes with a where igamma(a, x) stays as it is.
Long gammaSampleGradient(Long a, Long x);
// The incomplete beta function, regularized, of a, b >= 0 and x from 0 to 1.
Long betainc(Long a, Long b, Long x);
// How x changes with a where betainc(a, b, x) stays as it is.
Long betaSampleGradient(Long a, Long b, Long x);

} // namespace keratin::ir::reference

#endif // KERATIN_IR_REFERENCE_SPECIALFUNCTIONS_H
