// Rewrites a block so that each group of ops is a kernel.
#ifndef KERATIN_PASSES_FUSION_KERNELWRITER_H
#define KERATIN_PASSES_FUSION_KERNELWRITER_H

#include "passes/fusion/KernelGroups.h"

#include "mlir/IR/Builders.h"

namespace keratin::passes {

class KernelWriter {
public:
  // The groups are of this block and have been formed. They mean nothing afterwards.
  KernelWriter(mlir::Block &block, const KernelGroups &groups)
      : block(block), groups(groups), builder(block.getTerminator()) {}

  mlir::LogicalResult run();

private:
  llvm::SmallVector<int> schedule() const;
  void defineSizes();
  mlir::Value outside(mlir::Value value);
  void moveControlFlow(mlir::Operation *op);
  void makeKernel(const KernelGroups::Group &group);

  mlir::Block &block;
  const KernelGroups &groups;
  mlir::OpBuilder builder;
  llvm::DenseMap<mlir::Value, mlir::Value> replaced;
  llvm::DenseSet<int64_t> defined; // symbols
  llvm::DenseSet<int> made;        // groups that have become kernels
};

} // namespace keratin::passes

#endif // KERATIN_PASSES_FUSION_KERNELWRITER_H
