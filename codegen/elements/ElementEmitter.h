// Values of a kernel's ops at an index, in registers, for whatever machine.
#ifndef KERATIN_CODEGEN_ELEMENTS_ELEMENTEMITTER_H
#define KERATIN_CODEGEN_ELEMENTS_ELEMENTEMITTER_H

#include "codegen/elements/ElementMemory.h"
#include "ir/dialect/Keratin.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace keratin::codegen {

// Emits what a value is at an index by walking from it to the kernel's inputs. An index of lanes
// gives vectors; one of scalars alone gives scalars, in code without vectors and masks, as a thread
// of a machine wants it that has no lanes of its own. What does not vary is a scalar in any case.
// Where code goes: LaneCode. What elements are in registers: ElementMemory.
class ElementEmitter final : public ir::ElementBuilder {
public:
  using Value = mlir::Value;
  using Index = LaneIndex;

  // Of the kernel under construction, whose inputs are read where they lie; its code goes where the
  // kernel's builder stands.
  ElementEmitter(KernelBuilder &k, mlir::Location loc, const ElementTarget &target, unsigned lanes);

  //===-- What the kernel gives ---------------------------------------------------------------===//

  // A value that is in registers already, whatever the index (a reduction's result for the current
  // row, a contraction's tile).
  void bindRegister(Value value, Value registers) { bound[value] = registers; }

  // Where the kernel watches numbers, takes note of those that are not finite: of those that it
  // hands on, and of those that an op computes here reads and may hide.
  // A value of the kernel as it is handed on, or hidden; what has only been moved is left out.
  void watch(Value value, Value registers);
  // Anything of this element type.
  void watchRegisters(Value registers, mlir::Type elementType);

  //===-- Loops and lanes ---------------------------------------------------------------------===//

  // for (iv = from; iv < to; iv += step) with loop-carried values; what does not vary in it is
  // emitted before it.
  using LoopBody = llvm::function_ref<llvm::SmallVector<Value>(Value iv, llvm::ArrayRef<Value>)>;
  llvm::SmallVector<Value> loop(Value from, Value to, int64_t step, llvm::ArrayRef<Value> init,
                                LoopBody body);
  // if (condition) body() else `otherwise`: as many values. Nothing is moved out of it.
  llvm::SmallVector<Value> where(Value condition, llvm::ArrayRef<Value> otherwise,
                                 llvm::function_ref<llvm::SmallVector<Value>()> body);
  // Says that the builder stands in the body of a loop that others have made, and that it is
  // finished.
  void enter(mlir::Operation *loop) { code.enter(loop); }
  void leave() { code.leave(); }
  // The lanes that are real in the current vector; null: all.
  void setMask(Value mask) { masks.active = mask; }
  Value mask() const { return masks.active; }
  Value maskBelow(Value position, Value bound) { return positions.maskBelow(position, bound); }

  Index scalarIndex(Value position) const { return positions.scalar(position); }
  Index laneIndex(Value firstPosition) const { return positions.lane(firstPosition); }
  std::pair<Index, Index> divMod(const Index &position, Value extent) {
    return positions.divMod(position, extent);
  }
  // A size as i64.
  Value extent(const ir::DimExpr &value) { return positions.extent(value); }
  // The integer, which has the current element type, as a position.
  Index positionOf(Value integer) { return positions.ofInteger(integer, isUnsigned()); }
  // Spreads an index over the dimensions that are not 1 to one entry a dimension.
  llvm::SmallVector<Index> unsqueeze(mlir::RankedTensorType type,
                                     llvm::ArrayRef<Index> squeezedIndex);

  //===-- Elements ----------------------------------------------------------------------------===//

  // The value at an index with one entry a dimension of its type.
  Value emit(Value value, llvm::ArrayRef<Index> index);
  // What is in memory now, whatever was read before; lanes that the current mask excludes are zero.
  Value load(Value pointer, mlir::RankedTensorType type, llvm::ArrayRef<Index> index);
  // Asks for what is so many elements behind an index, which may lie outside.
  void prefetch(Value pointer, mlir::RankedTensorType type, llvm::ArrayRef<Index> index,
                Value distance, bool willStore);
  // Writes a value to memory at an index (lanes contiguous, masked by the current mask).
  void store(Value registers, Value pointer, mlir::RankedTensorType type,
             llvm::ArrayRef<Index> index);

  mlir::Type registerType(mlir::Type type) const { return memory.registerType(type); }
  Value splat(Value scalar) { return code.splat(scalar); }
  Value i64(int64_t value) { return code.i64(value); }

  //===-- ScalarBuilder -----------------------------------------------------------------------===//

  Value constant(double value) override;
  Value integerConstant(int64_t value) override;
#define KERATIN_SCALAR_FUNCTION(name, parameters) Value name parameters override;
#include "ir/interfaces/ScalarFunctions.inc"

  // exp of numbers of which it is known that none is positive.
  Value expOfNotPositive(Value x);
  Value compare(ir::Comparison direction, Value a, Value b) override;
  Value cast(Value x, mlir::Type to) override;

  //===-- ElementBuilder ----------------------------------------------------------------------===//

  ir::Index index(const ir::DimExpr &value) override { return opaque(scalarIndex(extent(value))); }
  ir::Index add(const ir::Index &a, const ir::Index &b) override {
    return opaque(positions.add(transparent(a), transparent(b)));
  }
  ir::Index sub(const ir::Index &a, const ir::Index &b) override {
    return opaque(positions.sub(transparent(a), transparent(b)));
  }
  ir::Index scale(const ir::Index &a, int64_t factor) override {
    return opaque(positions.scale(transparent(a), factor));
  }
  ir::Index floorDiv(const ir::Index &a, int64_t divisor) override {
    return opaque(positions.floorDiv(transparent(a), divisor));
  }
  ir::Index toIndex(Value integer) override { return opaque(positionOf(integer)); }
  Value fromIndex(const ir::Index &a) override;
  Value less(const ir::Index &a, const ir::Index &b) override {
    return positions.less(transparent(a), transparent(b));
  }
  Value equal(const ir::Index &a, const ir::Index &b) override {
    return positions.equal(transparent(a), transparent(b));
  }
  Value element(unsigned operand, llvm::ArrayRef<ir::Index> index) override;
  Value elementOrZero(unsigned operand, llvm::ArrayRef<ir::Index> index, Value inside) override;
  ir::Index checked(const ir::Index &a, Value inside, llvm::StringRef message) override;

private:
  struct CacheEntry {
    llvm::SmallVector<Index> index;
    Value mask;
    Value result;
  };

  Value emitOp(mlir::Operation *op, llvm::ArrayRef<Index> index);
  Value emitRandomBits(ir::RandomBitsOp op, llvm::ArrayRef<Index> index);
  Value emitElementwise(ir::ElementwiseOpInterface op, llvm::ArrayRef<Index> index);
  Value emitConstant(ir::ConstantOp op);
  Value emitSameElement(mlir::Operation *op, llvm::ArrayRef<Index> index);
  Value emitReshape(ir::ReshapeOp op, llvm::ArrayRef<Index> index);
  Value whereLanes(Value operand, llvm::ArrayRef<Index> index, Value inside);
  Value whereAll(Value operand, llvm::ArrayRef<Index> index, Value inside);
  Value holdsWhereReal(Value inside);
  bool isComputed(Value value) const;

  // Both put an op where its operands allow.
  template <typename Function> Value unary(Value x, Function function);
  template <typename Function> Value binary(Value a, Value b, Function function);
  template <typename Function> Value ternary(Value a, Value b, Value c, Function function);
  bool isFloat() const;
  bool isUnsigned() const;
  Value zero(mlir::Type elementType, bool vector);
  Value inWidth(Value shift, Value shifted);

  KernelBuilder &k;
  LaneCode code;
  LanePositions positions;
  ElementMemory memory;
  mlir::OpBuilder &b;
  const mlir::Location loc;
  const ElementTarget &target;
  LaneMasks masks;
  llvm::DenseMap<Value, Value> buffers, bound;
  llvm::DenseMap<Value, llvm::SmallVector<CacheEntry, 2>> cache;
  llvm::SmallVector<mlir::Operation *> opStack; // ops being emitted, for element()
  bool hides = false; // the op being emitted may make finite numbers of others
  llvm::DenseSet<Value> watched;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_ELEMENTS_ELEMENTEMITTER_H
