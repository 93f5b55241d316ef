// Runs emitted vector code on arrays: the way to test what a lowering emits without a graph around
// it.
#ifndef KERATIN_TESTS_SUPPORT_JITHARNESS_H
#define KERATIN_TESTS_SUPPORT_JITHARNESS_H

#include "codegen/cpu/MachineTarget.h"
#include "codegen/llvm/JitLibrary.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace keratin::tests {

// A loaded element-wise kernel. The arrays have the element types that the kernel was built with;
// i1 is not stored (extend it to i8 in the body). Safe to call from any thread.
class ElementwiseKernel {
public:
  void operator()(const std::vector<const void *> &inputs, const std::vector<void *> &outputs,
                  int64_t count) const {
    function(inputs.data(), outputs.data(), count);
  }
  template <typename In, typename Out>
  void operator()(const In *input, Out *output, int64_t count) const {
    const void *inputs[] = {input};
    void *outputs[] = {output};
    function(inputs, outputs, count);
  }

private:
  friend class JitHarness;
  using Function = void (*)(const void *const *inputs, void *const *outputs, int64_t count);
  std::shared_ptr<codegen::JitLibrary> library;
  Function function = nullptr;
};

class JitHarness {
public:
  // Values in, values out; inputs and results are all vectors of the same number of lanes, or all
  // scalars.
  using Body = std::function<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &, mlir::Location,
                                                            mlir::ValueRange)>;

  explicit JitHarness(codegen::MachineTarget target);

  const codegen::MachineTarget &machine() const { return target; }
  mlir::MLIRContext *context() { return &mlirContext; }
  // Whether this process can run code for the target.
  bool runsHere() const;

  // A kernel that applies the body to whole vectors and then, as scalars, to what is left over:
  // every kernel so tests both forms. `lanes` 0 means the native vector of the widest element type.
  // Throws std::runtime_error with the diagnostics if the code does not verify, lower or link. A
  // libm call would link: look for it in assembly().
  ElementwiseKernel elementwise(llvm::ArrayRef<mlir::Type> inputs,
                                llvm::ArrayRef<mlir::Type> outputs, const Body &body,
                                unsigned lanes = 0);
  // The same as assembly text.
  std::string assembly(llvm::ArrayRef<mlir::Type> inputs, llvm::ArrayRef<mlir::Type> outputs,
                       const Body &body, unsigned lanes = 0);

private:
  mlir::OwningOpRef<mlir::ModuleOp> buildModule(llvm::ArrayRef<mlir::Type> inputs,
                                                llvm::ArrayRef<mlir::Type> outputs,
                                                const Body &body, unsigned lanes);

  codegen::MachineTarget target;
  mlir::MLIRContext mlirContext;
};

} // namespace keratin::tests

#endif // KERATIN_TESTS_SUPPORT_JITHARNESS_H
