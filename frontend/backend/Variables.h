// Making variables.
#ifndef KERATIN_FRONTEND_BACKEND_VARIABLES_H
#define KERATIN_FRONTEND_BACKEND_VARIABLES_H

#include "frontend/graph/Call.h"

namespace keratin::frontend {

// A variable of this state; the rest of info but its name is as given.
Tensor makeVariable(Call &call, std::shared_ptr<VariableStorage> storage, const std::string &name,
                    VariableInfo info);
// The same, with this value, dtype and shape.
Tensor makeVariable(Call &call, const Array &initial, const std::string &name, VariableInfo info);

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_BACKEND_VARIABLES_H
