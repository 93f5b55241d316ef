// What a kernel with a convolution computes.
#ifndef KERATIN_CODEGEN_LOWERING_CONVOLUTIONNEST_H
#define KERATIN_CODEGEN_LOWERING_CONVOLUTIONNEST_H

#include "codegen/lowering/ConvolutionSpec.h"
#include "codegen/lowering/KernelFunction.h"
#include "ir/interfaces/ConvolutionShape.h"

#include "llvm/Support/raw_ostream.h"

namespace keratin::codegen {

struct ConvolutionNest {
  // nullopt, with a diagnostic, if the loops are no nest.
  static std::optional<ConvolutionNest> of(ir::KernelOp kernel);

  // Multiplications and additions; the greatest number where they are more.
  ir::DimExpr operations() const;
  // See ContractionNest.
  ConvolutionSpec describe(mlir::OpBuilder &b, mlir::Location loc, SizeOf sizeOf) const;
  ConvolutionSpec describe() const;
  void print(llvm::raw_ostream &out) const;
  // The operands as they are in memory.
  mlir::Value x() const;
  mlir::Value filter() const;

  ir::ConvolutionOp op;
  ir::ConvolutionShape shape;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_LOWERING_CONVOLUTIONNEST_H
