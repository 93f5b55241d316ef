// K::save_onnx.
#include "keratin/onnx.h"

#include "frontend/backend/SavedFunctions.h"
#include "frontend/graph/SourcePlace.h"
#include "frontend/onnx/ExportedModel.h"
#include "keratin/error.h"
#include "runtime/files/FileWriter.h"

#include <cstring>
#include <filesystem>

using namespace keratin;
using namespace keratin::frontend;
using namespace keratin::frontend::onnx_models;

static constexpr const char *kCaller = "save_onnx";

namespace {

// A file that is on the disk when it has its place.
class Written {
public:
  Written(const std::string &path, SourceLocation location) : path(path), location(location) {
    runtime::FileOptions options;
    options.isDurable = true;
    (void)writer.open(path.c_str(), options);
  }
  void add(const void *data, size_t bytes) { (void)writer.write(data, bytes); }
  void fail() {
    throwFor(kCaller, location,
             absl::UnavailableError("'" + path +
                                    "' cannot be written: " + std::strerror(writer.error())));
  }

  runtime::FileWriter writer;

private:
  const std::string path;
  const SourceLocation location;
};

} // namespace

// Both files, or none.
static void write(const ExportedModel &exported, const std::string &path, SourceLocation location) {
  Written model(path, location);
  model.add(exported.model.data(), exported.model.size());
  if (exported.data.empty()) {
    if (!model.writer.commit())
      model.fail();
    return;
  }
  Written data(path + ".data", location);
  exported.writeData([&](const void *bytes, size_t count) { data.add(bytes, count); });
  runtime::FileWriter *const both[] = {&data.writer, &model.writer};
  const size_t done = runtime::commitTogether(both, 2);
  if (done < 2)
    (done == 0 ? data : model).fail();
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
  write(*exported, path, location);
}

void save_onnx(const TensorList &inputs, const OutputList &outputs, const std::string &path,
               const OnnxSaveOptions &options, SourceLocation location) {
  save_onnx(functionWithoutCode(inputs.list(), outputs.list(), {}, "function", location), path, options,
            location);
}

} // namespace keratin::backend
