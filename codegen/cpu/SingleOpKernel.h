// What the kernels of ops that stand alone share: the op's memory, loops over it, and the split of
// work into units.
#ifndef KERATIN_CODEGEN_CPU_SINGLEOPKERNEL_H
#define KERATIN_CODEGEN_CPU_SINGLEOPKERNEL_H

#include "codegen/cpu/ElementEmitter.h"
#include "codegen/lowering/KernelFunction.h"

namespace keratin::codegen {

// A tensor as lines along one axis: element i of line (o, j) is at [o, i, j] of the collapsed type.
struct AxisLines {
  AxisLines(mlir::Value tensor, int64_t axis);

  // Elements before, along and behind the axis. A product too large for 64 bits is 0: another size
  // is 0 then, and there is nothing to do.
  ir::DimExpr outer, length, inner;
  mlir::RankedTensorType type;

  bool isInnermost() const { return inner == ir::DimExpr(1); }
};

// The product of the sizes, 0 where it does not fit (see AxisLines).
ir::DimExpr elementsOf(const ir::Shape &shape);

// The one op of the kernel, whose operands are the kernel's; null, with a diagnostic, if there is
// more.
mlir::Operation *onlyOp(KernelBuilder &k);

// Base of the emitters. The function's text is straight: what they make goes where the builder
// stands, and nothing is remembered or moved, so memory may be read after it was written.
class SingleOpKernel {
protected:
  using Value = mlir::Value;
  using Index = ir::Index;
  template <typename T> using SmallVector = llvm::SmallVector<T>;
  template <typename T> using ArrayRef = llvm::ArrayRef<T>;
  using LoopBody = llvm::function_ref<SmallVector<Value>(Value iv, ArrayRef<Value> carried)>;
  using LaneBody =
      llvm::function_ref<SmallVector<Value>(Value position, Value mask, ArrayRef<Value> carried)>;

  // Vectors have a lane for each element of the given width (at least 32 bits).
  SingleOpKernel(KernelBuilder &k, mlir::Operation *op, unsigned elementBits);

  Value input(unsigned operand); // pointer
  Value output() { return k.outputs[0]; }
  Value size(const ir::DimExpr &value) { return k.sizeOf(value); }

  // Contiguous lanes from the position in the last dimension on, under the mask (null: all).
  Value loadLanes(Value pointer, mlir::RankedTensorType type, ArrayRef<Value> position, Value mask);
  void storeLanes(Value registers, Value pointer, mlir::RankedTensorType type,
                  ArrayRef<Value> position, Value mask);
  Value loadScalar(Value pointer, mlir::RankedTensorType type, ArrayRef<Value> position);
  void storeScalar(Value registers, Value pointer, mlir::RankedTensorType type,
                   ArrayRef<Value> position);

  Value i64(int64_t value) { return emitter.i64(value); }
  Value plus(Value x, Value y);
  Value minus(Value x, Value y);
  Value times(Value x, Value y);
  // Whether an element takes the place of the best before it: a NaN beats every number, and nothing
  // beats a NaN.
  Value beats(mlir::Type type, Value element, Value best, bool largest);
  // Words of eight bytes on the stack, one for each field.
  Value record(ArrayRef<Value> fields);
  // Calls the function of the context that stands at this offset, which returns nothing.
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
  // Whether every vector of [0, extent) is known to be full when walked `vectors` at a time.
  bool isWhole(const ir::DimExpr &extent, unsigned vectors) const;

  // `unroll` vectors side by side from the column on; their masks are null where all are full.
  struct Columns {
    SmallVector<Value> starts, masks;
  };
  Columns columnsFrom(Value column, const ir::DimExpr &extent, unsigned unroll);
  // A vector of zeros.
  Value zeros(mlir::Type elementType);

  // Units are blocks of rows x columns / blockColumns; the body gets the row and the first column.
  struct Blocks {
    ir::DimExpr rows, columns;
    int64_t blockColumns;
  };
  void forEachUnit(const Blocks &blocks, llvm::function_ref<void(Value row, Value column)> body);
  // Says how much work a unit and the whole kernel are, in elements.
  void setWork(const ir::DimExpr &units, const ir::DimExpr &perUnit);

  KernelBuilder &k;
  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Operation *op;
  unsigned lanes;
  ElementEmitter emitter;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_SINGLEOPKERNEL_H
