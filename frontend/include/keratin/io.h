// K functions: values in and out.
#ifndef KERATIN_IO_H
#define KERATIN_IO_H

#include "keratin/function.h"

#include <string>
#include <utility>
#include <vector>

namespace keratin::backend {

// The value, without feeds. An update op is executed.
Array eval(const Operand &x, SourceLocation location = SourceLocation::current());
// A copy; of any tensor, as eval.
Array get_value(const Operand &x, SourceLocation location = SourceLocation::current());
// Of variables as they are between two calls (those on one device); any other tensor is computed by
// itself, while Session::run computes several at once.
std::vector<Array> batch_get_value(const std::vector<Tensor> &ops,
                                   SourceLocation location = SourceLocation::current());
// The value is cast to the variable's dtype; a number fills it; else the shapes must be equal. An
// array on the variable's device, of its dtype and shape and row-major, is copied there; others
// come from the host (Array::toHost).
void set_value(const Tensor &x, const Array &value,
               SourceLocation location = SourceLocation::current());
// All of them or, where one value is refused, none; and between two calls.
void batch_set_value(const std::vector<std::pair<Tensor, Array>> &tuples,
                     SourceLocation location = SourceLocation::current());
// The same value; whenever it is computed, prints the message, a space and the value.
Tensor print_tensor(const Operand &x, const std::string &message = "",
                    SourceLocation location = SourceLocation::current());
// Compiles what outputs and updates need. Each is a list or one of its kind; outputs may have
// names: {{"loss", loss}, {"accuracy", accuracy}}. Outputs, and the right-hand sides of updates,
// are computed from the variables' values before the call; then all updates are applied. ValueError
// for an input listed twice, two outputs of one name, and a memory budget below 0.
Function function(const TensorList &inputs, const OutputList &outputs,
                  const UpdateList &updates = {}, const std::string &name = "",
                  const FunctionOptions &options = {},
                  SourceLocation location = SourceLocation::current());

} // namespace keratin::backend

#endif // KERATIN_IO_H
