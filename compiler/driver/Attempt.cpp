#include "compiler/driver/Attempt.h"

#include "codegen/llvm/Beginning.h"
#include "codegen/llvm/Recovery.h"
#include "compiler/driver/Compiler.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OpDefinition.h"

#include "absl/strings/cord.h"

#include <new>

using namespace keratin;
using codegen::Ending;

static constexpr char kAbandoned[] = "keratin.abandoned";

static absl::Status abandoned(Ending ending, const std::string &what, const std::string &message) {
  absl::Status status = ending == Ending::NoMemory
                            ? absl::ResourceExhaustedError(what + ": out of memory")
                            : absl::InternalError(what + ": " + message);
  status.SetPayload(kAbandoned, absl::Cord());
  return status;
}

// Dialects name their classes when they are first loaded, and ops their traits when they are first
// asked for them.
static void startMlir() {
  static constinit codegen::Beginning beginning([] {
    mlir::MLIRContext context(compiler::dialects(), mlir::MLIRContext::Threading::DISABLED);
    context.disableMultithreading();
    context.loadAllAvailableDialects();
    for (mlir::RegisteredOperationName name : context.getRegisteredOperations())
      (void)name.hasTrait<mlir::OpTrait::IsTerminator>();
  });
  beginning.await();
}

absl::Status compiler::attempt(const std::string &what, llvm::function_ref<void()> work) {
  std::string message;
  Ending ending = codegen::recover(
      [&] {
        startMlir();
        work();
      },
      message);
  if (ending == Ending::Done)
    return absl::OkStatus();
  try {
    return abandoned(ending, what, message);
  } catch (const std::bad_alloc &) {
    // A code alone needs no memory.
    return absl::Status(absl::StatusCode::kResourceExhausted, "");
  }
}

void compiler::passOn(const absl::Status &status) {
  if (isAbandoned(status) && codegen::isRecovering())
    codegen::leave(status.code() == absl::StatusCode::kInternal ? Ending::FatalError
                                                                : Ending::NoMemory,
                   std::string(status.message()));
}

bool compiler::isAbandoned(const absl::Status &status) {
  return (status.code() == absl::StatusCode::kResourceExhausted && status.message().empty()) ||
         status.GetPayload(kAbandoned).has_value();
}
