// The loops of elementwise chains, moves and reductions, and what runs in them.
#ifndef KERATIN_CODEGEN_LOWERING_LOOPNEST_H
#define KERATIN_CODEGEN_LOWERING_LOOPNEST_H

#include "ir/interfaces/IterationSpace.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>

namespace keratin::codegen {

// Loops run over the groups of the space. Everything that is reduced is passed over once for each
// stage: the reductions of a stage need the results of those before it. What is yielded at every
// index is stored in the first stage in which it can be computed.
class LoopNest {
public:
  LoopNest(ir::KernelOp kernel, ir::IterationSpace space);

  // By which loop is innermost, whose elements are neighbours in memory.
  enum class Form {
    Scalar, // no loop: one element
    Flat,   // one loop, nothing is reduced
    Lines,  // several loops, nothing is reduced
    Rows,   // the innermost loop is reduced
    Columns // loops further out are reduced, the innermost is kept
  } form = Form::Scalar;

  ir::IterationSpace space;
  // Numbers of groups further out than the innermost, outermost first.
  llvm::SmallVector<unsigned> outerKept, outerReduced;

  // Precondition: there is a loop.
  const ir::IterationSpace::Group &innermost() const { return space.groups.back(); }

  // The last stage has no reductions: what is yielded after all of them.
  unsigned stages() const { return space.stages.size() + 1; }
  bool isStagePresent(unsigned stage) const;
  llvm::ArrayRef<ir::ReductionOpInterface> reductions(unsigned stage) const;
  // What is yielded in the stage, by its number among the results: at every index; and once for
  // each row, after the stage's reductions.
  struct Output {
    unsigned number;
    mlir::Value value;
  };
  llvm::SmallVector<Output> fullOutputs(unsigned stage) const;
  llvm::SmallVector<Output> rowOutputs(unsigned stage) const;
  // Whether a stage reads elements of the input, which has the full shape, where this is in memory.
  bool reads(unsigned stage, mlir::Value input, mlir::Value inMemory = {}) const;
  // Those that reduce columns: what of them is done in the stage, each with the result that it is
  // and the one that is its memory, by their numbers.
  struct Column {
    ir::ReductionOpInterface op;
    unsigned output, workspace;
    unsigned stage;
  };
  llvm::SmallVector<Column> columns;
  // A value of elements that takes long to compute and is needed in a stage and in later ones. It
  // may wait in memory of a thread's own or, if it has the type of what a later stage yields at
  // every index, in the place of that result. (What reduces never writes over its operands:
  // passes/memory/InPlace.h.)
  struct Waiting {
    mlir::Value value;
    std::optional<unsigned> output; // by its number among the results
    unsigned stage;                 // the first that needs the value
  };
  std::optional<Waiting> waiting(bool inResults, bool inOwnMemory) const;
  // Values of a row, but for results of reductions, of which later stages need every element again:
  // what they compute once a row.
  llvm::SmallVector<mlir::Value> keptOfRows() const;
  // What an element of the stage takes, roughly, where this is in memory.
  int64_t instructions(unsigned stage, mlir::Value inMemory = {}) const;

  // How many times outer kept loops run in all; how many elements become one; all elements. The
  // greatest number where a product does not fit.
  ir::DimExpr outerRows() const;
  ir::DimExpr reducedElements() const;
  ir::DimExpr elements() const;

  void print(llvm::raw_ostream &out) const;

private:
  using Operations = llvm::SmallPtrSet<mlir::Operation *, 16>;
  using Inputs = llvm::SmallPtrSet<mlir::Value, 8>;
  void findColumns();
  void postponeReductions();
  std::optional<unsigned> stageThatReads(mlir::Value value, unsigned from,
                                         mlir::Operation *without) const;
  Inputs fullInputsOf(llvm::SmallVector<mlir::Value> wanted, mlir::Value inMemory = {}) const;
  llvm::SmallVector<mlir::Value> wantedIn(unsigned stage) const;
  Operations computedIn(unsigned stage, mlir::Value inMemory) const;
  Operations computedFor(llvm::SmallVector<mlir::Value> wanted, mlir::Value inMemory) const;

  mlir::Block &body() const { return ir::KernelOp(kernel).getBody().front(); }

  ir::KernelOp kernel;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_LOWERING_LOOPNEST_H
