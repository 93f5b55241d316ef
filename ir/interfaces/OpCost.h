// How much arithmetic an op does: for people who look at a graph, and for tests.
#ifndef KERATIN_IR_INTERFACES_OPCOST_H
#define KERATIN_IR_INTERFACES_OPCOST_H

#include "ir/dialect/Keratin.h"

namespace keratin::ir {

// Arithmetic operations on elements, of whatever type, taken from what the op says of itself:
//  - elementwise: one for each call on the ScalarBuilder, but for constants, times the elements of
//    the result (so a tanh counts as one);
//  - reductions: one for each combination of an accumulator with an element of the operand;
//  - contractions: a multiplication and an addition for each triple of row, column and depth;
//  - windows: as contractions and reductions, for each element that they cover; zeros between the
//    elements of x do not count, zeros around it do;
//  - scans, arg_max and the like: what the recurrence does for each element;
//  - moving elements: none.
// Of loops and branches see costOfRegions(). Of a kernel, the sum over its body, each op once: what
// a loop nest computes again to avoid reading it is not counted, nor the error terms of compensated
// sums. nullopt if the number cannot be represented (ir/shapes/DimExpr.h).
using Count = std::optional<DimExpr>;
Count operationCount(mlir::Operation *op);

// Arithmetic on counts that may not be representable.
Count sum(const Count &a, const Count &b);
Count larger(const Count &a, const Count &b);
Count times(const Count &a, const DimExpr &b);

// What a loop or a branch costs if `costOf` says what its blocks cost: a step as often as there are
// steps; of keratin.while, of whose steps nobody knows the number, one; of branches the larger one.
// nullopt for any other op. A Cost is a Count or something else with `larger` and `times`.
template <typename Cost>
std::optional<Cost> costOfRegions(mlir::Operation *op,
                                  llvm::function_ref<Cost(mlir::Block &)> costOf) {
  if (auto scan = llvm::dyn_cast<ScanOp>(op))
    return times(costOf(scan.getBody().front()), scan.getSteps());
  if (auto loop = llvm::dyn_cast<WhileOp>(op))
    return costOf(loop.getBody().front());
  if (auto branches = llvm::dyn_cast<IfOp>(op))
    return larger(costOf(branches.getThenBody().front()), costOf(branches.getElseBody().front()));
  return std::nullopt;
}

} // namespace keratin::ir

#endif // KERATIN_IR_INTERFACES_OPCOST_H
