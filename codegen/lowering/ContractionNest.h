// What a kernel with a contraction computes.
#ifndef KERATIN_CODEGEN_LOWERING_CONTRACTIONNEST_H
#define KERATIN_CODEGEN_LOWERING_CONTRACTIONNEST_H

#include "codegen/lowering/ContractionSpec.h"
#include "codegen/lowering/KernelFunction.h"
#include "ir/interfaces/ContractionShape.h"
#include "ir/interfaces/IterationSpace.h"

#include "llvm/Support/raw_ostream.h"

namespace keratin::codegen {

// A batched product of matrices, and what follows from its elements.
struct ContractionNest {
  // nullopt, with a diagnostic, if the loops are no nest or an operand's strides are too many.
  static std::optional<ContractionNest> of(ir::KernelOp kernel);

  // Multiplications and additions; the greatest number where they are more.
  ir::DimExpr operations() const;
  // The product without its operands' memory: sizes as values of index type, or what is known of
  // them and nothing else.
  ContractionSpec describe(mlir::OpBuilder &b, mlir::Location loc, SizeOf sizeOf) const;
  ContractionSpec describe() const;
  void print(llvm::raw_ostream &out) const;

  // Takes the product for its transpose, whose rows are what were columns: the same numbers at the
  // same places, for generators that make vectors of columns.
  void turn();
  // The operands, in memory, whose rows and columns are those of the product.
  mlir::Value a() const;
  mlir::Value b() const;

  ir::DotGeneralOp dot;
  ir::ContractionShape shape; // of the op
  ir::IterationSpace space;   // of the result
  bool isTurned = false;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_LOWERING_CONTRACTIONNEST_H
