// How the sets of an op's result follow from those of its operands, family by family.
#ifndef KERATIN_PASSES_SPARSITY_DEPENDENCYRULES_H
#define KERATIN_PASSES_SPARSITY_DEPENDENCYRULES_H

#include "passes/sparsity/IndexSets.h"
#include "passes/sparsity/KnownValues.h"

#include "ir/dialect/Keratin.h"

#include <memory>

namespace keratin::passes {

// The set of each element of a value, as int64; shared by values that have the same. Null: empty
// sets throughout.
using SetTensor = std::shared_ptr<const ir::HostTensor>;

class DependencyRules {
public:
  DependencyRules(IndexSets &sets, KnownValues &known) : sets(sets), known(known) {}

  // Of the op's one result. `operands` has an entry for each operand: null as well where no
  // derivative goes to it. One of them at least is not null, and all sizes are known.
  SetTensor apply(mlir::Operation *op, llvm::ArrayRef<SetTensor> operands);
  // The sets of a result of which nothing is known but what goes in.
  SetTensor ofAnything(mlir::Value result, llvm::ArrayRef<SetTensor> operands);

private:
  using Operands = llvm::ArrayRef<SetTensor>;
  class Sums;

  // Element by element, and what moves elements (DependencyRules.cpp).
  SetTensor elementwise(mlir::Operation *op, Operands operands);
  SetTensor move(mlir::Operation *op, Operands operands);
  SetTensor gatherAnywhere(ir::GatherOp op, const ir::HostTensor &x);
  // What adds up, or chooses among, several (SummedDependencies.cpp).
  SetTensor reduce(mlir::Operation *op, const ir::HostTensor &x, llvm::ArrayRef<int64_t> axes);
  SetTensor along(mlir::Operation *op, Operands operands, int64_t axis);
  SetTensor scatter(ir::ScatterAddOp op, const ir::HostTensor &updates);
  SetTensor contract(ir::DotGeneralOp op, Operands operands);
  SetTensor contract(ir::DotGeneralOp op, const ir::HostTensor &x, unsigned operand);
  SetTensor convolve(ir::ConvolutionOp op, Operands operands);
  SetTensor convolve(ir::ConvolutionOp op, const ir::HostTensor &x, unsigned operand);
  template <typename Op>
  SetTensor window(Op op, const ir::HostTensor &x, llvm::ArrayRef<int64_t> xDilation);
  SetTensor scatterWindows(ir::WindowScatterOp op, const ir::HostTensor &v);
  SetTensor sparseDot(ir::SparseDotOp op, Operands operands);

  SetTensor united(SetTensor a, SetTensor b);
  ir::HostTensor emptySets(mlir::Value value) const;

  IndexSets &sets;
  KnownValues &known;
};

} // namespace keratin::passes

#endif // KERATIN_PASSES_SPARSITY_DEPENDENCYRULES_H
