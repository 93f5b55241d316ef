// What plans of contractions and convolutions share on a CPU: units are blocks that code counts.
#ifndef KERATIN_CODEGEN_CPU_PRODUCTPLAN_H
#define KERATIN_CODEGEN_CPU_PRODUCTPLAN_H

#include "codegen/cpu/CpuKernelPlan.h"
#include "codegen/elements/SizeArithmetic.h"

namespace keratin::codegen {

class ProductPlan : public CpuKernelPlan {
public:
  bool countsUnits() const override { return true; }
  // The operands' memory may be walked by other kernels of the same text: only sizes count here.
  mlir::Value countUnits(mlir::OpBuilder &b, mlir::Location loc, SizeOf sizeOf) const override;
  std::string unitsInWords() const override;
  void emit(CpuKernelBuilder &k) const override;

protected:
  ProductPlan(ir::KernelOp kernel, const ir::DimExpr &operations);

  // The number of units, as code (index) and as an expression.
  virtual mlir::Value emitUnits(mlir::OpBuilder &b, mlir::Location loc, SizeOf sizeOf) const = 0;
  virtual SizeCases unitSizes() const = 0;
  // The units that the function is called with, k.begin to k.end.
  virtual void emitUnitsOf(CpuKernelBuilder &k) const = 0;
};

// Columns of the panels into which a call would pack the weights of the kernel; 0: it would not.
int64_t contractionPanelColumns(ir::KernelOp kernel, const MachineTarget &target);
int64_t convolutionPanelColumns(ir::KernelOp kernel, const MachineTarget &target);

// Where an operand of the kernel's op lies.
mlir::Value memoryOf(CpuKernelBuilder &k, mlir::Value operand);
// An i64 as index.
mlir::Value toIndex(CpuKernelBuilder &k, mlir::Value integer);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_PRODUCTPLAN_H
