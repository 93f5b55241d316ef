// Models of ONNX as saved graphs, for tools: nothing is compiled.
#ifndef KERATIN_FRONTEND_ONNX_SAVEDMODEL_H
#define KERATIN_FRONTEND_ONNX_SAVEDMODEL_H

#include "absl/status/statusor.h"

#include <string>

namespace keratin::frontend::onnx_models {

// The bytes that K::save_function writes of what K::load_onnx makes of the file, with constants for
// all initializers. The function has the name of the model's graph where that is a name in C, else
// one after the file. Messages are those of K::load_onnx without its name and the file's.
absl::StatusOr<std::string> savedGraphOf(const std::string &path);

} // namespace keratin::frontend::onnx_models

#endif // KERATIN_FRONTEND_ONNX_SAVEDMODEL_H
