// The host dialect: what the host does in a call. docs/host-program.md explains it.
#ifndef KERATIN_IR_HOST_HOST_H
#define KERATIN_IR_HOST_HOST_H

#include "ir/dialect/Keratin.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "ir/host/HostDialect.h.inc"

#define GET_TYPEDEF_CLASSES
#include "ir/host/HostTypes.h.inc"
#define GET_OP_CLASSES
#include "ir/host/HostOps.h.inc"

namespace keratin::host {

// The work of a kernel, whoever does it: host.launch, host.call or host.start_collective.
struct Work {
  int64_t kernel = 0;
  mlir::OperandRange inputs, outputs;
  // Symbols of the computed sizes that it depends on.
  llvm::SmallVector<int64_t> after;
};
std::optional<Work> workOf(mlir::Operation *op);

// Whether a device can do the op, not what is inside of it, without the host: in a resident loop.
bool needsNoHost(mlir::Operation *op);
// Whether the op stands in a resident loop.
bool isResident(mlir::Operation *op);

// What a program names by numbers: kernels, and constants outside of kernels, of its function.
struct NumberedOps {
  llvm::SmallVector<ir::KernelOp> kernels;
  llvm::SmallVector<ir::ConstantOp> constants;
};
NumberedOps numberedOpsOf(mlir::func::FuncOp function);

// The host program of a function of the module; null if there is none.
ProgramOp programOf(mlir::func::FuncOp function);

} // namespace keratin::host

#endif // KERATIN_IR_HOST_HOST_H
