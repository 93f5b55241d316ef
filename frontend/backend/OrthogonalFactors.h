// Singular values for the other files of the backend.
#ifndef KERATIN_FRONTEND_BACKEND_ORTHOGONALFACTORS_H
#define KERATIN_FRONTEND_BACKEND_ORTHOGONALFACTORS_H

#include "frontend/graph/Call.h"

namespace keratin::frontend {

// x = u diag(s) vt, for matrices of floats in the last two axes.
struct SingularFactors {
  Value u, s, vt;
};
SingularFactors singularFactors(Call &call, Value x);

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_BACKEND_ORTHOGONALFACTORS_H
