// Failures of the runtime and of the compiler as exceptions.
#ifndef KERATIN_FRONTEND_GRAPH_RUNTIMESTATUS_H
#define KERATIN_FRONTEND_GRAPH_RUNTIMESTATUS_H

#include "frontend/graph/SourcePlace.h"
#include "keratin/error.h"

#include "keratin/runtime.h"

#include "absl/status/status.h"

#include <new>
#include <string>

namespace keratin::frontend {

// Throws the kind of error that the code, which is not KERATIN_OK, stands for.
[[noreturn]] inline void throwFailure(const std::string &function, const keratin_status_t &status,
                                      SourceLocation location = {}) {
  const std::string message = withPlace(function + ": " + status.message, location);
  switch (status.code) {
  case KERATIN_INVALID_ARGUMENT:
  case KERATIN_OUT_OF_RANGE:
  case KERATIN_FAILED_PRECONDITION:
  case KERATIN_SIZES_DIFFER:
    throw ValueError(message);
  case KERATIN_UNIMPLEMENTED:
    throw NotImplementedError(message);
  case KERATIN_NOT_FINITE:
    throw FloatingPointError(message);
  case KERATIN_RESOURCE_EXHAUSTED:
    throw MemoryError(message);
  case KERATIN_ABORTED:
    throw RankError(message);
  case KERATIN_UNAVAILABLE:
    throw LostRankError(message);
  default:
    throw RuntimeError(message);
  }
}

// The same of what ranks do together, where no value of the caller's is wrong.
[[noreturn]] inline void throwRankFailure(const std::string &function, keratin_status_t status) {
  if (status.code == KERATIN_INVALID_ARGUMENT || status.code == KERATIN_FAILED_PRECONDITION)
    status.code = KERATIN_INTERNAL;
  throwFailure(function, status);
}

inline void throwIfFailed(const std::string &function, const keratin_status_t &status,
                          SourceLocation location = {}) {
  if (status.code != KERATIN_OK)
    throwFailure(function, status, location);
}

// What the work returns; an Error in place of std::bad_alloc.
template <typename Work> auto withMemory(Work &&work) {
  try {
    return work();
  } catch (const std::bad_alloc &) {
    throw MemoryError("out of memory"); // so short that it needs none
  }
}

// Throws the kind of error that the code of the compiler or of a file's reader stands for.
[[noreturn]] inline void throwStatus(absl::StatusCode code, const std::string &message) {
  switch (code) {
  case absl::StatusCode::kInvalidArgument:
    throw ValueError(message);
  case absl::StatusCode::kUnimplemented:
    throw NotImplementedError(message);
  default:
    if (message.empty()) // nor was there memory for one
      throw MemoryError("out of memory");
    // Limits have the code of memory.
    if (code == absl::StatusCode::kResourceExhausted &&
        message.find("out of memory") != std::string::npos)
      throw MemoryError(message);
    throw RuntimeError(message);
  }
}

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_GRAPH_RUNTIMESTATUS_H
