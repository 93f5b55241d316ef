// What each op of the dialect becomes in a model of ONNX.
#ifndef KERATIN_FRONTEND_ONNX_EXPORTRECORDS_H
#define KERATIN_FRONTEND_ONNX_EXPORTRECORDS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace mlir {
class Operation;
}

namespace keratin::frontend::onnx_models {

class GraphExporter;

// What a kind of op becomes.
struct ExportRecord {
  const char *op;
  // Null: it has no counterpart, and `becomes` says why.
  void (*write)(GraphExporter &exporter, mlir::Operation *op);
  // For people: "Add".
  const char *becomes;
};
// Of an op that gives its operand as it is: its name is the operand's.
void alias(GraphExporter &exporter, mlir::Operation *op);

struct ExportTable {
  const char *subject;
  llvm::ArrayRef<ExportRecord> ops;
};
llvm::ArrayRef<ExportRecord> elementwiseExports();
llvm::ArrayRef<ExportRecord> shapeExports();
llvm::ArrayRef<ExportRecord> reductionExports();
llvm::ArrayRef<ExportRecord> productExports();
llvm::ArrayRef<ExportRecord> windowExports();
llvm::ArrayRef<ExportRecord> controlExports();
llvm::ArrayRef<ExportTable> allExports();
// Null for an op that no record is of.
const ExportRecord *findExport(llvm::StringRef op);

} // namespace keratin::frontend::onnx_models

#endif // KERATIN_FRONTEND_ONNX_EXPORTRECORDS_H
