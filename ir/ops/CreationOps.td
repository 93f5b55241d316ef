// Values out of nothing but attributes and shapes.
#ifndef KERATIN_CREATION_OPS
#define KERATIN_CREATION_OPS

include "ir/dialect/KeratinBase.td"

def Keratin_ConstantOp : Keratin_Op<"constant", [Pure, ConstantLike, AllTypesMatch<["value", "y"]>]> {
  let summary = "a value in the graph";
  let savedSince = 0;
  let takesComplex = 1;
  let instructions = 0;
  let costsNothing = 1;
  let freeToRepeat = "op.getValue().isSplat()";
  let isMadeByElement = 1;
  let description = "Static shape; the elements are at hand (`dense`), not in a resource. No "
      "operands, so no gradient.";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Keratin_Tensor:$y);
  let assemblyFormat = "attr-dict $value";
  let hasVerifier = 1;
  let hasFolder = 1;
  let isDifferentiable = 0;
}

def Keratin_IotaOp : Keratin_Op<"iota", [Pure, DeclareOpInterfaceMethods<IndexingOpInterface>]> {
  let summary = "0, 1, 2, … along an axis";
  let savedSince = 0;
  let costsNothing = 1;
  let freeToRepeat = "true";
  let isMadeByElement = 1;
  let bounds = "Move";
  let description = "The element at an index is the index along `axis`, in the result's element "
      "type (wrapping or rounding).";
  let arguments = (ins I64Attr:$axis);
  let results = (outs Keratin_NumberTensor:$y);
  let assemblyFormat = "attr-dict `:` type($y)";
  let hasVerifier = 1;
  let isDifferentiable = 0;
}

def Keratin_DimOp : Keratin_Op<"dim", [Pure]> {
  let summary = "the size of a dimension as a scalar";
  let savedSince = 0;
  let takesComplex = 1;
  let costsNothing = 1;
  let freeToRepeat = "true";
  let batching = "own";
  let isMadeByElement = 1;
  let description = "Folds where the size is static; at run time it is read from the evaluated "
      "sizes. No gradient.";
  let arguments = (ins Keratin_Tensor:$x, I64Attr:$axis);
  let results = (outs Keratin_NumberTensor:$y);
  let hasVerifier = 1;
  let hasFolder = 1;
  let isDifferentiable = 0;
}

#endif // KERATIN_CREATION_OPS
