// Models of Keras as saved graphs, for tools: nothing is compiled.
#ifndef KERATIN_FRONTEND_KERAS_FILES_SAVEDMODEL_H
#define KERATIN_FRONTEND_KERAS_FILES_SAVEDMODEL_H

#include "absl/status/statusor.h"

#include <string>

namespace keratin::frontend::keras_files {

// As onnx_models::savedGraphOf, of what layers::load_keras makes of the file.
absl::StatusOr<std::string> savedGraphOf(const std::string &path);

} // namespace keratin::frontend::keras_files

#endif // KERATIN_FRONTEND_KERAS_FILES_SAVEDMODEL_H
