// Contexts for modules that are compiled or read, apart from the graph's own.
#ifndef KERATIN_FRONTEND_GRAPH_FUNCTIONCONTEXT_H
#define KERATIN_FRONTEND_GRAPH_FUNCTIONCONTEXT_H

#include "mlir/IR/MLIRContext.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <memory>

namespace keratin::frontend {

// For one thread at a time.
std::unique_ptr<mlir::MLIRContext> makeFunctionContext(const mlir::DialectRegistry &registry);

// Does work with such contexts, from their making on. MLIR and its dialects keep objects for each
// thread, and those of the main thread are gone when objects with static storage are destroyed:
// from then on the work is done in a thread of its own. Exceptions pass.
void withThreadObjects(llvm::function_ref<void()> work);

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_GRAPH_FUNCTIONCONTEXT_H
