// Short hand for what kernels of explicit loops and pointers are made of: 64-bit index arithmetic
// that folds, loops that vanish when their trip count is known to be zero or one, and loads and
// stores of native vectors.
#ifndef KERATIN_CODEGEN_ELEMENTS_LOOPEMITTER_H
#define KERATIN_CODEGEN_ELEMENTS_LOOPEMITTER_H

#include "codegen/elements/ElementTarget.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

#include <cstdint>
#include <functional>
#include <optional>

namespace keratin::codegen {

// All integers are i64 values unless said otherwise.
class LoopEmitter {
public:
  using Number = mlir::Value;
  using Values = llvm::SmallVector<mlir::Value>;

  LoopEmitter(mlir::OpBuilder &builder, mlir::Location loc, const ElementTarget &target)
      : builder(builder), loc(loc), target(target) {}

  mlir::Value constant(int64_t value);
  std::optional<int64_t> constantOf(mlir::Value value) const;
  mlir::Value fromIndex(mlir::Value index);
  mlir::Value toIndex(mlir::Value integer);

  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value add(mlir::Value x, int64_t y) { return add(x, constant(y)); }
  mlir::Value sub(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, int64_t y) { return mul(x, constant(y)); }
  // Quotients and remainders of values that are not negative.
  mlir::Value div(mlir::Value x, mlir::Value y);
  mlir::Value rem(mlir::Value x, mlir::Value y);
  mlir::Value ceilDiv(mlir::Value x, mlir::Value y);
  // The last of several counters that are one number, which changes fastest, is taken out of it.
  mlir::Value popCounter(mlir::Value &counters, mlir::Value count);
  // The same, as bits where the count is known to be a power of two. Of a difference, as which it
  // is taken out otherwise, LLVM does not see that: it stays in a register of its own, where bits
  // are taken anew by whoever wants them.
  mlir::Value popBits(mlir::Value &counters, mlir::Value count);
  // Of values that may be negative, towards zero.
  mlir::Value divSigned(mlir::Value x, int64_t y);
  mlir::Value remSigned(mlir::Value x, int64_t y);
  mlir::Value roundUp(mlir::Value x, int64_t y) { return mul(ceilDiv(x, constant(y)), y); }
  mlir::Value min(mlir::Value x, mlir::Value y);
  mlir::Value max(mlir::Value x, mlir::Value y);
  mlir::Value less(mlir::Value x, mlir::Value y);
  mlir::Value equal(mlir::Value x, mlir::Value y);
  mlir::Value logicalAnd(mlir::Value x, mlir::Value y);
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y);

  // for (i = lower; i < upper; i += step) carried = body(i, carried); returns the last values
  // carried.
  Values loop(mlir::Value lower, mlir::Value upper, int64_t step, mlir::ValueRange carried,
              llvm::function_ref<Values(mlir::Value i, mlir::ValueRange carried)> body);
  void loop(mlir::Value lower, mlir::Value upper, int64_t step,
            llvm::function_ref<void(mlir::Value i)> body);
  void branch(mlir::Value condition, llvm::function_ref<void()> then,
              llvm::function_ref<void()> otherwise = nullptr);
  Values choose(mlir::Value condition, mlir::TypeRange types, llvm::function_ref<Values()> then,
                llvm::function_ref<Values()> otherwise);

  // Calls the private function `name` of the module, which is created on first use: `body` fills
  // it. The name must say everything in which bodies differ within a module.
  void callShared(llvm::StringRef name, mlir::ValueRange arguments,
                  llvm::function_ref<void(LoopEmitter &, mlir::ValueRange)> body);

  // The address `offset` elements after base.
  mlir::Value address(mlir::Value base, mlir::Type elementType, mlir::Value offset);
  mlir::Value address(mlir::Value base, mlir::Type elementType, int64_t offset);
  mlir::Value load(mlir::Type type, mlir::Value pointer);
  void store(mlir::Value value, mlir::Value pointer);
  // A null mask means all lanes; lanes outside a mask are read as zero.
  mlir::Value load(mlir::VectorType type, mlir::Value pointer, mlir::Value mask);
  void store(mlir::Value value, mlir::Value pointer, mlir::Value mask);
  // Prefetches the line there, if there is one, into the first-level cache, or the second.
  void bringNear(mlir::Value pointer, int level);

  // The first `count` lanes; count may be negative or larger than lanes.
  mlir::Value firstLanes(int64_t lanes, mlir::Value count);
  mlir::Value zero(mlir::Type type);
  mlir::Value splat(mlir::Value scalar, int64_t lanes);
  // x * y + z, one rounding where the machine has it.
  mlir::Value multiplyAdd(mlir::Value x, mlir::Value y, mlir::Value z);
  // Loads a scalar or vector whose elements are `from` in memory and widens f16 and bf16 to the
  // float type `to`, integers to longer ones.
  mlir::Value loadAs(mlir::Type to, mlir::Type from, mlir::Value pointer);
  mlir::Value loadAs(mlir::Type to, mlir::Type from, int64_t lanes, mlir::Value pointer,
                     mlir::Value mask = nullptr);
  // The bits (i16) of f16 or bf16 as the float type `to`, those of an integer as a longer one.
  mlir::Value widen(mlir::Value bits, mlir::Type from, mlir::Type to);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  const ElementTarget &target;

private:
  unsigned naturalAlignment(mlir::Type type) const;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_ELEMENTS_LOOPEMITTER_H
