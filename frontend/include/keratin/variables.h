// K functions: state and its updates.
#ifndef KERATIN_VARIABLES_H
#define KERATIN_VARIABLES_H

#include "keratin/arguments.h"

#include <string>

namespace keratin::backend {

// State with this initial value, copied; a tensor is evaluated once. dtype None: floatx.
Tensor variable(const Operand &value, DTypeArgument dtype = None, const std::string &name = "",
                Constraint constraint = nullptr,
                SourceLocation location = SourceLocation::current());

// Update ops: for K::function's updates, K::control_dependencies and K::eval, which yields the new
// value. What is assigned is cast to the variable's dtype and broadcast to its shape.
Tensor update(const Tensor &x, const Operand &new_x,
              SourceLocation location = SourceLocation::current());
Tensor update_add(const Tensor &x, const Operand &increment,
                  SourceLocation location = SourceLocation::current());
Tensor update_sub(const Tensor &x, const Operand &decrement,
                  SourceLocation location = SourceLocation::current());
// x * momentum + value * (1 - momentum).
Tensor moving_average_update(const Tensor &x, const Operand &value, const Operand &momentum,
                             SourceLocation location = SourceLocation::current());

} // namespace keratin::backend

#endif // KERATIN_VARIABLES_H
