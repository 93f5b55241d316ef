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
// Of a loop, those of a step times the number of steps; of a branch, the larger number.
// Of a kernel, the sum over its body, each op once: what a loop nest computes again to avoid
// reading it is not counted, nor the error terms of compensated sums. nullopt if the number cannot
// be represented (ir/shapes/DimExpr.h).
std::optional<DimExpr> operationCount(mlir::Operation *op);

} // namespace keratin::ir

#endif // KERATIN_IR_INTERFACES_OPCOST_H
