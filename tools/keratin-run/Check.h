// Calls against the reference interpreter.
#ifndef KERATIN_TOOLS_KERATINRUN_CHECK_H
#define KERATIN_TOOLS_KERATINRUN_CHECK_H

#include "ir/reference/ErrorBounds.h"
#include "tools/keratin-run/Program.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace keratin::tools {

class Check {
public:
  // A copy of the function, with its gradients expanded; compiled so that its products of float32
  // may be computed in this way. The interpreter is one rank: of several, functions that say what
  // they do together are refused.
  static absl::StatusOr<Check> of(mlir::func::FuncOp function,
                                  codegen::Float32Products float32Products, int32_t ranks);

  // Before a call: what it must compute of these inputs and the variables as they are.
  absl::Status expect(const Program &program, const std::vector<Array> &inputs);
  // After it: DATA_LOSS where an output or a variable is not within its bounds, a line for each.
  absl::Status compare(const Program &program, const std::vector<Array> &outputs) const;

private:
  mlir::OwningOpRef<mlir::ModuleOp> module;
  ir::BoundOptions options = {.rewritten = true};
  std::vector<ir::BoundedTensor> expected;
};

} // namespace keratin::tools

#endif // KERATIN_TOOLS_KERATINRUN_CHECK_H
