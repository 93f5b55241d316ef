// Contexts for modules that are compiled or read, apart from the graph's own.
#ifndef KERATIN_FRONTEND_GRAPH_FUNCTIONCONTEXT_H
#define KERATIN_FRONTEND_GRAPH_FUNCTIONCONTEXT_H

#include "mlir/IR/MLIRContext.h"

#include <memory>

namespace keratin::frontend {

// For one thread at a time. Also while objects with static storage are destroyed.
std::unique_ptr<mlir::MLIRContext> makeFunctionContext(const mlir::DialectRegistry &registry);

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_GRAPH_FUNCTIONCONTEXT_H
