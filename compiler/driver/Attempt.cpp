#include "compiler/driver/Attempt.h"

#include "codegen/llvm/Beginning.h"
#include "codegen/llvm/Recovery.h"
#include "compiler/driver/Compiler.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OpDefinition.h"

#include "absl/strings/cord.h"

#include <atomic>
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

std::unique_ptr<mlir::MLIRContext> compiler::makeContext(const mlir::DialectRegistry &registry) {
  auto context =
      std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  // The argument alone leaves types and attributes with tables of each thread.
  context->disableMultithreading();
  return context;
}

static std::unique_ptr<mlir::MLIRContext> loadedContext() {
  std::unique_ptr<mlir::MLIRContext> context = compiler::makeContext(compiler::dialects());
  context->loadAllAvailableDialects();
  return context;
}

// That in which MLIR was started, until somebody takes it: dialects take as long to load as a
// twentieth of a small function to compile.
static constinit std::atomic<mlir::MLIRContext *> firstContext{nullptr};

// Dialects name their classes when they are first loaded, and ops their traits when they are first
// asked for them.
static void startMlir() {
  static constinit codegen::Beginning beginning([] {
    std::unique_ptr<mlir::MLIRContext> context = loadedContext();
    for (mlir::RegisteredOperationName name : context->getRegisteredOperations())
      (void)name.hasTrait<mlir::OpTrait::IsTerminator>();
    firstContext.store(context.release(), std::memory_order_release);
  });
  beginning.await();
}

std::unique_ptr<mlir::MLIRContext> compiler::makeContext() {
  startMlir();
  if (mlir::MLIRContext *first = firstContext.exchange(nullptr, std::memory_order_acquire))
    return std::unique_ptr<mlir::MLIRContext>(first);
  return loadedContext();
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
