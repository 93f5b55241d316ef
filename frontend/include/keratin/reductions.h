// K functions: along axes.
#ifndef KERATIN_REDUCTIONS_H
#define KERATIN_REDUCTIONS_H

#include "keratin/arguments.h"

#include <string>

namespace keratin {

// auto [values, indices] = K::top_k(x, 3);
struct TopK {
  Tensor values, indices;
};

} // namespace keratin

namespace keratin::backend {

// axis None: all axes. keepdims: reduced axes stay with size 1. Over nothing: sum 0, prod 1, any
// False, all True, max -inf, min inf.
// The largest; NaN if there is one.
Tensor max(const Operand &x, const Axes &axis = None, bool keepdims = false,
           SourceLocation location = SourceLocation::current());
// The smallest; NaN if there is one.
Tensor min(const Operand &x, const Axes &axis = None, bool keepdims = false,
           SourceLocation location = SourceLocation::current());
Tensor sum(const Operand &x, const Axes &axis = None, bool keepdims = false,
           SourceLocation location = SourceLocation::current());
Tensor prod(const Operand &x, const Axes &axis = None, bool keepdims = false,
            SourceLocation location = SourceLocation::current());
// bool and integers are cast to floatx first, here and in var and std.
Tensor mean(const Operand &x, const Axes &axis = None, bool keepdims = false,
            SourceLocation location = SourceLocation::current());
// The population variance.
Tensor var(const Operand &x, const Axes &axis = None, bool keepdims = false,
           SourceLocation location = SourceLocation::current());
Tensor std(const Operand &x, const Axes &axis = None, bool keepdims = false,
           SourceLocation location = SourceLocation::current());
// bool: whether any, all are nonzero.
Tensor any(const Operand &x, const Axes &axis = None, bool keepdims = false,
           SourceLocation location = SourceLocation::current());
Tensor all(const Operand &x, const Axes &axis = None, bool keepdims = false,
           SourceLocation location = SourceLocation::current());
// log(sum(exp(x))) without overflow.
Tensor logsumexp(const Operand &x, const Axes &axis = None, bool keepdims = false,
                 SourceLocation location = SourceLocation::current());
// Where the extreme is along one axis, int64; the first of equals.
Tensor argmax(const Operand &x, Axis axis = -1,
              SourceLocation location = SourceLocation::current());
Tensor argmin(const Operand &x, Axis axis = -1,
              SourceLocation location = SourceLocation::current());
// The k largest along the axis, largest first, and where they are, int64. Of equals the first come
// first; a NaN is larger than every number. The gradient goes to the elements that were taken.
TopK top_k(const Operand &x, const Size &k, Axis axis = -1,
           SourceLocation location = SourceLocation::current());
// The elements along the axis in ascending order, NaN last; and where they come from, int64, equals
// in their order. The gradient goes to where an element was.
Tensor sort(const Operand &x, Axis axis = -1, SourceLocation location = SourceLocation::current());
Tensor argsort(const Operand &x, Axis axis = -1,
               SourceLocation location = SourceLocation::current());
// For each value the number of elements of a vector in ascending order that come before it, int64:
// for side "left" the smaller ones, for "right" its equals, too.
Tensor searchsorted(const Operand &sorted_sequence, const Operand &values,
                    const std::string &side = "left",
                    SourceLocation location = SourceLocation::current());
// The same reductions of all elements but NaN. Over nothing else: sum 0, prod 1; max, min, mean,
// var and std are NaN.
Tensor nansum(const Operand &x, const Axes &axis = None, bool keepdims = false,
              SourceLocation location = SourceLocation::current());
Tensor nanprod(const Operand &x, const Axes &axis = None, bool keepdims = false,
               SourceLocation location = SourceLocation::current());
Tensor nanmax(const Operand &x, const Axes &axis = None, bool keepdims = false,
              SourceLocation location = SourceLocation::current());
Tensor nanmin(const Operand &x, const Axes &axis = None, bool keepdims = false,
              SourceLocation location = SourceLocation::current());
Tensor nanmean(const Operand &x, const Axes &axis = None, bool keepdims = false,
               SourceLocation location = SourceLocation::current());
Tensor nanvar(const Operand &x, const Axes &axis = None, bool keepdims = false,
              SourceLocation location = SourceLocation::current());
Tensor nanstd(const Operand &x, const Axes &axis = None, bool keepdims = false,
              SourceLocation location = SourceLocation::current());
// Of the dtype of x, as all arithmetic: of bools whether any so far is true, whether all are.
Tensor cumsum(const Operand &x, Axis axis = 0, SourceLocation location = SourceLocation::current());
Tensor cumprod(const Operand &x, Axis axis = 0,
               SourceLocation location = SourceLocation::current());
// The largest and the smallest element so far, NaN from the first NaN on. The gradient goes to the
// first of equals.
Tensor cummax(const Operand &x, Axis axis = 0, SourceLocation location = SourceLocation::current());
Tensor cummin(const Operand &x, Axis axis = 0, SourceLocation location = SourceLocation::current());
// log(cumsum(exp(x))) without overflow.
Tensor cumlogsumexp(const Operand &x, Axis axis = 0,
                    SourceLocation location = SourceLocation::current());

} // namespace keratin::backend

#endif // KERATIN_REDUCTIONS_H
