// Machine code of one function, made for this process.
#ifndef KERATIN_COMPILER_DRIVER_CODEMAKER_H
#define KERATIN_COMPILER_DRIVER_CODEMAKER_H

#include "compiler/store/LoadedCode.h"

#include "mlir/IR/BuiltinOps.h"

#include <chrono>
#include <string>
#include <vector>

namespace keratin::codegen {
class Target;
}

namespace keratin::compiler {

class FunctionCompiler;

// What is left in the middle (isAbandoned()) stays as it is, as must the module.
class CodeMaker {
public:
  using CodeOr = absl::StatusOr<std::shared_ptr<LoadedCode>>;

  // `what` is "compiling function 'f'". The module, which is consumed, and all that is given by
  // reference must outlive this object. With texts, the code can be that of functions with others.
  CodeMaker(std::string what, mlir::ModuleOp module, const CompileOptions &options,
            std::chrono::steady_clock::time_point started, const SaidTexts *said);
  ~CodeMaker();

  // First: what is done before the function has kernels, these included.
  absl::Status formKernels();
  // Then: the key of code for all functions that are like this one now but for scalars in their
  // kernels, made with these texts and scalars in memory; null: there is none.
  absl::StatusOr<std::shared_ptr<const GraphKey>> form();
  // Makes that code, for the key, which must outlive this object.
  void openScalars(const GraphKey &form);
  // All the rest. The objects are copied, if they are asked for.
  CodeOr make(std::vector<std::string> *objects = nullptr);

private:
  absl::Status inAttempt(llvm::function_ref<absl::Status()> work);

  const std::string what;
  mlir::ModuleOp module;
  const CompileOptions &options;
  const std::chrono::steady_clock::time_point started;
  const SaidTexts *said;
  std::shared_ptr<const codegen::Target> target;
  std::unique_ptr<FunctionCompiler> compiler;
};

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_DRIVER_CODEMAKER_H
