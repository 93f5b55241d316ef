// Functions of the API that are still to come.
#include "keratin/backend.h"
#include "keratin/error.h"

using namespace keratin;

[[noreturn]] static void notImplemented(const char *function, SourceLocation location) {
  throw NotImplementedError("not implemented: " + std::string(function) + "; at " + location.file +
                            ":" + std::to_string(location.line));
}

namespace keratin::backend {

#include "frontend/generated/NotImplemented.cpp.inc"

} // namespace keratin::backend
