// Ops that move elements and compute none.
#ifndef KERATIN_SHAPE_OPS
#define KERATIN_SHAPE_OPS

include "ir/dialect/KeratinBase.td"

class Keratin_IndexingOp<string mnemonic, list<Trait> traits = []>
    : Keratin_Op<mnemonic, !listconcat([Pure, DeclareOpInterfaceMethods<IndexingOpInterface>], traits)> {
  let isMadeByElement = 1;
  let bounds = "Move";
  let hasVerifier = 1;
  let hasCustomVjp = 1;
}

def Keratin_ReshapeOp : Keratin_Op<"reshape", [Pure]> {
  let summary = "the same elements in row-major order under another shape";
  let savedSince = 0;
  let takesComplex = 1;
  let instructions = 0;
  let costsNothing = 1;
  let freeToRepeat = "isUnitReshape(op)";
  let view = "true";
  let batching = "dimensions";
  let movesAll = 1;
  let linearIn = ["x"];
  let bounds = "Move";
  let description = [{
    The result's type holds the new shape. Where it cannot be proved that both have as many
    elements, the function checks it when called. Gradient: reshape back.
  }];
  let arguments = (ins Keratin_Tensor:$x);
  let results = (outs Keratin_Tensor:$y);
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCustomVjp = 1;
  let jvp = "linear";
}

def Keratin_BroadcastOp : Keratin_IndexingOp<"broadcast"> {
  let summary = "repetition along new or size-one dimensions";
  let savedSince = 0;
  let takesComplex = 1;
  let instructions = 0;
  let costsNothing = 1;
  let freeToRepeat = "true";
  let batching = "dimensions";
  let dimensions = (Dimensions (Places $dims));
  let movesAll = 1;
  let linearIn = ["x"];
  let description = [{
    Dimension i of x becomes dimension `dims[i]` (ascending) of the result, where it has the
    same size or size 1. Gradient: sum over the repeated dimensions.

    ```mlir
    %y = keratin.broadcast %b dims = [1] : (tensor<4xf32>) -> tensor<2x4xf32>
    ```
  }];
  let arguments = (ins Keratin_Tensor:$x, DenseI64ArrayAttr:$dims);
  let results = (outs Keratin_Tensor:$y);
  let assemblyFormat = "$x `dims` `=` $dims attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
  let jvp = "linear";
}

def Keratin_TransposeOp : Keratin_IndexingOp<"transpose", [InferTypeOpAdaptor]> {
  let summary = "permutation of dimensions";
  let savedSince = 0;
  let takesComplex = 1;
  let instructions = 8;
  let batching = "dimensions";
  let dimensions = (Dimensions (Places $permutation));
  let movesAll = 1;
  let linearIn = ["x"];
  let description = "Dimension i of the result is dimension `permutation[i]` of x. Gradient: the "
      "inverse permutation.";
  let arguments = (ins Keratin_Tensor:$x, DenseI64ArrayAttr:$permutation);
  let results = (outs Keratin_Tensor:$y);
  let assemblyFormat = "$x `permutation` `=` $permutation attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
  let jvp = "linear";
}

def Keratin_SliceOp : Keratin_IndexingOp<"slice"> {
  let summary = "a strided box";
  let savedSince = 0;
  let takesComplex = 1;
  let view = "isRowRange(op)";
  let batching = "dimensions";
  let dimensions = (Dimensions (Each $starts, 0), (Each $strides, 1));
  let linearIn = ["x"];
  let takesAnyOrder = 1;
  let description = [{
    y[i] = x[starts[i] + i * strides[i]] in each dimension; the sizes are those of the result.
    Strides are positive. Gradient: pad with zeros between and around.
  }];
  let arguments = (ins Keratin_Tensor:$x, Keratin_DimsAttr:$starts, DenseI64ArrayAttr:$strides);
  let results = (outs Keratin_Tensor:$y);
  let assemblyFormat = "$x `starts` `=` $starts `strides` `=` $strides attr-dict `:` "
      "functional-type(operands, results)";
  let hasFolder = 1;
  let choosesElements = 1;
  let jvp = "linear";
}

def Keratin_PadOp : Keratin_IndexingOp<"pad"> {
  let summary = "zeros around and between";
  let savedSince = 0;
  let takesComplex = 1;
  let batching = "dimensions";
  let dimensions = (Dimensions (Each $low, 0), (Each $interior, 0));
  let movesAll = 1;
  let linearIn = ["x"];
  let takesAnyOrder = 1;
  let description = [{
    `low` zeros before, `interior` zeros between neighbours, and zeros after up to the size of the result.
    Gradient: the strided slice that takes the elements of x back out.
  }];
  let arguments = (ins Keratin_Tensor:$x, Keratin_DimsAttr:$low, DenseI64ArrayAttr:$interior);
  let results = (outs Keratin_Tensor:$y);
  let assemblyFormat = "$x `low` `=` $low `interior` `=` $interior attr-dict `:` "
      "functional-type(operands, results)";
  let jvp = "linear";
  let fillsWithZeros = 1;
}

def Keratin_ConcatenateOp : Keratin_IndexingOp<"concatenate", [InferTypeOpAdaptor]> {
  let summary = "operands one after the other along an axis";
  let savedSince = 0;
  let takesComplex = 1;
  let batching = "dimensions";
  let dimensions = (Dimensions (Axis $axis));
  let takesAnyOrder = 1;
  let description = "All dimensions but `axis` are equal. Gradient: a slice for each operand.";
  let arguments = (ins Variadic<Keratin_Tensor>:$xs, I64Attr:$axis);
  let results = (outs Keratin_Tensor:$y);
  let jvp = "linear";
}

def Keratin_ReverseOp : Keratin_IndexingOp<"reverse", [InferTypeOpAdaptor]> {
  let summary = "elements in opposite order along axes";
  let savedSince = 0;
  let takesComplex = 1;
  let batching = "dimensions";
  let dimensions = (Dimensions (Axes $axes));
  let movesAll = 1;
  let linearIn = ["x"];
  let takesAnyOrder = 1;
  let description = "Gradient: reverse along the same axes.";
  let arguments = (ins Keratin_Tensor:$x, DenseI64ArrayAttr:$axes);
  let results = (outs Keratin_Tensor:$y);
  let assemblyFormat = "$x `axes` `=` $axes attr-dict `:` functional-type(operands, results)";
  let jvp = "linear";
}

def Keratin_GatherOp : Keratin_IndexingOp<"gather", [InferTypeOpAdaptor]> {
  let summary = "rows picked by number";
  let savedSince = 0;
  let takesComplex = 1;
  let canFail = 1;
  let instructions = 8;
  let batching = "own";
  let where = ["indices"];
  let description = [{
    y[i..., j...] = x[indices[i...], j...]. An index outside [0, size) is an error of the call.
    Gradient of x: scatter_add of dy; duplicates add up in index order.
  }];
  let arguments = (ins Keratin_Tensor:$x, Keratin_IntTensor:$indices);
  let results = (outs Keratin_Tensor:$y);
  let choosesElements = 1;
  let jvp = "linear";
}

def Keratin_ScatterAddOp : Keratin_Op<"scatter_add", [Pure]> {
  let summary = "rows added into zeros at given places";
  let batching = "map";
  let savedSince = 0;
  let takesComplex = 1;
  let where = ["indices"];
  let bounds = "Linear";
  let kernel = "Scatter";
  let operations = "perElement(1, op.getUpdates())";
  let canFail = 1;
  let description = [{
    y = 0; y[indices[i...], j...] += updates[i..., j...], in index order. An index outside the
    result is an error of the call. Gradient of updates: gather of dy.
  }];
  let arguments = (ins Keratin_IntTensor:$indices, Keratin_SumTensor:$updates);
  let results = (outs Keratin_SumTensor:$y);
  let hasVerifier = 1;
  let hasCustomVjp = 1;
  let jvp = "linear";
  let fillsWithZeros = 1;
}

def Keratin_ScatterLastOp : Keratin_Op<"scatter_last", [Pure]> {
  let summary = "rows of integers written into zeros at given places";
  let batching = "map";
  let savedSince = 4;
  let takesComplex = 1;
  let where = ["indices"];
  let kernel = "Scatter";
  let operations = "perElement(1, op.getUpdates())";
  let canFail = 1;
  let description = [{
    y = 0; y[indices[i...], j...] = updates[i..., j...], in index order: of rows for one place the
    last stays. An index outside the result is an error of the call. No gradient: it is for numbers
    of rows, by which others gather.
  }];
  let arguments = (ins Keratin_IntTensor:$indices, Keratin_IntTensor:$updates);
  let results = (outs Keratin_IntTensor:$y);
  let hasVerifier = 1;
  let isDifferentiable = 0;
}

class Keratin_ScatterExtremeOp<string mnemonic> : Keratin_Op<mnemonic, [Pure]> {
  let batching = "map";
  let savedSince = 5;
  let where = ["indices"];
  let bounds = "Extreme";
  let kernel = "Scatter";
  let operations = "perElement(1, op.getUpdates())";
  let canFail = 1;
  let arguments = (ins Keratin_IntTensor:$indices, Keratin_SumTensor:$updates);
  let results = (outs Keratin_SumTensor:$y);
  let hasVerifier = 1;
  let hasCustomVjp = 1;
  let choosesElements = 1;
}

def Keratin_ScatterMaxOp : Keratin_ScatterExtremeOp<"scatter_max"> {
  let summary = "the largest of the rows at each place";
  let description = [{
    y[indices[i...], j...] = the largest of updates[i..., j...]; -inf (or the smallest integer)
    where there is none; NaN if any is NaN. An index outside the result is an error of the call.
    Gradient: shared equally among ties.
  }];
}

def Keratin_ScatterMinOp : Keratin_ScatterExtremeOp<"scatter_min"> {
  let summary = "the smallest of the rows at each place";
  let description = [{
    y[indices[i...], j...] = the smallest of updates[i..., j...]; +inf (or the largest integer)
    where there is none; NaN if any is NaN. An index outside the result is an error of the call.
    Gradient: shared equally among ties.
  }];
}

def Keratin_DynamicSliceOp : Keratin_IndexingOp<"dynamic_slice"> {
  let summary = "a box that starts at computed places";
  let batching = "map";
  let savedSince = 0;
  let takesComplex = 1;
  let canFail = 1;
  let where = ["starts"];
  let description = [{
    One scalar start a dimension; sizes are those of the result. A box that leaves x is an error of the call.
    Gradient of x: dynamic_unslice of dy.
  }];
  let arguments = (ins Keratin_Tensor:$x, Variadic<Keratin_IntTensor>:$starts);
  let results = (outs Keratin_Tensor:$y);
  let choosesElements = 1;
  let jvp = "linear";
}

def Keratin_DynamicUnsliceOp : Keratin_IndexingOp<"dynamic_unslice"> {
  let summary = "zeros with a box written at computed places";
  let batching = "map";
  let savedSince = 0;
  let takesComplex = 1;
  let canFail = 1;
  let where = ["starts"];
  let description = "y = 0; y[starts + i] = x[i]. A box that leaves y is an error of the call. "
      "Gradient of x: dynamic_slice of dy.";
  let arguments = (ins Keratin_Tensor:$x, Variadic<Keratin_IntTensor>:$starts);
  let results = (outs Keratin_Tensor:$y);
  let jvp = "linear";
  let fillsWithZeros = 1;
}

def Keratin_CheckRangeOp : Keratin_IndexingOp<"check_range", [AllTypesMatch<["x", "y"]>]> {
  let summary = "the same integers, all of which must be in a range";
  let batching = "map";
  let savedSince = 1;
  let takesComplex = 1;
  let canFail = 1;
  let description = [{
    y = x. An element outside [lower, upper) is an error of the call, with the message. No gradient.

    ```mlir
    %y = keratin.check_range %x lower = #keratin.dims<0> upper = #keratin.dims<d0> "ctc_batch_cost: …"
        : tensor<4xi32>
    ```
  }];
  let arguments = (ins Keratin_IntTensor:$x, Keratin_DimsAttr:$lower, Keratin_DimsAttr:$upper,
      StrAttr:$message);
  let results = (outs Keratin_IntTensor:$y);
  let assemblyFormat = "$x `lower` `=` $lower `upper` `=` $upper $message attr-dict `:` type($y)";
  let hasCustomVjp = 0;
  let isDifferentiable = 0;
}

// Not pure: something may have the symbol in a size though nobody reads the result.
def Keratin_TruncateOp : Keratin_Op<"truncate"> {
  let summary = "the first elements along an axis, as many as the graph computes";
  let batching = "map";
  let savedSince = 1;
  let takesComplex = 1;
  let where = ["size"];
  let bounds = "Move";
  let description = [{
    y[.., i, ..] = x[.., i, ..] for i below `size`, a scalar. The result's dimension `axis` is a
    symbol of its own, which this op defines: its value is known from here to the end of the
    block, and no more than the size of x. Another size is an error of the call. Gradient of x:
    dy with zeros behind it. The compiler makes it keratin.define_size and a slice first.

    ```mlir
    %y = keratin.truncate %x, %n axis = 0
        : (tensor<8x2xf32>, tensor<i64>) -> tensor<?x2xf32, #keratin.dims<d3, 2>>
    ```
  }];
  let arguments = (ins Keratin_Tensor:$x, TensorOf<[I64]>:$size, I64Attr:$axis);
  let results = (outs Keratin_Tensor:$y);
  let assemblyFormat = "$x `,` $size `axis` `=` $axis attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let hasCustomVjp = 1;
  let choosesElements = 1;
}

#endif // KERATIN_SHAPE_OPS
