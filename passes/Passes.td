// Every pass, with the IR before and after it. Flags are --keratin-<name>.
#ifndef KERATIN_PASSES
#define KERATIN_PASSES

include "mlir/Pass/PassBase.td"

class KeratinPass<string name> : Pass<"keratin-" # name, "::mlir::func::FuncOp"> {
  let dependentDialects = ["::keratin::ir::KeratinDialect"];
}

include "passes/complex/Passes.td"
include "passes/autodiff/Passes.td"
include "passes/shard/Passes.td"
include "passes/simplify/Passes.td"
include "passes/loops/Passes.td"
include "passes/linalg/Passes.td"
include "passes/fusion/Passes.td"
include "passes/memory/Passes.td"
include "passes/verify/Passes.td"

#endif // KERATIN_PASSES
