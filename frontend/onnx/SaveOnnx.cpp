// K::save_onnx.
#include "keratin/onnx.h"

#include "frontend/backend/SavedFunctions.h"
#include "frontend/graph/SourcePlace.h"
#include "frontend/onnx/ExportedModel.h"
#include "ir/saved/SavedFile.h"
#include "keratin/error.h"

#include <filesystem>

using namespace keratin;
using namespace keratin::frontend;
using namespace keratin::frontend::onnx_models;

static constexpr const char *kCaller = "save_onnx";

static void write(const std::string &path, const std::string &bytes, SourceLocation location) {
  if (absl::Status status = ir::writeFileBytes(path, bytes); !status.ok())
    throwFor(kCaller, location, status);
}

namespace keratin::backend {

void save_onnx(const Function &f, const std::string &path, const OnnxSaveOptions &options,
               SourceLocation location) {
  ExportSettings settings;
  settings.opset = options.opset;
  settings.updatesAsOutputs = options.updates;
  settings.keepsPlaces = options.places;
  if (options.externalData)
    settings.dataFile = std::filesystem::path(path).filename().string() + ".data";
  absl::StatusOr<ExportedModel> exported = absl::UnknownError("");
  withSavedFunction(kCaller, f, location,
                    [&](mlir::func::FuncOp body, const ir::SavedFunction &saved,
                        llvm::ArrayRef<ir::SavedVariable> variables) {
                      exported = exportModel(body, saved, variables, settings);
                    });
  if (!exported.ok())
    throwFor(kCaller, location, exported.status());
  // The model last: it names the other file.
  if (!exported->data.empty())
    write(path + ".data", exported->data, location);
  write(path, exported->model, location);
}

void save_onnx(const TensorList &inputs, const OutputList &outputs, const std::string &path,
               const OnnxSaveOptions &options, SourceLocation location) {
  save_onnx(functionWithoutCode(inputs.list(), outputs.list(), "function", location), path, options,
            location);
}

} // namespace keratin::backend
