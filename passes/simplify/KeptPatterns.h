// Patterns of passes, made once in a context.
#ifndef KERATIN_PASSES_SIMPLIFY_KEPTPATTERNS_H
#define KERATIN_PASSES_SIMPLIFY_KEPTPATTERNS_H

#include "mlir/IR/DialectRegistry.h"

namespace keratin::passes {

// Contexts of the registry keep them (BoundedRewrite.h, PhasedPatterns): making them takes longer
// than applying them to a small function, and contexts serve many functions.
void keepPatterns(mlir::DialectRegistry &registry);

} // namespace keratin::passes

#endif // KERATIN_PASSES_SIMPLIFY_KEPTPATTERNS_H
