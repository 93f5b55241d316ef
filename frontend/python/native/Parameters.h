// The names of the parameters of K functions.
#ifndef KERATIN_FRONTEND_PYTHON_PARAMETERS_H
#define KERATIN_FRONTEND_PYTHON_PARAMETERS_H

#include <cstddef>
#include <string>

namespace keratin::python {

// As frontend/backend/Api.td has them; "argument 3" where there is none.
std::string parameterName(const char *function, size_t index);

} // namespace keratin::python

#endif // KERATIN_FRONTEND_PYTHON_PARAMETERS_H
