#include "compiler/driver/Attempt.h"

#include "codegen/llvm/Beginning.h"
#include "codegen/llvm/Recovery.h"
#include "compiler/driver/Compiler.h"
#include "ir/dialect/Keratin.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OpDefinition.h"

#include "absl/strings/cord.h"

#include "llvm/ADT/STLExtras.h"

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
  // The argument alone leaves types and attributes with tables of each thread, which are its next
  // context's too.
  codegen::Reserve::Work work;
  auto context =
      std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  context->disableMultithreading();
  return context;
}

static std::unique_ptr<mlir::MLIRContext> graphContext() {
  std::unique_ptr<mlir::MLIRContext> context = compiler::makeContext(compiler::dialects());
  context->getOrLoadDialect<ir::KeratinDialect>(); // and what it depends on
  return context;
}

// Contexts that are free: dialects take as long to load as a tenth of a small function to compile.
// The first is that in which MLIR was started.
static constinit std::atomic<mlir::MLIRContext *> freeContexts[4];
// A context is kept so many times, on average.
static constexpr unsigned kMostUses = 64;

// Ops name their traits when they are first asked for them.
static void askForTraits(mlir::MLIRContext &context) {
  for (mlir::RegisteredOperationName name : context.getRegisteredOperations())
    (void)name.hasTrait<mlir::OpTrait::IsTerminator>();
}

// Dialects name their classes when they are first loaded.
static void startGraphs() {
  static constinit codegen::Beginning beginning([] {
    std::unique_ptr<mlir::MLIRContext> context = graphContext();
    askForTraits(*context);
    freeContexts[0].store(context.release(), std::memory_order_release);
  });
  beginning.await();
}

// The context to start MLIR in, if it knows all dialects.
static thread_local mlir::MLIRContext *contextAtHand = nullptr;

static void startMlir(mlir::MLIRContext *context) {
  static constinit codegen::Beginning beginning([] {
    std::unique_ptr<mlir::MLIRContext> own;
    if (!contextAtHand)
      own = graphContext();
    mlir::MLIRContext &context = own ? *own : *contextAtHand;
    context.loadAllAvailableDialects();
    askForTraits(context);
  });
  contextAtHand = context;
  beginning.await();
}

void compiler::beginCompiling(mlir::MLIRContext &context) {
  const bool knowsAll = llvm::all_of(dialects().getDialectNames(), [&](llvm::StringRef name) {
    return llvm::is_contained(context.getAvailableDialects(), name);
  });
  startMlir(knowsAll ? &context : nullptr);
  if (knowsAll)
    context.loadAllAvailableDialects();
}

std::unique_ptr<mlir::MLIRContext> compiler::makeContext() {
  startGraphs();
  for (std::atomic<mlir::MLIRContext *> &place : freeContexts)
    if (mlir::MLIRContext *context = place.exchange(nullptr, std::memory_order_acquire))
      return std::unique_ptr<mlir::MLIRContext>(context);
  return graphContext();
}

void compiler::keepContext(std::unique_ptr<mlir::MLIRContext> context) {
  static constinit std::atomic<unsigned> uses{0};
  if (uses.fetch_add(1, std::memory_order_relaxed) % kMostUses == kMostUses - 1)
    return;
  for (std::atomic<mlir::MLIRContext *> &place : freeContexts) {
    mlir::MLIRContext *none = nullptr;
    if (place.compare_exchange_strong(none, context.get(), std::memory_order_acq_rel)) {
      (void)context.release();
      return;
    }
  }
}

absl::Status compiler::attempt(const std::string &what, llvm::function_ref<void()> work,
                               Beginnings beginnings) {
  std::string message;
  Ending ending = codegen::recover(
      [&] {
        if (beginnings == Beginnings::Graphs)
          startGraphs();
        else
          startMlir(nullptr);
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
