// A contraction as its generators are told of it: sizes, strides and types, whatever machine it is
// made for.
#ifndef KERATIN_CODEGEN_LOWERING_CONTRACTIONSPEC_H
#define KERATIN_CODEGEN_LOWERING_CONTRACTIONSPEC_H

#include "ir/shapes/DimExpr.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

#include <cstdint>
#include <functional>
#include <optional>

namespace keratin::codegen {

inline std::optional<int64_t> constantOf(const ir::DimExpr &size) {
  return size.isConstant() ? std::optional(size.constantValue()) : std::nullopt;
}
// An integer's type without its sign.
inline mlir::Type signless(mlir::Type type) {
  auto integer = llvm::dyn_cast<mlir::IntegerType>(type);
  return integer ? mlir::IntegerType::get(type.getContext(), integer.getWidth()) : type;
}

// One factor: for A rows are m and columns are k, for B rows are k and columns are n.
struct ContractionOperand {
  mlir::Value base;        // llvm.ptr to element (0, 0, 0)
  mlir::Type elementType;  // may be f16, bf16 or shorter integers, which are widened to the
                           // accumulator; these are unsigned or signless, as signed ones are
  mlir::Value batchStride; // index, in elements; zero shares the matrix among the batch
  mlir::Value rowStride;
  mlir::Value colStride;
  // Strides known at compile time. At least one of the two should be known to be one: otherwise
  // elements are collected one at a time.
  std::optional<int64_t> constantRowStride;
  std::optional<int64_t> constantColStride;
};

struct ContractionSize {
  mlir::Value value; // index
  std::optional<int64_t> constant;
  std::optional<ir::DimExpr> size; // where code is planned, of sizes that units follow from

  bool isMultipleOf(int64_t number) const {
    return constant ? *constant % number == 0 : size && size->content() % uint64_t(number) == 0;
  }
};

// Called for each vector of finished sums: lanes are the columns n, n + 1, ... of row m. The mask
// (vector of i1) is null if all lanes exist; lanes outside it hold anything. The callback is
// emitted at most twice per vector of the tile, inside loops; it must not keep values between
// calls.
using ContractionStore =
    std::function<void(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value batch,
                       mlir::Value m, mlir::Value n, mlir::Value sums, mlir::Value mask)>;

// Called some time before a vector of so many sums is stored from column n of row m on, which may
// lie outside of the result: asks for its lines.
using ContractionAsk =
    std::function<void(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value batch,
                       mlir::Value m, mlir::Value n, int64_t lanes)>;

struct ContractionSpec {
  // f32, f64 or a signless integer; sums are made in it. f32 if the operands are f16 or bf16.
  mlir::Type accumulatorType;
  ContractionSize batch, m, n, k;
  ContractionOperand a, b;
  ContractionStore store;
  ContractionAsk askForResults; // empty: nothing is asked for
  // llvm.ptr, 64-byte aligned, as big as the plan says, private to the chunk.
  mlir::Value scratch;
  // i64: 1 + the last unit that was done with this scratch, which is as it was left; 0 if there is
  // none. Null: nobody knows.
  mlir::Value unitsDone;
  // i1: the last of a call's units is done first. Null: the first is.
  mlir::Value isBackwards;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_LOWERING_CONTRACTIONSPEC_H
