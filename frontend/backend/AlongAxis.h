// Places along one axis, each line of the tensor with its own.
#ifndef KERATIN_FRONTEND_BACKEND_ALONGAXIS_H
#define KERATIN_FRONTEND_BACKEND_ALONGAXIS_H

#include "frontend/graph/Call.h"

namespace keratin::frontend {

// The permutation that makes the axis and the last change places; its own inverse.
std::vector<int64_t> swapWithLast(int64_t axis, int64_t rank);
// The elements at int64 places along the last axis. Sizes but the last are equal, and the places
// are inside.
Value pickedAlongLast(Call &call, Value x, Value places);

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_BACKEND_ALONGAXIS_H
