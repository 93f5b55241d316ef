// Where work with contexts for modules that are compiled or read, apart from the graph's own, is done.
#ifndef KERATIN_FRONTEND_GRAPH_FUNCTIONCONTEXT_H
#define KERATIN_FRONTEND_GRAPH_FUNCTIONCONTEXT_H

#include "llvm/ADT/STLFunctionalExtras.h"

namespace keratin::frontend {

// Does work with such contexts, from their making on. MLIR and its dialects keep objects for each
// thread, and those of the main thread are gone when objects with static storage are destroyed:
// from then on the work is done in a thread of its own. Exceptions pass.
void withThreadObjects(llvm::function_ref<void()> work);

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_GRAPH_FUNCTIONCONTEXT_H
