#include "tools/support/Models.h"

#include "compiler/arrays/KerasWeights.h"
#include "compiler/driver/ModelFile.h"
#include "frontend/keras_files/SavedModel.h"
#include "frontend/onnx/SavedModel.h"

using namespace keratin;

absl::StatusOr<ir::SavedGraph> tools::readModel(const std::string &path, mlir::MLIRContext &context,
                                                const std::string &function) {
  const bool isKeras = compiler::isKerasPath(path);
  if (!isKeras && !llvm::StringRef(path).ends_with(".onnx"))
    return compiler::readModel(path, context, function);
  auto bytes = isKeras ? frontend::keras_files::savedGraphOf(path)
                       : frontend::onnx_models::savedGraphOf(path);
  if (!bytes.ok())
    return bytes.status();
  return compiler::readSavedModel(*bytes, context, function);
}
