// What the kernels of ops that stand alone share: the op's memory, loops over it, and units.
#ifndef KERATIN_CODEGEN_CPU_SINGLEOPKERNEL_H
#define KERATIN_CODEGEN_CPU_SINGLEOPKERNEL_H

#include "codegen/cpu/CpuKernelPlan.h"
#include "codegen/elements/Choice.h"
#include "codegen/elements/ElementEmitter.h"
#include "codegen/lowering/SingleOp.h"

namespace keratin::codegen {

// Lanes of vectors with one for each element of the given width (at least 32 bits).
unsigned lanesFor(const MachineTarget &target, unsigned elementBits);
// Vectors, or states, side by side at most, so that one does not wait for another.
constexpr unsigned maxUnroll = 4;
// Vectors of a block: at most `most`, halved as long as the extent is known not to have so many
// blocks.
unsigned blockVectors(unsigned most, unsigned lanes, const ir::DimExpr &extent, int64_t blocks = 1);

// Base of the emitters. The function's text is straight: what they make goes where the builder
// stands, and nothing is remembered or moved, so memory may be read after it was written.
class SingleOpKernel {
protected:
  using Value = mlir::Value;
  using Index = LaneIndex;
  template <typename T> using SmallVector = llvm::SmallVector<T>;
  template <typename T> using ArrayRef = llvm::ArrayRef<T>;
  using LoopBody = llvm::function_ref<SmallVector<Value>(Value iv, ArrayRef<Value> carried)>;
  using LaneBody =
      llvm::function_ref<SmallVector<Value>(Value position, Value mask, ArrayRef<Value> carried)>;

  SingleOpKernel(CpuKernelBuilder &k, mlir::Operation *op, unsigned lanes);

  Value input(unsigned operand); // pointer
  Value output() { return k.outputs[0]; }
  Value size(const ir::DimExpr &value) { return k.sizeOf(value); }

  // Contiguous lanes from the position in the last dimension on, under the mask (null: all).
  Value loadLanes(Value pointer, mlir::RankedTensorType type, ArrayRef<Value> position, Value mask);
  void storeLanes(Value registers, Value pointer, mlir::RankedTensorType type,
                  ArrayRef<Value> position, Value mask);
  // Asks for the line so many elements behind the position.
  void prefetch(Value pointer, mlir::RankedTensorType type, ArrayRef<Value> position,
                Value distance);
  Value loadScalar(Value pointer, mlir::RankedTensorType type, ArrayRef<Value> position);
  void storeScalar(Value registers, Value pointer, mlir::RankedTensorType type,
                   ArrayRef<Value> position);

  Value i64(int64_t value) { return emitter.i64(value); }
  Value plus(Value x, Value y);
  Value minus(Value x, Value y);
  Value times(Value x, Value y);
  // An integer of an operand as a position.
  Value position(unsigned operand, mlir::RankedTensorType type, ArrayRef<Value> at);
  // Words of eight bytes on the stack, one for each field.
  Value record(ArrayRef<Value> fields);
  // Calls the function that stands at this offset of keratin_runtime_functions_t, and returns
  // nothing.
  void callHost(size_t field, ArrayRef<Value> arguments);
  // x rounded down to a multiple of a positive number.
  Value wholePart(Value x, int64_t multiple);

  // for (iv = from; iv < to; iv += step)
  SmallVector<Value> loop(Value from, Value to, int64_t step, ArrayRef<Value> init, LoopBody body);
  // The vectors of [0, extent) in order, `unroll` at a time while there are as many, then one by
  // one, the last masked. Each of the unrolled has its own copy of what is carried; gives the
  // copies one after the other. Positions past the unrolled part work on the first copy.
  SmallVector<Value> laneLoop(const ir::DimExpr &extent, unsigned unroll, ArrayRef<Value> init,
                              LaneBody body);
  // Whether every vector of [0, extent) is known to be full when walked `vectors` at a time, and
  // whether, besides, there is one.
  bool areFull(const ir::DimExpr &extent, unsigned vectors) const;
  bool isWhole(const ir::DimExpr &extent, unsigned vectors) const;

  // `unroll` vectors side by side from the column on; their masks are null where all are full.
  struct Columns {
    SmallVector<Value> starts, masks;
  };
  Columns columnsFrom(Value column, const ir::DimExpr &extent, unsigned unroll);
  // A vector of zeros.
  Value zeros(mlir::Type elementType);
  // A vector, or zeros, for all elements of a tensor of one dimension.
  void fillWith(Value vector, Value pointer, mlir::RankedTensorType type, unsigned unroll);
  void fillWithZeros(Value pointer, mlir::RankedTensorType type, unsigned unroll) {
    fillWith(zeros(type.getElementType()), pointer, type, unroll);
  }

  // if (condition) { body }
  void where(Value condition, llvm::function_ref<void()> body);

  // The body gets the row and the first column of each unit.
  void forEachUnit(const UnitBlocks &blocks,
                   llvm::function_ref<void(Value row, Value column)> body);

  CpuKernelBuilder &k;
  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Operation *op;
  unsigned lanes;
  ElementEmitter emitter;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_SINGLEOPKERNEL_H
