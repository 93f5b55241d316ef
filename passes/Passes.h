// Creation and registration of every pass; what each does stands in its Passes.td.
#ifndef KERATIN_PASSES_PASSES_H
#define KERATIN_PASSES_PASSES_H

#include "ir/dialect/Keratin.h"
#include "ir/interfaces/AttentionKinds.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace keratin::passes {

#define GEN_PASS_DECL
#include "passes/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/Passes.h.inc"

} // namespace keratin::passes

#endif // KERATIN_PASSES_PASSES_H
