// C++ exceptions as Python's.
#ifndef KERATIN_FRONTEND_PYTHON_ERRORS_H
#define KERATIN_FRONTEND_PYTHON_ERRORS_H

#include <string>

namespace keratin::python {

// Sets Python's error from the exception that is being handled. What a function of the user's has
// raised on its way through C++ comes out as it was.
void setError() noexcept;

// Errors of this module: the message, and the user's line. Need the GIL.
[[noreturn]] void typeError(std::string message);
[[noreturn]] void valueError(std::string message);

} // namespace keratin::python

#endif // KERATIN_FRONTEND_PYTHON_ERRORS_H
