// Diagonals of matrices.
#ifndef KERATIN_FRONTEND_BACKEND_DIAGONALS_H
#define KERATIN_FRONTEND_BACKEND_DIAGONALS_H

#include "frontend/graph/Call.h"

namespace keratin::frontend {

// x[.., i, .., i + offset, ..]: the two axes, which differ, leave, and the diagonal is the last
// axis of the result.
Value diagonal(Call &call, Value x, int64_t first, int64_t second, int64_t offset);

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_BACKEND_DIAGONALS_H
