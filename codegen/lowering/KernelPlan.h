// What a kernel computes and what a machine makes of it, before any of it is emitted.
#ifndef KERATIN_CODEGEN_LOWERING_KERNELPLAN_H
#define KERATIN_CODEGEN_LOWERING_KERNELPLAN_H

#include "codegen/lowering/KernelFunction.h"

#include "llvm/Support/raw_ostream.h"

#include <memory>

namespace keratin::codegen {

// Made once for a kernel: its units, its scratch, its code and what people read of it come from the
// same plan, and nothing is decided after it. Each kind of kernel has its own, which holds first
// what follows from the ops and their sizes alone, and then the schedule: what the machine makes of
// that. It does not outlive the kernel.
class KernelPlan : public std::enable_shared_from_this<KernelPlan> {
public:
  explicit KernelPlan(ir::KernelOp kernel) : kernel(kernel) {}
  virtual ~KernelPlan() = default;

  // For people, a subject a line: the loops and what runs in them; what the machine makes of it.
  virtual void printNest(llvm::raw_ostream &out) const = 0;
  virtual void printSchedule(llvm::raw_ostream &out) const = 0;

  // Where the number of units is no dimension expression: emits it as i64, given sizes as i64.
  virtual bool countsUnits() const { return false; }
  virtual mlir::Value countUnits(mlir::OpBuilder &, mlir::Location, SizeOf) const { return {}; }
  // Their number for people, in any case.
  virtual std::string unitsInWords() const { return units.str(); }

  // The function whose body has been emitted, which is called as the plan says.
  KernelFunction finish(KernelBuilder &k) const;

  ir::KernelOp kernel;
  // See KernelFunction.
  ir::DimExpr units = 1;
  ir::DimExpr grain = 1, work = 1;
  int64_t scratchBytes = 0;
  bool hasLastUnit = false;

protected:
  mlir::Block &body() const { return ir::KernelOp(kernel).getBody().front(); }
  // Units of so many elements each.
  void setWork(const ir::DimExpr &units, const ir::DimExpr &perUnit);
};

// Name, source line, tensors, nest, work and schedule.
void print(llvm::raw_ostream &out, const KernelPlan &plan);

// "3 vectors", "1 vector".
std::string counted(int64_t count, llvm::StringRef one);

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_LOWERING_KERNELPLAN_H
