// An example of loops as a function that passes change and that runs before and after.
#ifndef KERATIN_TESTS_EXECUTION_LOOPPROGRAM_H
#define KERATIN_TESTS_EXECUTION_LOOPPROGRAM_H

#include "compiler/pipelines/Pipelines.h"
#include "ir/reference/ErrorBounds.h"
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
  // With what any other program that means the same may give for each element.
  std::vector<ir::BoundedTensor> runWithBounds(const std::vector<ir::HostTensor> &arguments);
  void apply(llvm::ArrayRef<std::unique_ptr<mlir::Pass> (*)()> passes);
  // The first phases of the compiler, up to Simplify.
  void simplify(const compiler::PhaseOptions &options = {});

  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
};

// CHECKs that each element lies in its range, and is no farther from the value than `most`,
// relative to 1 + |value|: ranges know nothing of how loops forget, and after dozens of steps they
// hold almost anything.
void checkWithinBounds(const std::vector<ir::HostTensor> &found,
                       const std::vector<ir::BoundedTensor> &expected, double most);

// A few tenths, with this number for each unknown size.
std::vector<ir::HostTensor> makeArguments(const LoopExample &example, int64_t length);

} // namespace keratin::tests

#endif // KERATIN_TESTS_EXECUTION_LOOPPROGRAM_H
