// A function of the dialect as a model of ONNX.
#ifndef KERATIN_FRONTEND_ONNX_EXPORTEDMODEL_H
#define KERATIN_FRONTEND_ONNX_EXPORTEDMODEL_H

#include "ir/saved/SavedGraph.h"

#include "absl/status/statusor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>
#include <vector>

namespace keratin::frontend::onnx_models {

struct ExportSettings {
  int64_t opset = 18;
  // New values of variables are outputs; else a function that has them is refused.
  bool updatesAsOutputs = true;
  // Nodes say which line made them.
  bool keepsPlaces = true;
  // Large tensors go to a file of this name, beside the model; "": they are part of it.
  std::string dataFile = "";
};

// What is written to files.
struct ExportedModel {
  std::string model;
  // Of the other file, one tensor each, without copies; none without dataFile.
  std::vector<std::string> data;
  // Gives these to whoever writes, piece by piece.
  void writeData(llvm::function_ref<void(const void *, size_t)> write) const;
};

// Of ONNX, as a number.
int32_t elementTypeOf(mlir::Type type);

// The function is as those of a SavedGraph are; variables are all of its file's.
absl::StatusOr<ExportedModel> exportModel(mlir::func::FuncOp function,
                                          const ir::SavedFunction &saved,
                                          llvm::ArrayRef<ir::SavedVariable> variables,
                                          const ExportSettings &settings);
// The one function of a saved graph.
absl::StatusOr<ExportedModel> exportModel(const ir::SavedGraph &graph,
                                          const ExportSettings &settings);

} // namespace keratin::frontend::onnx_models

#endif // KERATIN_FRONTEND_ONNX_EXPORTEDMODEL_H
