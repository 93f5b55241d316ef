// Runs passes on textual IR, as mlir-opt does.
#include "compiler/pipelines/Pipelines.h"
#include "passes/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<keratin::ir::KeratinDialect, mlir::func::FuncDialect>();
  keratin::passes::registerKeratinPasses();
  keratin::compiler::registerPipelines();
  mlir::registerTransformsPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Keratin's pass driver\n", registry));
}
