// Variables by the names that they have in files of weights.
#ifndef KERATIN_FRONTEND_BACKEND_NAMEDVARIABLES_H
#define KERATIN_FRONTEND_BACKEND_NAMEDVARIABLES_H

#include "frontend/graph/SourcePlace.h"
#include "keratin/tensor.h"

#include "compiler/arrays/Weights.h"

#include <map>
#include <string>
#include <vector>

namespace keratin::frontend {

using NamedVariables = std::map<std::string, Tensor>;

// ValueError for a path that is `wrong`, as a message says, for what is no dense variable, and for
// two of one name.
NamedVariables namedVariables(const char *function, const std::vector<Tensor> &variables,
                              const absl::Status &wrong, SourceLocation location);
// In the order of the names.
std::vector<compiler::WeightSlot> slotsOf(const NamedVariables &named);
std::vector<Array> valuesOf(const NamedVariables &named, SourceLocation location);
compiler::NamedView viewOf(const std::string &name, Array &array);
void setValues(const NamedVariables &named, std::vector<compiler::Array> values,
               SourceLocation location);

// What was wrong with the file, with the names of the function and of the file, and the place.
[[noreturn]] void throwOfFile(const char *function, const std::string &path,
                              SourceLocation location, const absl::Status &status);

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_BACKEND_NAMEDVARIABLES_H
