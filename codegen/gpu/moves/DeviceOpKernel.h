// What the kernels of ops that stand alone share on a device: the op's memory, element by element.
#ifndef KERATIN_CODEGEN_GPU_MOVES_DEVICEOPKERNEL_H
#define KERATIN_CODEGEN_GPU_MOVES_DEVICEOPKERNEL_H

#include "codegen/elements/ElementEmitter.h"
#include "codegen/elements/LoopEmitter.h"
#include "codegen/gpu/DevicePlan.h"

namespace keratin::codegen {

// Base of the emitters. The code is a thread's: scalars, in straight text, so that memory may be
// read after it was written.
class DeviceOpKernel {
protected:
  using Value = mlir::Value;
  using Values = llvm::SmallVector<mlir::Value>;

  DeviceOpKernel(DeviceKernelBuilder &k, mlir::Operation *op)
      : k(k), b(k.b), loc(op->getLoc()), op(op), e(b, loc, k.target),
        emitter(k, loc, k.target, /*lanes=*/1) {}

  Value input(unsigned operand); // pointer
  Value output() { return k.outputs[0]; }
  Value size(const ir::DimExpr &value) { return k.sizeOf(value); }
  Value i64(int64_t value) { return e.constant(value); }

  // Elements in registers, at an offset in elements.
  Value load(Value pointer, mlir::Type elementType, Value offset);
  // Zero where the condition does not hold.
  Value loadWhere(Value condition, Value pointer, mlir::Type elementType, Value offset);
  void store(Value registers, Value pointer, mlir::Type elementType, Value offset);
  // An integer of an operand as a position.
  Value position(unsigned operand, Value offset);
  Value zero(mlir::Type elementType);
  // What is left of it when it has been stored.
  Value rounded(Value registers, mlir::Type elementType);

  // Whether x is in [0, bound): of what is negative not.
  Value isBelow(Value x, Value bound);
  // Whether the pointer is a multiple of so many bytes, a power of two.
  Value isAligned(Value pointer, int64_t bytes);
  // Element `number` of a vector, and a vector of so many.
  Value elementOf(Value vector, int64_t number);
  Value vectorOf(llvm::ArrayRef<Value> elements);

  DeviceKernelBuilder &k;
  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Operation *op;
  LoopEmitter e;
  ElementEmitter emitter;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_MOVES_DEVICEOPKERNEL_H
