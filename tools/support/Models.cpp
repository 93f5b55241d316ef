#include "tools/support/Models.h"

#include "compiler/driver/ModelFile.h"
#include "frontend/onnx/SavedModel.h"

using namespace keratin;

absl::StatusOr<ir::SavedGraph> tools::readModel(const std::string &path, mlir::MLIRContext &context,
                                                const std::string &function) {
  if (!llvm::StringRef(path).ends_with(".onnx"))
    return compiler::readModel(path, context, function);
  auto bytes = frontend::onnx_models::savedGraphOf(path);
  if (!bytes.ok())
    return bytes.status();
  return compiler::readSavedModel(*bytes, context, function);
}
