// A ValueError of code that has no Call (frontend/graph/Call.h).
#ifndef KERATIN_FRONTEND_VALUES_VALUEERROR_H
#define KERATIN_FRONTEND_VALUES_VALUEERROR_H

#include "keratin/error.h"
#include "keratin/source_location.h"

namespace keratin::frontend {

// "text; at net.cc:12".
[[noreturn]] inline void valueError(const std::string &text, SourceLocation location) {
  throw ValueError(text + "; at " + location.file + ":" + std::to_string(location.line));
}

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_VALUES_VALUEERROR_H
