// Runs the reference interpreter before and after each pass.
#ifndef KERATIN_COMPILER_NUMERICS_VERIFYNUMERICS_H
#define KERATIN_COMPILER_NUMERICS_VERIFYNUMERICS_H

#include "compiler/numerics/NumericsJudge.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassInstrumentation.h"

#include "llvm/ADT/DenseMap.h"

#include <memory>

namespace keratin::compiler {

struct NumericsOptions {
  uint64_t seed = 0;     // of sizes and inputs
  std::string directory; // of reproducers, as CompileOptions::reproducerDirectory
};

// The first pass of each function after which it computes something else is told on standard error,
// and a reproducer written: the function made smaller, before that pass, for
// `keratin-opt --run-reproducer --verify-numerics`. So is what the interpreter cannot follow.
class VerifyNumerics : public mlir::PassInstrumentation {
public:
  // `found` says afterwards whether there was a mismatch.
  VerifyNumerics(const NumericsOptions &options, bool &found) : options(options), found(found) {}

  void runBeforePass(mlir::Pass *pass, mlir::Operation *op) override;
  void runAfterPass(mlir::Pass *pass, mlir::Operation *op) override;

private:
  // A function on its way.
  struct Progress {
    std::unique_ptr<NumericsJudge> judge;            // of the function as it was given
    mlir::OwningOpRef<mlir::ModuleOp> given, before; // before all passes, and before this one
    std::string passes;                              // that have run, as text
    bool isOver = false;                             // told all there is to tell
  };
  void report(Progress &progress, const std::string &pass, const std::string &mismatch);

  NumericsOptions options;
  bool &found;
  llvm::DenseMap<mlir::Operation *, std::unique_ptr<Progress>> functions;
};

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_NUMERICS_VERIFYNUMERICS_H
