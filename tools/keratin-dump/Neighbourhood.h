// The part of a function around some of its ops.
#ifndef KERATIN_TOOLS_DUMP_NEIGHBOURHOOD_H
#define KERATIN_TOOLS_DUMP_NEIGHBOURHOOD_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"

#include "llvm/ADT/DenseSet.h"

#include <string>

namespace keratin::dump {

using OpSet = llvm::DenseSet<mlir::Operation *>;

// The ops of the function's body that match, and what stands up to `depth` steps away as their
// operands or users. A pattern is a number of a result as the text shows it ("%12"), the name of an
// op ("tanh", "keratin.tanh"), or a place ("net.cc:57"; a file matches by the end of its path). A
// kernel matches if an op in it does, by name or place. Empty if nothing matches.
OpSet opsAround(mlir::func::FuncOp function, const std::string &pattern, int64_t depth);

// A module with one function of these ops alone: values that others make are its arguments, values
// that others use are its results.
mlir::OwningOpRef<mlir::ModuleOp> cutOut(mlir::func::FuncOp function, const OpSet &ops);

} // namespace keratin::dump

#endif // KERATIN_TOOLS_DUMP_NEIGHBOURHOOD_H
