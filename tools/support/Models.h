// The models that tools take.
#ifndef KERATIN_TOOLS_SUPPORT_MODELS_H
#define KERATIN_TOOLS_SUPPORT_MODELS_H

#include "ir/saved/SavedGraph.h"

#include "absl/status/statusor.h"

#include <string>

namespace keratin::tools {

// As compiler::readModel; a file whose name ends in ".onnx" is a model of ONNX, one whose name
// ends in ".h5" or ".hdf5" one of Keras.
absl::StatusOr<ir::SavedGraph> readModel(const std::string &path, mlir::MLIRContext &context,
                                         const std::string &function = "");

} // namespace keratin::tools

#endif // KERATIN_TOOLS_SUPPORT_MODELS_H
