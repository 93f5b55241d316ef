// A transpose as runs of dimensions that stay neighbours.
#ifndef KERATIN_CODEGEN_LOWERING_TRANSPOSERUNS_H
#define KERATIN_CODEGEN_LOWERING_TRANSPOSERUNS_H

#include "ir/dialect/Keratin.h"
#include "ir/interfaces/IterationSpace.h"

namespace keratin::codegen {

struct TransposeRuns {
  // A run's extent, and how many elements lie from one of its places to the next on both sides.
  struct Run {
    ir::DimExpr extent, from = 1, to = 1;
  };
  llvm::SmallVector<Run> runs; // in the order of the result
  size_t column = 0;           // the one that is innermost in the operand

  const Run &places() const { return runs.back(); }
  const Run &columns() const { return runs[column]; }
  // Whether both sides have the same run innermost: rows are copied.
  bool copiesRows() const { return column + 1 == runs.size(); }
  // Indices of the runs that are innermost on neither side.
  ir::DimExpr rows() const;
};

// Precondition: the space of a kernel of this op alone, with at least one group.
TransposeRuns transposeRunsOf(ir::TransposeOp op, const ir::IterationSpace &space);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_LOWERING_TRANSPOSERUNS_H
