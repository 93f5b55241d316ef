// What scatters and sparse_dot compute: rows of a matrix, added to rows of zeros one after the
// other, put in their place, or compared with them.
#ifndef KERATIN_CODEGEN_LOWERING_SCATTERNEST_H
#define KERATIN_CODEGEN_LOWERING_SCATTERNEST_H

#include "codegen/lowering/SingleOp.h"
#include "ir/interfaces/ScalarBuilder.h"

#include <string>

namespace keratin::codegen {

// Addition i goes to the row that index i says, and takes row i of the addends; of sparse_dot the
// row that another index says, times factor i. The order of the additions is part of the result.
// An index outside makes the call fail, and its addition is left out. Others than scatter_add and
// sparse_dot put something else than the sum in the place of what is there.
struct ScatterNest {
  explicit ScatterNest(mlir::Operation *op);

  mlir::Operation *op;
  ir::DimExpr count, rows, width; // additions; rows of the result, and their elements
  // Of sparse_dot: which operands say where addends are and what they are multiplied with, and how
  // many rows there are to choose from.
  bool isSparse = false;
  ir::DimExpr sources = 0;
  static constexpr unsigned targetOperand = 0, sourceOperand = 1, factorOperand = 2;
  unsigned addendOperand = 1;
  mlir::Type elementType;
  mlir::RankedTensorType indicesType, resultType, addendsType;

  // What is in a row's place before all additions, and after one.
  mlir::Value initial(ir::ScalarBuilder &builder) const;
  mlir::Value combined(ir::ScalarBuilder &builder, mlir::Value before, mlir::Value addend) const;
  // What the user is told of an index outside.
  std::string message() const;
  // "nest: 8 rows of 4 elements added to 16"
  void print(llvm::raw_ostream &out) const;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_LOWERING_SCATTERNEST_H
