// A slice of the graph as a module of its own, for the compiler or the interpreter.
#ifndef KERATIN_FRONTEND_GRAPH_FUNCTIONMODULE_H
#define KERATIN_FRONTEND_GRAPH_FUNCTIONMODULE_H

#include "frontend/graph/GraphSlice.h"
#include "frontend/graph/VariableStorage.h"
#include "runtime/abi/keratin_object_abi.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace keratin::frontend {

// A variable of a signature, with its name for messages.
struct ModuleVariable {
  std::string name;
  std::shared_ptr<VariableStorage> storage;
};

// The module keeps the contract of compiler/driver/Compiler.h. It has its own context, so that what
// compiling leaves in it (constants above all) goes with it, and so that functions may be compiled
// while others build the graph.
struct FunctionModule {
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  // The variables of the signature, in order.
  std::vector<ModuleVariable> variables;
  // Those of which each rank of a job has a part.
  std::map<const VariableStorage *, VariableStorage::Extent> divided;
  int64_t outputs = 0;
  size_t constantBytes = 0; // of all constants

  // Nobody has changed the module, and it is needed no more: other modules get its context.
  void recycle();
  // After work on it was abandoned (compiler/driver/Attempt.h): it is lost.
  void abandon();
};

enum class Literals { AsConstants, AsInputs };

// Under the graph's mutex. AsInputs: the slice's literals are arguments after its inputs, so that
// graphs which differ only in numbers share code.
//
// Update ops become results: several increments of one variable add up; of several assignments the
// last one counts. Draw counters of random nodes are updated too.
FunctionModule buildFunctionModule(const GraphSlice &slice, const std::string &name,
                                   Literals literals);

// Adds a variable that is a number of the job's ranks along the axis of a mesh, "": of all; the
// symbol is its. `size` is of BEGIN and SIZE.
ir::DimExpr addRankNumber(FunctionModule &module, keratin_rank_number_kind_t kind,
                          const std::string &axis, int64_t size = 0);

// The array's elements in the context of the type, which must have its dtype and shape.
mlir::DenseElementsAttr elementsOf(const Array &array, mlir::RankedTensorType type);
// The other way.
Array arrayOf(mlir::DenseElementsAttr elements);

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_GRAPH_FUNCTIONMODULE_H
