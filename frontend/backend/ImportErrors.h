// Errors of what makes graphs of model files: K::load_onnx, layers::load_keras.
#ifndef KERATIN_FRONTEND_BACKEND_IMPORTERRORS_H
#define KERATIN_FRONTEND_BACKEND_IMPORTERRORS_H

#include "frontend/graph/Printable.h"
#include "frontend/graph/SourcePlace.h"
#include "keratin/error.h"

#include "absl/status/statusor.h"
#include "llvm/ADT/StringRef.h"

#include <new>
#include <stdexcept>
#include <string>

namespace keratin::frontend {

// "load_onnx: 'm.onnx' has no graph" as "this has no graph", behind the file's name.
inline std::string withoutFile(llvm::StringRef message, const std::string &caller,
                               const std::string &path) {
  message.consume_front(caller + ": ");
  if (!message.consume_front("'" + path + "'"))
    return message.str();
  if (message.consume_front(": "))
    return message.str();
  return "this" + message.str();
}

// What the work makes of the file, or the error as tools say it.
template <typename Work>
absl::StatusOr<std::string> importedOrStatus(const std::string &caller, const std::string &path,
                                             Work &&work) {
  auto failed = [&](absl::StatusCode code, const std::exception &error) {
    return absl::Status(code, withoutFile(error.what(), caller, path));
  };
  try {
    return work();
  } catch (const MemoryError &error) {
    return failed(absl::StatusCode::kResourceExhausted, error);
  } catch (const NotImplementedError &error) {
    return failed(absl::StatusCode::kUnimplemented, error);
  } catch (const RuntimeError &error) {
    return failed(absl::StatusCode::kUnavailable, error);
  } catch (const Error &error) {
    return failed(absl::StatusCode::kInvalidArgument, error);
  }
}

// What is said of a function's inputs and outputs as a whole names no place.
template <typename Kind>
[[noreturn]] void rethrowWithFile(const Kind &error, const std::string &caller,
                                  const std::string &path, SourceLocation location) {
  const std::string text = error.what();
  if (text.find("; at ") != std::string::npos || text.find(path) != std::string::npos)
    throw;
  throw Kind(
      withPlace(caller + ": the graph of '" + printable(path) + "' is refused: " + text, location));
}

// What the work makes of the file, or an error that names it.
template <typename Work>
auto importedOrThrown(const std::string &caller, const std::string &path, SourceLocation location,
                      Work &&work) -> decltype(work()) {
  try {
    return work();
  } catch (const MemoryError &) {
    throw;
  } catch (const ValueError &error) {
    rethrowWithFile(error, caller, path, location);
  } catch (const RuntimeError &error) {
    rethrowWithFile(error, caller, path, location);
  } catch (const std::bad_alloc &) {
  } catch (const std::length_error &) { // of a vector longer than any memory
  }
  throw MemoryError(withPlace(caller + ": out of memory for '" + printable(path) + "'", location));
}

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_BACKEND_IMPORTERRORS_H
