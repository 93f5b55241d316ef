// Functions of the dialect to the bytes of a saved graph.
#ifndef KERATIN_IR_SAVED_GRAPHWRITER_H
#define KERATIN_IR_SAVED_GRAPHWRITER_H

#include "ir/saved/SavedGraph.h"

#include "absl/status/statusor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/ArrayRef.h"

#include <string>

namespace keratin::ir {

// Equal graphs give equal bytes, whatever the numbers of their symbols. The functions keep the
// contract of compiler/driver/Compiler.h, with gradients expanded and requirements as ops; names in
// `functions` are those in the file. Names must be unique where the format says so.
// INVALID_ARGUMENT for what cannot be saved.
absl::StatusOr<std::string> writeGraph(mlir::ModuleOp module,
                                       llvm::ArrayRef<SavedFunction> functions,
                                       llvm::ArrayRef<SavedVariable> variables);
// The same for functions of several modules, which may have different contexts.
absl::StatusOr<std::string> writeGraph(llvm::ArrayRef<mlir::func::FuncOp> bodies,
                                       llvm::ArrayRef<SavedFunction> functions,
                                       llvm::ArrayRef<SavedVariable> variables);

} // namespace keratin::ir

#endif // KERATIN_IR_SAVED_GRAPHWRITER_H
