// Runs passes on textual IR, as mlir-opt does.
#include "compiler/driver/CompilePass.h"
#include "compiler/pipelines/Pipelines.h"
#include "ir/text/SourceText.h"
#include "passes/Passes.h"
#include "tools/support/OutputFile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"

// MLIR's own main would give the file to the parser unseen.
static mlir::LogicalResult run(llvm::StringRef inputName, llvm::StringRef outputName,
                               mlir::DialectRegistry &registry) {
  std::string error;
  auto input = mlir::openInputFile(inputName, &error);
  if (input)
    if (std::optional<std::string> reason = keratin::ir::refuseSource(input->getBuffer()))
      error = (inputName + ", " + *reason).str();
  if (!error.empty()) {
    llvm::errs() << "error: " << error << "\n";
    return mlir::failure();
  }
  keratin::tools::OutputFile output(outputName.str());
  if (failed(mlir::MlirOptMain(output.stream(), std::move(input), registry,
                               mlir::MlirOptMainConfig::createFromCLOptions())))
    return mlir::failure();
  if (absl::Status status = output.commit(); !status.ok()) {
    llvm::errs() << "error: " << llvm::StringRef(status.message().data(), status.message().size())
                 << "\n";
    return mlir::failure();
  }
  return mlir::success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  mlir::DialectRegistry registry;
  registry.insert<keratin::ir::KeratinDialect, mlir::func::FuncDialect>();
  keratin::passes::registerKeratinPasses();
  keratin::compiler::registerPipelines();
  keratin::compiler::registerCompilePass();
  mlir::registerTransformsPasses();
  auto [input, output] =
      mlir::registerAndParseCLIOptions(argc, argv, "Keratin's pass driver\n", registry);
  return mlir::asMainReturnCode(run(input, output, registry));
}
