// K functions: what elements of one number have together.
#ifndef KERATIN_SEGMENTS_H
#define KERATIN_SEGMENTS_H

#include "keratin/arguments.h"

namespace keratin {

// auto [values, indices, inverse, counts] = K::unique(x);
struct Unique {
  Tensor values, indices, inverse, counts;
};

} // namespace keratin

namespace keratin::backend {

// Row i of x belongs to segment segment_ids[i], one of num_segments; the ids are in no order. Row j
// of the result is the sum of the rows of segment j, 0 of none, added in the order of x. An id
// that is negative or too large is an error of the call.
Tensor segment_sum(const Operand &x, const Operand &segment_ids, const Size &num_segments,
                   SourceLocation location = SourceLocation::current());
// Their mean, 0 of none; integers and bools become floatx.
Tensor segment_mean(const Operand &x, const Operand &segment_ids, const Size &num_segments,
                    SourceLocation location = SourceLocation::current());
// The largest and the smallest of each column; of none -inf and inf, or the extreme of the
// integers. The gradient is shared among equals.
Tensor segment_max(const Operand &x, const Operand &segment_ids, const Size &num_segments,
                   SourceLocation location = SourceLocation::current());
Tensor segment_min(const Operand &x, const Operand &segment_ids, const Size &num_segments,
                   SourceLocation location = SourceLocation::current());
// How often each of the numbers 0 ... length - 1 is in x, int64; with weights the sum of the
// weights at its places. A number that is none of these is an error of the call.
Tensor bincount(const Operand &x, const Size &length, const Operand &weights = None,
                SourceLocation location = SourceLocation::current());
// How many elements are in each of so many equal parts of low ... high, int64; the last part has
// its upper edge, too. Elements outside, and NaN, are not counted.
Tensor histogram(const Operand &x, int64_t bins, double low, double high,
                 SourceLocation location = SourceLocation::current());
// The elements that differ, ascending, NaN last; where the first of each is in x, taken as a
// vector, int64; for each element of x its number among the values; how often each is there. With
// size there are as many as that: behind the last one zeros, whose counts are 0; more of them are
// an error of the call. Without there are as many as differ, which the call finds out. The gradient
// goes to the first of each.
Unique unique(const Operand &x, const Size &size = None,
              SourceLocation location = SourceLocation::current());

} // namespace keratin::backend

#endif // KERATIN_SEGMENTS_H
