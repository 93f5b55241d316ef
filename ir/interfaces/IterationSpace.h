// The loops of a fused kernel, derived from the ops in it.
//
// A kernel's values live in one of two domains. "Full" values have the kernel's full shape. "Row"
// values have the shape that is left after the kernel's reductions, all of which reduce the same
// axes of the full shape; broadcast back along these axes they may enter Full values again. Where
// those axes are the innermost ones, there may be "Column" values, too: reductions of Full values
// along all the other axes, which nothing in the kernel reads.
// Everything else is read from memory, or recomputed, at an index derived from the loop indices.
// Fusion forms only kernels for which this analysis succeeds; code generation emits them from it.
#ifndef KERATIN_IR_INTERFACES_ITERATIONSPACE_H
#define KERATIN_IR_INTERFACES_ITERATIONSPACE_H

#include "ir/dialect/Keratin.h"

#include <string>

namespace keratin::ir {

// The shape without dimensions of size 1, which no loop runs over.
Shape squeezed(const Shape &shape);
// Whether the reshape only adds or removes dimensions of size 1.
bool isUnitReshape(ReshapeOp op);
// Whether the slice takes neighbouring places of the first dimension and all of the others: one
// piece of its operand's memory.
bool isRowRange(SliceOp op);
// Whether the op reduces nothing but dimensions of size 1.
bool isUnitReduction(ReductionOpInterface op);

enum class Domain {
  External, // an input of the kernel, or recomputed from inputs where it is used
  Full,
  Row,
  Column
};

struct IterationSpace {
  // Loops run over groups of neighbouring dimensions that every op treats alike.
  struct Group {
    DimExpr extent;
    bool reduced = false;
    unsigned first = 0, last = 0; // dimensions of `shape`
  };

  Shape shape; // full, squeezed
  std::vector<Group> groups;
  // Reductions by stage: those of stage s need the results of stage s - 1.
  std::vector<llvm::SmallVector<ReductionOpInterface>> stages;
  llvm::DenseMap<mlir::Value, Domain> domains;
  llvm::DenseMap<mlir::Value, unsigned> stageOf; // stage in which a value can be computed
  // Reductions whose results are Column values. Each block of rows is reduced by itself, in memory
  // that the kernel gets as one more result (kWorkspacesAttr), and the blocks in their order.
  std::vector<ReductionOpInterface> columnReductions;

  bool hasReductions() const { return !stages.empty(); }
  bool isInnermostReduced() const { return !groups.empty() && groups.back().reduced; }
  // How many kept and how many reduced elements there are, and rows in a block: they follow from
  // the shape. The greatest number where one does not fit.
  DimExpr rows() const { return elements(/*reduced=*/false); }
  DimExpr columns() const { return elements(/*reduced=*/true); }
  DimExpr rowsOfBlock() const;
  // The memory of a reduction of columns: what it has of each block.
  mlir::RankedTensorType workspaceOf(ReductionOpInterface columnReduction) const;

private:
  DimExpr elements(bool reduced) const;
};

// Of a kernel: how many of its results, the last ones, are no values but memory to work in, for the
// reductions of columns in their order. In its body an iota of the type stands for each.
inline constexpr llvm::StringLiteral kWorkspacesAttr = "keratin.workspaces";
// What it yields before them.
mlir::OperandRange valuesOf(KernelOp kernel);

// Derives the space of ops, in the order of the graph, that yield the outputs; values defined
// elsewhere are inputs. On failure `why` says which rule the ops break.
std::optional<IterationSpace> analyzeIterationSpace(llvm::ArrayRef<mlir::Operation *> ops,
                                                    llvm::ArrayRef<mlir::Value> outputs,
                                                    std::string *why = nullptr);
std::optional<IterationSpace> analyzeIterationSpace(KernelOp kernel, std::string *why = nullptr);
// The memory to work in that a kernel of these ops, which have an iteration space, needs beside its
// outputs.
llvm::SmallVector<mlir::RankedTensorType> columnWorkspaces(llvm::ArrayRef<mlir::Operation *> ops,
                                                           llvm::ArrayRef<mlir::Value> outputs);

} // namespace keratin::ir

#endif // KERATIN_IR_INTERFACES_ITERATIONSPACE_H
