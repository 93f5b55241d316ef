// The elements of a line in order.
#ifndef KERATIN_FRONTEND_BACKEND_SORTING_H
#define KERATIN_FRONTEND_BACKEND_SORTING_H

#include "frontend/graph/Call.h"

namespace keratin::frontend {

// Where the largest are along the last axis, as many as `count`, int64: the first of equals first,
// NaN before all numbers.
Value largest(Call &call, Value x, const DimExpr &count);
// Where the elements come from that stand in ascending order along the last axis, int64: equals as
// they stood, NaN last.
Value ascending(Call &call, Value x);
// Of rows (count, columns) that are in order: which differ from the one before, as the first does.
// A NaN is none that another one is not.
Value startsRun(Call &call, Value rows);

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_BACKEND_SORTING_H
