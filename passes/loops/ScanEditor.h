// Changes what goes into a loop, is carried from step to step, and comes out of it.
#ifndef KERATIN_PASSES_LOOPS_SCANEDITOR_H
#define KERATIN_PASSES_LOOPS_SCANEDITOR_H

#include "ir/dialect/Keratin.h"

#include "llvm/ADT/DenseSet.h"

#include <optional>

namespace keratin::passes {

// A scan, or a keratin.while, as lists that may be changed freely: entries added, dropped, given
// other operands or other values. Every value in them is meant as it stands in the loop's body
// until finish() makes the loop anew. It must not be used between construction and finish(). The
// first state of a keratin.while is its condition and stays.
class ScanEditor {
public:
  struct State {
    mlir::Value init;
    mlir::BlockArgument argument; // the state before the step
    mlir::Value next;             // in the body
    mlir::Value last;             // the result; null for a state that is new
  };
  struct Input { // a sequence or a capture
    mlir::Value operand;
    mlir::BlockArgument argument; // an element of it, or itself
  };
  struct Stack {
    mlir::Value element; // in the body
    mlir::Value result;  // null for a stack that is new
  };

  explicit ScanEditor(ir::LoopOpInterface loop);

  ir::LoopOpInterface op() const { return loop; }
  mlir::Block &body() { return loop.getBody().front(); }
  mlir::BlockArgument stepNumber() { return loop.getStepNumber(); }

  // The argument for the operand, which is added unless it is there.
  mlir::BlockArgument sequence(mlir::Value operand);
  mlir::BlockArgument capture(mlir::Value operand);
  // Index of the stack of a value of the body, which is added unless it is there; nullopt if it had
  // too many elements to be counted.
  std::optional<unsigned> stack(mlir::Value element);
  // Everywhere in the body, and in the lists.
  void replace(mlir::Value from, mlir::Value to);
  // Index of a new state; its next value is to be given by the caller.
  unsigned addState(mlir::Value init);

  // Makes the loop of what the lists hold now, at the place of the old one, which is gone. Ops of
  // the body that nobody needs are erased, sequences and captures that nobody reads are left out.
  // A dropped entry must have had no other use.
  ir::LoopOpInterface finish();

  llvm::SmallVector<State> states;
  llvm::SmallVector<Input> sequences, captures;
  llvm::SmallVector<Stack> stacks;

private:
  mlir::BlockArgument input(llvm::SmallVector<Input> &inputs, mlir::Value operand, mlir::Type type);

  ir::LoopOpInterface loop;
};

// All loops of the function, inner ones before those around them.
llvm::SmallVector<ir::ScanOp> innermostFirst(mlir::Operation *function);
// With those of unknown length.
llvm::SmallVector<ir::LoopOpInterface> innermostLoops(mlir::Operation *function);
// Those of which something may be done for all steps at once. Not those over segments
// (keratin-checkpoint-loops), which are there so that nothing of all their steps is in memory; nor
// those whose steps differ in their sizes.
llvm::SmallVector<ir::ScanOp> innermostToBatch(mlir::Operation *function);

// The type of the stack of such values; nullopt if its elements cannot be counted.
std::optional<mlir::RankedTensorType> stackType(mlir::RankedTensorType element,
                                                const ir::DimExpr &steps);
// Of one element of a sequence.
mlir::RankedTensorType elementType(mlir::RankedTensorType sequence);

// Erases what nobody needs, from the end: the block's own ops, or those of nested regions, too.
void eraseDeadOps(mlir::Block &block);
void eraseDeadOps(mlir::Operation *function);

// The ops of a body with what they are computed from in it.
llvm::DenseSet<mlir::Operation *> withSources(llvm::ArrayRef<mlir::Operation *> ops);

} // namespace keratin::passes

#endif // KERATIN_PASSES_LOOPS_SCANEDITOR_H
