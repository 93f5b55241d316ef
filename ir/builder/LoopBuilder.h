// Building loops and branches from functions that build their bodies.
#ifndef KERATIN_IR_BUILDER_LOOPBUILDER_H
#define KERATIN_IR_BUILDER_LOOPBUILDER_H

#include "ir/builder/GraphMath.h"

namespace keratin::ir {

// What a step is given, and what it makes of it.
struct LoopStep {
  mlir::Value number; // the place in sequences and stacks
  mlir::ValueRange states, elements, captures;
  llvm::SmallVector<mlir::Value> next, stacked;
};
using BuildStep = llvm::function_ref<void(GraphMath &, LoopStep &)>;

struct LoopInputs {
  mlir::ValueRange inits, sequences, captures;
  bool reverse = false;
};

// Emits the loop where `math` emits; the types of its results follow from what the step yields.
// Precondition: the sequences have the length along dimension 0.
ScanOp buildScan(GraphMath &math, const DimExpr &length, const LoopInputs &inputs,
                 BuildStep buildStep);

// Emits a loop of at most so many steps, as many as it likes if `most` is not given. The first
// state says whether there is a further step; there are no sequences, and nothing is stacked.
WhileOp buildWhile(GraphMath &math, const std::optional<DimExpr> &most, const LoopInputs &inputs,
                   BuildStep buildStep);

// Returns what a branch yields, for the captures as its arguments.
using BuildBranch =
    llvm::function_ref<llvm::SmallVector<mlir::Value>(GraphMath &, mlir::ValueRange)>;
IfOp buildIf(GraphMath &math, mlir::Value condition, mlir::ValueRange captures, BuildBranch first,
             BuildBranch second);

} // namespace keratin::ir

#endif // KERATIN_IR_BUILDER_LOOPBUILDER_H
