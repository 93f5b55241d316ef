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

// What attempts make once in a process, before their work.
enum class Beginnings {
  Graphs,  // for contexts of makeContext() and graphs in them
  Compiler // for all that MLIR does
};

// Does the work. Where LLVM would have ended the process: RESOURCE_EXHAUSTED or INTERNAL, and
// isAbandoned(). Exceptions of the work pass.
absl::Status attempt(const std::string &what, llvm::function_ref<void()> work,
                     Beginnings beginnings = Beginnings::Compiler);
// Within an attempt for graphs whose work goes on to all the rest, with a context of makeContext():
// what is made then is made there.
void beginCompiling(mlir::MLIRContext &context);

// Contexts for one thread at a time. With these dialects, of which none is loaded:
std::unique_ptr<mlir::MLIRContext> makeContext(const mlir::DialectRegistry &registry);
// with those that graphs are made of, loaded, and all that compile() needs known. Within attempt().
std::unique_ptr<mlir::MLIRContext> makeContext();
// One of these is needed no more, in which nothing but a small module was made: makeContext() may
// give it to somebody else. Not for ever, since what was made in it stays there.
void keepContext(std::unique_ptr<mlir::MLIRContext> context);

// Whether work was left in the middle (codegen/llvm/Recovery.h): modules and contexts that it had
// in hands must never be touched again, nor destroyed. They are lost.
bool isAbandoned(const absl::Status &status);

// Inside another attempt() that one is left too, if the status is of an abandoned one.
void passOn(const absl::Status &status);

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_DRIVER_ATTEMPT_H
