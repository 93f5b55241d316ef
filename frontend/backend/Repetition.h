// Repeating elements of a tensor.
#ifndef KERATIN_FRONTEND_BACKEND_REPETITION_H
#define KERATIN_FRONTEND_BACKEND_REPETITION_H

#include "frontend/graph/Call.h"

namespace keratin::frontend {

// counts[i] times along axis i, by a broadcast along new dimensions and a reshape that joins each
// with its neighbour: after it to repeat elements, before it to repeat the whole.
enum class Place { Before, After };
Value repeated(Call &call, Value x, const std::vector<DimExpr> &counts, Place place);

// The last `shift` elements along the axis come first; a shift of any number.
Value rolled(Call &call, Value x, int64_t axis, const DimExpr &shift);

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_BACKEND_REPETITION_H
