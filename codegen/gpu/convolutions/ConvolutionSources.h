// The matrices of a convolution's product, as blocks read them.
#ifndef KERATIN_CODEGEN_GPU_CONVOLUTIONS_CONVOLUTIONSOURCES_H
#define KERATIN_CODEGEN_GPU_CONVOLUTIONS_CONVOLUTIONSOURCES_H

#include "codegen/elements/ConvolutionAxis.h"
#include "codegen/gpu/contractions/ContractionSource.h"
#include "codegen/gpu/convolutions/ConvolutionProductPlan.h"

namespace keratin::codegen {

// What the matrices of a unit have in common: a group of the convolution at one phase of each
// window.
class ConvolutionProduct {
public:
  using Value = mlir::Value;

  ConvolutionProduct(LoopEmitter &emit, const ConvolutionSpec &spec,
                     const ConvolutionProductPlan &plan,
                     llvm::function_ref<Value(const ir::DimExpr &)> sizeOf);

  // Where the builder stands, for the code that follows.
  void open(Value group, llvm::ArrayRef<Value> phases);
  // A place, or a depth, of a number, in all of its dimensions; 0 in others.
  struct Place {
    Value batch, contracted;
    llvm::SmallVector<Value, 3> windows;
  };
  Place placeOf(Value number);
  Place depthOf(Value number);
  // Whether there is one of the number in the tiles that cover them.
  Value hasPlace(Value number);
  Value hasDepth(Value number);
  Value always();

  LoopEmitter &emit;
  const ConvolutionSpec &spec;
  const ConvolutionProductPlan &plan;
  Value places, depth; // how many; depths of the phases
  Value group;
  llvm::SmallVector<ConvolutionAxis, 3> axes;

private:
  Value narrowed(Value number, const ir::DimExpr &size);

  Value batch, contracted;
  llvm::SmallVector<Value, 3> outputs;
};

// Lines are places, from `first` on.
class ConvolutionXSource final : public ContractionSource {
public:
  ConvolutionXSource(ConvolutionProduct &product, Value first, Value isAligned);

  Values line(LoopEmitter &emit, Value number) override;
  Values depth(LoopEmitter &emit, Value number) override;
  Element element(LoopEmitter &emit, mlir::ValueRange line, mlir::ValueRange depth) override;

private:
  Value tapsInside(LoopEmitter &emit, llvm::ArrayRef<Value> positions, Value exists);
  Value isInside(LoopEmitter &emit, const ConvolutionAxis &axis, Value position);

  ConvolutionProduct &product;
  Value first;
};

// Lines are filters, from `first` on.
class ConvolutionFilterSource final : public ContractionSource {
public:
  ConvolutionFilterSource(ConvolutionProduct &product, Value first, Value isAligned);

  Values line(LoopEmitter &emit, Value number) override;
  Values depth(LoopEmitter &emit, Value number) override;
  Element element(LoopEmitter &emit, mlir::ValueRange line, mlir::ValueRange depth) override;

private:
  ConvolutionProduct &product;
  Value first;
};

} // namespace keratin::codegen

#endif // KERATIN_CODEGEN_GPU_CONVOLUTIONS_CONVOLUTIONSOURCES_H
