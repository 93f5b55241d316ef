// Making variables.
#ifndef KERATIN_FRONTEND_BACKEND_VARIABLES_H
#define KERATIN_FRONTEND_BACKEND_VARIABLES_H

#include "frontend/graph/Call.h"

namespace keratin::frontend {

// A variable with this value, dtype and shape; the rest of info but its name is as given.
Tensor makeVariable(Call &call, const Array &initial, const std::string &name, VariableInfo info);
// One of the dtype of the element, which is everywhere: takes no memory beside the variable's.
Tensor makeVariable(Call &call, const Array &element, const std::vector<int64_t> &dims,
                    const std::string &name);

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_BACKEND_VARIABLES_H
