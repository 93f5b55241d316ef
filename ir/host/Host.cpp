#include "ir/host/Host.h"

#include "ir/interfaces/KernelName.h"

#include "mlir/IR/DialectImplementation.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace keratin;
using namespace keratin::host;
using namespace mlir;

#include "ir/host/HostDialect.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "ir/host/HostTypes.cpp.inc"
#define GET_OP_CLASSES
#include "ir/host/HostOps.cpp.inc"

void HostDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "ir/host/HostTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ir/host/HostOps.cpp.inc"
      >();
}

template <typename Op> static Work workFrom(Op op) {
  Work work{int64_t(op.getKernel()), op.getInputs(), op.getOutputs(), {}};
  if (op.getAfter())
    for (const ir::DimExpr &size : op.getAfter()->getDims())
      llvm::append_range(work.after, size.symbols());
  return work;
}

std::optional<Work> host::workOf(Operation *op) {
  if (auto launch = dyn_cast<LaunchOp>(op))
    return workFrom(launch);
  if (auto call = dyn_cast<CallOp>(op))
    return workFrom(call);
  if (auto start = dyn_cast<StartCollectiveOp>(op))
    return workFrom(start);
  return std::nullopt;
}

bool host::needsNoHost(Operation *op) {
  if (auto read = dyn_cast<ReadOp>(op))
    return read.getType().isInteger(1);
  return isa<ArgumentOp, ResultOp, ConstantOp, MemoryOp, AtOp, ElementOp, DiffersOp, LaunchOp,
             CopyOp, WriteOp, SizeOp, SoundOp, LoopOp, scf::ForOp, scf::WhileOp, scf::IfOp,
             scf::YieldOp, scf::ConditionOp, arith::ConstantOp, arith::AddIOp, arith::SubIOp,
             arith::MulIOp, arith::AndIOp, arith::CmpIOp, arith::SelectOp>(op);
}

bool host::isResident(Operation *op) {
  for (auto loop = op->getParentOfType<LoopOp>(); loop; loop = loop->getParentOfType<LoopOp>())
    if (loop.getResident())
      return true;
  return false;
}

NumberedOps host::numberedOpsOf(func::FuncOp function) {
  NumberedOps ops{ir::numberedKernels(function), {}};
  function.walk([&](ir::ConstantOp constant) {
    if (!isa<ir::KernelOp>(constant->getParentOp()))
      ops.constants.push_back(constant);
  });
  return ops;
}

ProgramOp host::programOf(func::FuncOp function) {
  if (auto module = dyn_cast_or_null<ModuleOp>(function->getParentOp()))
    for (auto program : module.getOps<ProgramOp>())
      if (program.getFunction() == function.getName())
        return program;
  return {};
}
