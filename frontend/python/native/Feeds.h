// Values that functions are called with.
#ifndef KERATIN_FRONTEND_PYTHON_FEEDS_H
#define KERATIN_FRONTEND_PYTHON_FEEDS_H

#include "frontend/python/native/Python.h"
#include "keratin/function.h"

#include <string>

namespace keratin::python {

// A matrix of SciPy's, a tensor (which is evaluated), or whatever arrayOf() takes.
Feed feedOf(nb::handle object, const std::string &what);

// Of a dict by the names of inputs.
NamedFeeds namedFeedsOf(nb::dict values, const std::string &function);

} // namespace keratin::python

#endif // KERATIN_FRONTEND_PYTHON_FEEDS_H
