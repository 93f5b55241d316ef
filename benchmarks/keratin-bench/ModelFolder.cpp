#include "benchmarks/keratin-bench/ModelFolder.h"

#include "compiler/driver/ModelFile.h"

#include <keratin/saving.h>

#include "mlir/IR/MLIRContext.h"

#include <cstdlib>
#include <filesystem>

using namespace keratin;
using namespace keratin::bench;

void keratin::bench::check(const absl::Status &status) {
  if (!status.ok())
    throw std::runtime_error(std::string(status.message()));
}

ModelFolder::ModelFolder() {
  path = (std::filesystem::temp_directory_path() / "keratin-bench-XXXXXX").string();
  if (!mkdtemp(path.data()))
    throw std::runtime_error("no temporary folder can be made");
}

ModelFolder::~ModelFolder() {
  std::error_code error;
  std::filesystem::remove_all(path, error);
}

std::unique_ptr<tools::Program> ModelFolder::compile(const Function &function,
                                                     const compiler::CompileOptions &options,
                                                     const std::string &device) const {
  const std::string file = path + "/model.ktg";
  backend::save_function(function, file);
  mlir::DialectRegistry registry;
  compiler::registerModelDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  ir::SavedGraph graph = checked(compiler::readModel(file, context));
  return checked(tools::Program::compile(graph, 0, options, {}, device));
}
