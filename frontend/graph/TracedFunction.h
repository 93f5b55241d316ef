// A callable of the user's that is called once and computed wherever it is needed.
#ifndef KERATIN_FRONTEND_GRAPH_TRACEDFUNCTION_H
#define KERATIN_FRONTEND_GRAPH_TRACEDFUNCTION_H

#include "frontend/graph/Call.h"
#include "frontend/graph/Trace.h"

#include <memory>
#include <vector>

namespace mlir {
class Block;
} // namespace mlir

namespace keratin::frontend {

// What an equation says of its unknowns: a function of these, and of what it takes from outside,
// which is asked for derivatives of both. So its ops are made for any values of both.
//
// Used in this order: constructor, addParameter() of each, the callable, finish(), the rest.
class TracedFunction {
public:
  // `callable` is for messages: "the function of root".
  TracedFunction(Call &call, std::string callable);
  ~TracedFunction();
  TracedFunction(const TracedFunction &) = delete;
  TracedFunction &operator=(const TracedFunction &) = delete;

  // A value of this type that the callable is given.
  Value addParameter(mlir::RankedTensorType type);
  // The callable has returned these. NotImplementedError if they were made with sizes that it
  // computes.
  void finish(llvm::ArrayRef<Value> results);

  // What it takes from outside: first what has derivatives, floats but constants; then the rest.
  llvm::ArrayRef<Value> variables() const { return floats; }
  llvm::ArrayRef<Value> constants() const { return others; }

  // Its results for these parameters and, in the place of the variables, these values.
  std::vector<Value> operator()(llvm::ArrayRef<Value> parameters,
                                llvm::ArrayRef<Value> variables) const;
  std::vector<Value> operator()(llvm::ArrayRef<Value> parameters) const {
    return (*this)(parameters, variables());
  }
  // The cotangents of the parameters, then those of the variables, for those of the results.
  std::vector<Value> vjp(llvm::ArrayRef<Value> parameters, llvm::ArrayRef<Value> cotangents) const;
  // The tangents of the results for these of the parameters and of the variables; an empty list
  // stands for those of constants.
  std::vector<Value> jvp(llvm::ArrayRef<Value> parameters, llvm::ArrayRef<Value> ofParameters,
                         llvm::ArrayRef<Value> ofVariables) const;
  // As vjp(), of jvp() for these tangents of the parameters.
  std::vector<Value> vjpOfJvp(llvm::ArrayRef<Value> parameters, llvm::ArrayRef<Value> ofParameters,
                              llvm::ArrayRef<Value> cotangents) const;

private:
  // Copies of the parameters, then of the variables.
  std::vector<Value> copiesOf(llvm::ArrayRef<Value> parameters) const;
  std::vector<Value> ofCopies(llvm::ArrayRef<Value> copies) const;
  std::vector<Value> gradientsOf(llvm::ArrayRef<Value> results, llvm::ArrayRef<Value> copies,
                                 llvm::ArrayRef<Value> cotangents) const;
  std::vector<Value> tangentsOf(llvm::ArrayRef<Value> copies, llvm::ArrayRef<Value> ofParameters,
                                llvm::ArrayRef<Value> ofVariables) const;

  Call &call;
  Trace trace;
  std::vector<Value> parameters;
  std::vector<Value> floats, others;
  std::unique_ptr<mlir::Block> block;
};

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_GRAPH_TRACEDFUNCTION_H
