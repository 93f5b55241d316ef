// Making variables.
#ifndef KERATIN_FRONTEND_BACKEND_VARIABLES_H
#define KERATIN_FRONTEND_BACKEND_VARIABLES_H

#include "frontend/graph/Call.h"

namespace keratin::frontend {

// A variable with this value, dtype and shape; info's name and storage are filled in.
Tensor makeVariable(Call &call, const Array &initial, const std::string &name, VariableInfo info);

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_BACKEND_VARIABLES_H
