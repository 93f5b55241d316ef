// Values of a kernel's ops at an index, as vectors and scalars in registers.
#ifndef KERATIN_CODEGEN_CPU_ELEMENTEMITTER_H
#define KERATIN_CODEGEN_CPU_ELEMENTEMITTER_H

#include "codegen/cpu/LaneIndex.h"
#include "codegen/cpu/MachineTarget.h"
#include "ir/dialect/Keratin.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <functional>

namespace keratin::codegen {

// Emits what a value is at an index by walking from it to the kernel's inputs. What does not vary
// over the lanes is a scalar; what does not vary in a loop is emitted before it. Bools are i1,
// float16 and bfloat16 are f32 in registers.
//
// Scopes are the function's body and the loops being built, outermost first. Code of a scope goes
// before the loop that stands open in it, or to the builder's insertion point if there is none.
class ElementEmitter final : public ir::ElementBuilder {
public:
  using Value = mlir::Value;
  using Index = LaneIndex;

  ElementEmitter(mlir::OpBuilder &builder, mlir::Location loc, const MachineTarget &target,
                 unsigned lanes, std::function<Value(const ir::DimExpr &)> sizeOf, Value context);

  //===-- What the kernel gives ---------------------------------------------------------------===//

  // The memory of a block argument.
  void bindBuffer(Value argument, Value pointer) { buffers[argument] = pointer; }
  // A value that is in registers already, whatever the index (a reduction's result for the current
  // row, a contraction's tile).
  void bindRegister(Value value, Value registers) { bound[value] = registers; }
  // How to get the number (i32) of a new run-time check site of an op.
  using SiteMaker = std::function<Value(mlir::Operation *, llvm::StringRef message)>;
  void setSites(SiteMaker maker) { makeSite = std::move(maker); }

  // Takes note of numbers that are not finite (keratin_context_t::numbers_suspect): of those that a
  // kernel hands on, and of those that an op computes here reads and may hide.
  // Notes are bits in memory of these types, which the kernel gives.
  using NoteMaker = std::function<Value(mlir::Type)>;
  void setWatch(NoteMaker maker) { notes = std::move(maker); }
  // A value of the kernel as it is handed on, or hidden; what has only been moved is left out.
  void watch(Value value, Value registers);
  // Anything of this element type.
  void watchRegisters(Value registers, mlir::Type elementType);

  //===-- Loops -------------------------------------------------------------------------------===//

  // Says that the builder now stands inside the body of the loop, which was made in the innermost
  // scope; code that does not vary in the loop goes before it from here on. leave() says that the
  // body is finished.
  void enter(mlir::Operation *loop);
  void leave();
  // The lanes that are real in the current vector; null: all.
  void setMask(Value mask) { activeMask = mask; }
  Value mask() const { return activeMask; }

  Index scalarIndex(Value position) const { return Index{position, 0, Value()}; }
  Index laneIndex(Value firstPosition) const { return Index{firstPosition, 1, Value()}; }

  // Splits a position by an extent (i64): what is left of it for outer loops, and the remainder.
  std::pair<Index, Index> divMod(const Index &position, Value extent);
  // The value at an index with one entry a dimension of its type.
  Value emit(Value value, llvm::ArrayRef<Index> index);
  // Spreads an index over the dimensions that are not 1 to one entry a dimension.
  llvm::SmallVector<Index> unsqueeze(mlir::RankedTensorType type,
                                     llvm::ArrayRef<Index> squeezedIndex);
  // What is in memory now, whatever was read before; lanes that the current mask excludes are zero.
  Value load(Value pointer, mlir::RankedTensorType type, llvm::ArrayRef<Index> index);
  // Writes a value to memory at an index (lanes contiguous, masked by the current mask).
  void store(Value registers, Value pointer, mlir::RankedTensorType type,
             llvm::ArrayRef<Index> index);

  mlir::Type registerType(mlir::Type elementType) const;
  Value splat(Value scalar);
  Value i64(int64_t value);
  // The lanes from the position on that are below the bound.
  Value maskBelow(Value position, Value bound);
  // Calls the context's fail() with the number of the site.
  void fail(Value site);
  unsigned laneCount() const { return lanes; }

  //===-- ScalarBuilder -----------------------------------------------------------------------===//

  Value constant(double value) override;
  Value integerConstant(int64_t value) override;
#define KERATIN_SCALAR_FUNCTION(name, parameters) Value name parameters override;
#include "ir/interfaces/ScalarFunctions.inc"

  Value compare(ir::Comparison direction, Value a, Value b) override;
  Value cast(Value x, mlir::Type to) override;

  //===-- ElementBuilder ----------------------------------------------------------------------===//

  ir::Index index(const ir::DimExpr &value) override { return opaque(scalarIndex(extent(value))); }
  ir::Index add(const ir::Index &a, const ir::Index &b) override {
    return opaque(add(transparent(a), transparent(b)));
  }
  ir::Index sub(const ir::Index &a, const ir::Index &b) override {
    return opaque(sub(transparent(a), transparent(b)));
  }
  ir::Index scale(const ir::Index &a, int64_t factor) override {
    return opaque(scale(transparent(a), factor));
  }
  ir::Index floorDiv(const ir::Index &a, int64_t divisor) override {
    return opaque(floorDiv(transparent(a), divisor));
  }
  ir::Index toIndex(Value integer) override { return opaque(positionOf(integer)); }
  Value fromIndex(const ir::Index &a) override { return fromIndex(transparent(a)); }
  Value less(const ir::Index &a, const ir::Index &b) override {
    return less(transparent(a), transparent(b));
  }
  Value equal(const ir::Index &a, const ir::Index &b) override {
    return equal(transparent(a), transparent(b));
  }
  Value element(unsigned operand, llvm::ArrayRef<ir::Index> index) override;
  Value elementOrZero(unsigned operand, llvm::ArrayRef<ir::Index> index, Value inside) override;
  ir::Index checked(const ir::Index &a, Value inside, llvm::StringRef message) override {
    return opaque(checked(transparent(a), inside, message));
  }

  //===-- The same on positions of lanes ------------------------------------------------------===//

  // A size as i64.
  Value extent(const ir::DimExpr &value);
  // The integer, which has the current element type, as a position.
  Index positionOf(Value integer);

private:
  Index add(const Index &a, const Index &b);
  Index sub(const Index &a, const Index &b);
  Index scale(const Index &a, int64_t factor);
  Index floorDiv(const Index &a, int64_t divisor);
  Value fromIndex(const Index &a);
  Value less(const Index &a, const Index &b);
  Value equal(const Index &a, const Index &b);
  Index checked(const Index &a, Value inside, llvm::StringRef message);

  struct Scope {
    mlir::Region *region;
    mlir::Operation *loop = nullptr; // the one that stands open in this scope
    bool isBarrier = false;          // code may not move out of it: it runs under a condition
  };
  struct CacheEntry {
    llvm::SmallVector<Index> index;
    Value mask;
    Value result;
  };

  // Runs the function with the builder in the outermost scope where all operands exist.
  Value place(llvm::ArrayRef<Value> operands, llvm::function_ref<Value()> function);
  bool isVisible(Value value, const Scope &scope) const;
  // Gives both the same form: if one is a vector, the other is spread over the lanes.
  void match(Value &a, Value &b);
  template <typename Function> Value unary(Value x, Function function);
  template <typename Function> Value binary(Value a, Value b, Function function);

  bool isFloat() const;
  bool isUnsigned() const;
  mlir::Type likeShape(mlir::Type scalarType, Value shape) const;
  Value positions(const Index &a); // vector of i64
  Value indexBinary(Value a, Value b, bool subtract);
  Value compareLanes(bool below, Value from, Value to);
  Value loadFrom(Value pointer, mlir::Type elementType, const Index &offset);
  Index linearize(mlir::RankedTensorType type, llvm::ArrayRef<Index> index);
  Value address(Value pointer, mlir::Type storage, Value offset);
  mlir::Type storageType(mlir::Type elementType) const;
  Value toRegister(Value stored, mlir::Type elementType);
  Value toStorage(Value registers, mlir::Type elementType);
  Value zero(mlir::Type elementType, bool vector);
  Value inWidth(Value shift, Value shifted);
  Value combineMasks(Value inside);
  // Whether the condition holds for any lane.
  Value anyLane();
  Value emitOp(mlir::Operation *op, llvm::ArrayRef<Index> index);
  bool isComputed(Value value) const;
  bool isConditional() const;

  mlir::OpBuilder &b;
  mlir::Location loc;
  const MachineTarget &target;
  unsigned lanes;
  std::function<Value(const ir::DimExpr &)> sizeOf;
  Value context;
  Value activeMask;
  // The mask of the innermost elementOrZero whose answer varies between lanes, or null. Where it is
  // false for all lanes, indices may lie outside, and what is uniform may not be read.
  Value condition;
  llvm::DenseMap<Value, Value> buffers, bound;
  llvm::DenseMap<mlir::Operation *, Value> sites;
  SiteMaker makeSite;
  llvm::DenseMap<Value, llvm::SmallVector<CacheEntry, 2>> cache;
  llvm::SmallVector<Scope> scopes;
  llvm::SmallVector<mlir::Operation *> opStack; // ops being emitted, for element()
  NoteMaker notes;                              // null: nothing is watched
  bool hides = false; // the op being emitted may make finite numbers of others
  llvm::DenseSet<Value> watched;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_CPU_ELEMENTEMITTER_H
