// What keratin-eliminate-common-subexpressions does, for passes that make what is equal.
#ifndef KERATIN_PASSES_SIMPLIFY_COMMONSUBEXPRESSIONS_H
#define KERATIN_PASSES_SIMPLIFY_COMMONSUBEXPRESSIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace keratin::passes {

// Equal values of the function become one, and unused ones go.
void eliminateCommonSubexpressions(mlir::func::FuncOp function);

} // namespace keratin::passes

#endif // KERATIN_PASSES_SIMPLIFY_COMMONSUBEXPRESSIONS_H
