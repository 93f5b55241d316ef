// K::load_onnx, and the same for tools.
#include "keratin/onnx.h"

#include "compiler/artifact/Names.h"
#include "frontend/backend/SavedFunctions.h"
#include "frontend/graph/SourcePlace.h"
#include "frontend/onnx/GraphImporter.h"
#include "frontend/onnx/Printable.h"
#include "frontend/onnx/SavedModel.h"
#include "keratin/error.h"
#include "keratin/io.h"

#include <filesystem>
#include <new>
#include <stdexcept>

using namespace keratin;
using namespace keratin::frontend;
using namespace keratin::frontend::onnx_models;

static std::vector<Output> import(GraphImporter &importer, const OnnxOptions &options) {
  ModelFile &file = importer.file;
  file.steps.begin(file.graph().node_size());
  importer.addInitializers(file.graph(), options.trainable);
  importer.addInputs(file.graph(), options.constants, options.lengths);
  importer.addNodes(file.graph().node());
  std::vector<Output> outputs;
  for (const onnx::ValueInfoProto &output : file.graph().output()) {
    ModelValue &value = importer.output(output.name());
    if (value.isNothing())
      file.notImplemented("the output '" + output.name() +
                          "', an optional value that is not there");
    if (std::vector<ModelValue> *elements = value.sequence()) {
      // One for each of them.
      for (size_t i = 0; i < elements->size(); ++i) {
        if (!(*elements)[i].isTensor())
          file.notImplemented("the output '" + output.name() + "', a sequence of no tensors");
        outputs.emplace_back(output.name() + "_" + std::to_string(i),
                             (*elements)[i].tensor(file.location));
      }
      continue;
    }
    outputs.emplace_back(output.name(), value.tensor(file.location));
  }
  if (outputs.empty())
    file.fail("has no outputs");
  file.steps.end();
  return outputs;
}

// "load_onnx: 'm.onnx' has no graph" as "this has no graph", behind the file's name.
static std::string withoutFile(llvm::StringRef message, const std::string &path) {
  message.consume_front("load_onnx: ");
  if (!message.consume_front("'" + path + "'"))
    return message.str();
  if (message.consume_front(": "))
    return message.str();
  return "this" + message.str();
}

absl::StatusOr<std::string> onnx_models::savedGraphOf(const std::string &path) {
  auto failed = [&](absl::StatusCode code, const std::exception &error) {
    return absl::Status(code, withoutFile(error.what(), path));
  };
  try {
    ImportSteps steps;
    ModelFile file(path, SourceLocation(), steps);
    GraphImporter importer(file);
    const std::vector<Output> outputs = import(importer, {});
    const std::string &given = file.graph().name();
    const std::string name = compiler::isModelName(given)
                                 ? given
                                 : compiler::modelName(std::filesystem::path(path).stem().string());
    const Function function = functionWithoutCode(importer.inputs, outputs, name, file.location);
    return frontend::savedGraphOf("load_onnx", {function}, file.location);
  } catch (const MemoryError &error) {
    return failed(absl::StatusCode::kResourceExhausted, error);
  } catch (const NotImplementedError &error) {
    return failed(absl::StatusCode::kUnimplemented, error);
  } catch (const RuntimeError &error) {
    return failed(absl::StatusCode::kUnavailable, error);
  } catch (const Error &error) {
    return failed(absl::StatusCode::kInvalidArgument, error);
  }
}

namespace keratin::backend {

static OnnxModel load(ModelFile file, const OnnxOptions &options) {
  GraphImporter importer(file);
  const std::vector<Output> outputs = import(importer, options);
  OnnxModel model;
  model.variables = importer.variables;
  model.function = function(importer.inputs, outputs, {}, options.function.name, options.function,
                            file.location);
  return model;
}

// What is said of a function's inputs and outputs as a whole names no place.
template <typename Kind>
[[noreturn]] static void rethrow(const Kind &error, const std::string &path,
                                 SourceLocation location) {
  const std::string text = error.what();
  if (text.find("; at ") != std::string::npos || text.find(path) != std::string::npos)
    throw;
  throw Kind(
      withPlace("load_onnx: the graph of '" + printable(path) + "' is refused: " + text, location));
}

OnnxModel load_onnx(const std::string &path, const OnnxOptions &options, SourceLocation location) {
  ImportSteps steps(options.function);
  try {
    return load(ModelFile(path, location, steps), options);
  } catch (const ImportSteps::Ended &) {
    steps.fail(path, location);
  } catch (const MemoryError &) {
    throw;
  } catch (const ValueError &error) {
    rethrow(error, path, location);
  } catch (const RuntimeError &error) {
    rethrow(error, path, location);
  } catch (const std::bad_alloc &) {
  } catch (const std::length_error &) { // of a vector longer than any memory
  }
  throw MemoryError(withPlace("load_onnx: out of memory for '" + printable(path) + "'", location));
}

} // namespace keratin::backend
