// Where in the user's code a call stands, in messages.
#ifndef KERATIN_FRONTEND_GRAPH_SOURCEPLACE_H
#define KERATIN_FRONTEND_GRAPH_SOURCEPLACE_H

#include "keratin/source_location.h"

#include <string>

namespace keratin::frontend {

// "message; at file:line", or the message alone where the place is not known.
inline std::string withPlace(std::string message, SourceLocation location) {
  if (location.line)
    message += "; at " + std::string(location.file) + ":" + std::to_string(location.line);
  return message;
}

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_GRAPH_SOURCEPLACE_H
