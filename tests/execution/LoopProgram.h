// An example of loops as a function that passes change and that runs before and after.
#ifndef KERATIN_TESTS_EXECUTION_LOOPPROGRAM_H
#define KERATIN_TESTS_EXECUTION_LOOPPROGRAM_H

#include "compiler/pipelines/Pipelines.h"
#include "ir/reference/HostTensor.h"
#include "tests/execution/LoopExamples.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/Pass.h"

#include <memory>
#include <vector>

namespace keratin::tests {

// The example's results, then their gradients (1), then the gradients of a sum of these (2), in
// float64. All methods REQUIRE that they succeed.
struct LoopProgram {
  LoopProgram(mlir::MLIRContext &context, const LoopExample &example, int gradients);
  // In the reference interpreter.
  std::vector<ir::HostTensor> run(const std::vector<ir::HostTensor> &arguments);
  void apply(llvm::ArrayRef<std::unique_ptr<mlir::Pass> (*)()> passes);
  // The first phases of the compiler, up to Simplify.
  void simplify(const compiler::PhaseOptions &options = {});

  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
};

// A few tenths, with this number for each unknown size.
std::vector<ir::HostTensor> makeArguments(const LoopExample &example, int64_t length);

} // namespace keratin::tests

#endif // KERATIN_TESTS_EXECUTION_LOOPPROGRAM_H
