// Where in the user's Python program a K function is called.
#ifndef KERATIN_FRONTEND_PYTHON_PLACE_H
#define KERATIN_FRONTEND_PYTHON_PLACE_H

#include "keratin/source_location.h"

namespace keratin::python {

// The innermost line that is neither of this package nor of Keras's; without one, the innermost
// that is not of this package. Needs the GIL.
SourceLocation userPlace();

} // namespace keratin::python

#endif // KERATIN_FRONTEND_PYTHON_PLACE_H
