// What the name of a size, or of an axis of a mesh, must be, in messages.
#ifndef KERATIN_FRONTEND_GRAPH_NEEDEDNAME_H
#define KERATIN_FRONTEND_GRAPH_NEEDEDNAME_H

#include "ir/dialect/SizeNames.h"

#include <string>

namespace keratin::frontend {

// Of a name that ir::SizeNames::isName() refuses.
inline std::string neededName() {
  return "letters, digits and _, a letter first, " + std::to_string(ir::SizeNames::kMostLetters) +
         " at most";
}

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_GRAPH_NEEDEDNAME_H
