// Work with MLIR and LLVM that may fail for lack of memory, or of an error within LLVM.
#ifndef KERATIN_COMPILER_DRIVER_ATTEMPT_H
#define KERATIN_COMPILER_DRIVER_ATTEMPT_H

#include "absl/status/status.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <memory>
#include <string>

namespace mlir {
class DialectRegistry;
class MLIRContext;
} // namespace mlir

namespace keratin::compiler {

// Does the work. Where LLVM would have ended the process: RESOURCE_EXHAUSTED or INTERNAL, and
// isAbandoned(). Exceptions of the work pass.
absl::Status attempt(const std::string &what, llvm::function_ref<void()> work);

// Contexts for one thread at a time. With these dialects, of which none is loaded:
std::unique_ptr<mlir::MLIRContext> makeContext(const mlir::DialectRegistry &registry);
// with all dialects that compile() needs, loaded. Within attempt().
std::unique_ptr<mlir::MLIRContext> makeContext();

// Whether work was left in the middle (codegen/llvm/Recovery.h): modules and contexts that it had
// in hands must never be touched again, nor destroyed. They are lost.
bool isAbandoned(const absl::Status &status);

// Inside another attempt() that one is left too, if the status is of an abandoned one.
void passOn(const absl::Status &status);

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_DRIVER_ATTEMPT_H
