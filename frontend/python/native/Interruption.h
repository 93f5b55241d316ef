// Compilations that Python wants to watch or end.
#ifndef KERATIN_FRONTEND_PYTHON_INTERRUPTION_H
#define KERATIN_FRONTEND_PYTHON_INTERRUPTION_H

#include "frontend/python/native/Arguments.h"
#include "keratin/function.h"

#include <functional>

namespace keratin::python {

using Progress = std::function<void(const CompileProgress &)>;

// Calls a function of the user's with (function, stage, done, of, next).
Progress progressOf(nb::handle function, const Argument &argument);

// Lets Ctrl-C end a compilation: looks for signals a few times a second.
Progress watchForSignals();

} // namespace keratin::python

#endif // KERATIN_FRONTEND_PYTHON_INTERRUPTION_H
