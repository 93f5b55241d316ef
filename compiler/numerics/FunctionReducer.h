// Makes a function that shows a failure smaller.
#ifndef KERATIN_COMPILER_NUMERICS_FUNCTIONREDUCER_H
#define KERATIN_COMPILER_NUMERICS_FUNCTIONREDUCER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <functional>

namespace keratin::compiler {

// A module that holds a copy of the function alone.
mlir::OwningOpRef<mlir::ModuleOp> copyOf(mlir::func::FuncOp function);
// The first function of a module.
mlir::func::FuncOp functionOf(mlir::ModuleOp module);

// Drops results, and puts an input in the place of an op, as long as what is left is valid and
// still fails. Inputs are not dropped: symbols and generated values depend on them.
class FunctionReducer {
public:
  using Fails = std::function<bool(mlir::func::FuncOp)>;
  // Keeps a copy of the function, which fails.
  FunctionReducer(mlir::func::FuncOp function, Fails fails);

  void run();
  mlir::func::FuncOp function() { return functionOf(*module); }

private:
  bool accept(mlir::OwningOpRef<mlir::ModuleOp> candidate);
  bool dropResults();
  bool dropOps();

  Fails fails;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_NUMERICS_FUNCTIONREDUCER_H
