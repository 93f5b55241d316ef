// K functions: element by element.
#ifndef KERATIN_ELEMENTWISE_H
#define KERATIN_ELEMENTWISE_H

#include "keratin/arguments.h"

namespace keratin::backend {

#include "keratin/generated/elementwise.inc"

// The nearest whole number not above, and not below; integers are unchanged. No gradient.
Tensor floor(const Operand &x, SourceLocation location = SourceLocation::current());
Tensor ceil(const Operand &x, SourceLocation location = SourceLocation::current());
// x where the condition is not 0, else y; all three are broadcast. The gradient goes to the one
// that is taken, and the other's is 0 there, however infinite it is.
Tensor where(const Operand &condition, const Operand &x, const Operand &y,
             SourceLocation location = SourceLocation::current());
// sqrt(x * x + y * y) without overflow; at (0, 0) the gradient is 0.
Tensor hypot(const Operand &x, const Operand &y,
             SourceLocation location = SourceLocation::current());
// The angle of the point (x, y), from -pi to pi, with the signs of zeros as C has them; at (0, 0)
// the gradient is 0.
Tensor atan2(const Operand &y, const Operand &x,
             SourceLocation location = SourceLocation::current());
// sin(pi * x) / (pi * x), 1 at 0, as numpy.sinc.
Tensor sinc(const Operand &x, SourceLocation location = SourceLocation::current());
// x * log(y), and 0 where x is 0 and y is no NaN. Where log(y) is not finite there, no gradient
// flows.
Tensor xlogy(const Operand &x, const Operand &y,
             SourceLocation location = SourceLocation::current());
// The zeta function of Hurwitz: the sum of (q + k)^-x over k = 0, 1, ..., as scipy.special.zeta. x
// gets no gradient.
Tensor zeta(const Operand &x, const Operand &q,
            SourceLocation location = SourceLocation::current());
// The incomplete gamma function, regularized: the integral of t^(a - 1) exp(-t) from 0 to x over
// gamma(a), as scipy.special.gammainc; and 1 minus it, which keeps its digits where that is small.
// There are no second derivatives by a.
Tensor igamma(const Operand &a, const Operand &x,
              SourceLocation location = SourceLocation::current());
Tensor igammac(const Operand &a, const Operand &x,
               SourceLocation location = SourceLocation::current());
// The incomplete beta function, regularized: the integral of t^(a - 1) (1 - t)^(b - 1) from 0 to x
// over beta(a, b), as scipy.special.betainc. There are no second derivatives by a and b.
Tensor betainc(const Operand &a, const Operand &b, const Operand &x,
               SourceLocation location = SourceLocation::current());
// The n-th derivative of digamma, n from 0 to 170; of even n NaN at -1, -2, ..., inf at -0.
Tensor polygamma(int64_t n, const Operand &x, SourceLocation location = SourceLocation::current());
// The distribution function of the normal distribution, its logarithm, which keeps its digits
// however small the function is, and its inverse.
Tensor ndtr(const Operand &x, SourceLocation location = SourceLocation::current());
Tensor log_ndtr(const Operand &x, SourceLocation location = SourceLocation::current());
Tensor ndtri(const Operand &p, SourceLocation location = SourceLocation::current());
Tensor square(const Operand &x, SourceLocation location = SourceLocation::current());
// 0 for negative numbers.
Tensor sqrt(const Operand &x, SourceLocation location = SourceLocation::current());
// An integer to a negative integer power is a ValueError.
Tensor pow(const Operand &x, const Operand &a, SourceLocation location = SourceLocation::current());
// The quotient rounded down, as Python's // and numpy.floor_divide: of integers an integer. 0 as an
// integer divisor gives an undefined number. No gradient.
Tensor floor_divide(const Operand &x, const Operand &y,
                    SourceLocation location = SourceLocation::current());
// Bounds may be numbers, tensors or None; x's shape and dtype stay.
Tensor clip(const Operand &x, const Operand &min_value, const Operand &max_value,
            SourceLocation location = SourceLocation::current());
// Float to integer truncates towards zero; to bool: nonzero.
Tensor cast(const Operand &x, DTypeArgument dtype,
            SourceLocation location = SourceLocation::current());
// NaN if either is NaN; a tie's gradient goes to x.
Tensor maximum(const Operand &x, const Operand &y,
               SourceLocation location = SourceLocation::current());
Tensor minimum(const Operand &x, const Operand &y,
               SourceLocation location = SourceLocation::current());
// bool.
Tensor equal(const Operand &x, const Operand &y,
             SourceLocation location = SourceLocation::current());
Tensor not_equal(const Operand &x, const Operand &y,
                 SourceLocation location = SourceLocation::current());
Tensor greater(const Operand &x, const Operand &y,
               SourceLocation location = SourceLocation::current());
Tensor greater_equal(const Operand &x, const Operand &y,
                     SourceLocation location = SourceLocation::current());
Tensor less(const Operand &x, const Operand &y,
            SourceLocation location = SourceLocation::current());
Tensor less_equal(const Operand &x, const Operand &y,
                  SourceLocation location = SourceLocation::current());

} // namespace keratin::backend

#endif // KERATIN_ELEMENTWISE_H
