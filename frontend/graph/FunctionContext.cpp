#include "frontend/graph/FunctionContext.h"

#include "mlir/IR/Dialect.h"

#include <thread>

using namespace keratin;

namespace {

// Whether the objects that MLIR keeps for this thread are gone: those of the main thread are
// destroyed before objects with static storage.
thread_local bool isThreadOver = false;
struct ThreadEnd {
  ~ThreadEnd() { isThreadOver = true; }
};

} // namespace

static std::unique_ptr<mlir::MLIRContext> make(const mlir::DialectRegistry &registry) {
  auto context =
      std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  // The argument alone leaves types and attributes with tables of each thread.
  context->disableMultithreading();
  return context;
}

std::unique_ptr<mlir::MLIRContext>
frontend::makeFunctionContext(const mlir::DialectRegistry &registry) {
  // Made before MLIR's, so it goes after them.
  thread_local ThreadEnd end;
  (void)&end;
  if (!isThreadOver)
    return make(registry);
  // Making a context uses what belongs to a thread, using it does not.
  std::unique_ptr<mlir::MLIRContext> context;
  std::thread([&] { context = make(registry); }).join();
  return context;
}
