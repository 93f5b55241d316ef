// Sums and choices over windows that slide along dimensions.
#ifndef KERATIN_WINDOW_OPS
#define KERATIN_WINDOW_OPS

include "ir/dialect/KeratinBase.td"

def Keratin_ConvolutionOp : Keratin_Op<"convolution", [Pure]> {
  let summary = "sums of products over windows, in any number of dimensions";
  let savedSince = 1;
  let isContraction = 1;
  let isTiled = 1;
  let isMadeByElement = 1;
  let batching = "own";
  let linearIn = ["x", "filter"];
  let bounds = "Contraction";
  let kernel = "Convolution";
  let operations = "convolution(op)";
  let description = [{
    `dims` names the dimensions of x, of the filter and of the result: a digit for each
    dimension that windows slide along, `b` for those of x and the result (batch), `f` of the
    filter and the result, `c` of x and the filter (summed over), `g` of all three (groups:
    nothing is shared between them). Each letter occurs at most once in a term, and may be
    missing.

        y[b, g, o, f] = sum over i, c of z[b, g, o * strides - low + i * dilation, c] * filter[g, i, c, f]

    z is x with `x_dilation` - 1 zeros between neighbours and zeros around it; how many follow
    is said by the result's sizes, and `low` may be negative. `reversed` (one flag a digit): the
    filter's elements in opposite order, K - 1 - i for i. No flip otherwise (cross-correlation).
    float16 and bfloat16 accumulate in float32. Gradient of x: the convolution of dy, x_dilation
    and strides exchanged, with the filter reversed; of the filter: the convolution of x with dy
    as the filter, dilation and strides exchanged. Both are this op again.

    ```mlir
    %y = keratin.convolution %x, %w dims = "b01c,01cf->b01f" strides = [1, 1] low = #keratin.dims<1,
        1> x_dilation = [1, 1] dilation = [1, 1]
        reversed = [false, false] : (tensor<8x28x28x3xf32>, tensor<3x3x3x16xf32>) -> tensor<8x28x28x16xf32>
    ```
  }];
  let arguments = (ins Keratin_NumberTensor:$x, Keratin_NumberTensor:$filter, StrAttr:$dims,
      DenseI64ArrayAttr:$strides, Keratin_DimsAttr:$low,
                       DenseI64ArrayAttr:$x_dilation, DenseI64ArrayAttr:$dilation,
                           DenseBoolArrayAttr:$reversed);
  let results = (outs Keratin_NumberTensor:$y);
  let assemblyFormat = [{
    $x `,` $filter `dims` `=` $dims `strides` `=` $strides `low` `=` $low `x_dilation` `=`
    $x_dilation `dilation` `=` $dilation
    `reversed` `=` $reversed attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let hasCustomVjp = 1;
  let jvp = "product";
}

// Attributes have an entry for every dimension; dimensions that are no windows have window 1,
// stride 1, low 0.
class Keratin_WindowOp<string mnemonic> : Keratin_Op<mnemonic, [Pure]> {
  let batching = "dimensions";
  let dimensions = (Dimensions (Each $window, 1), (Each $strides, 1), (Each $low, 0));
  let hasVerifier = 1;
  let hasCustomVjp = 1;
}

def Keratin_WindowSumOp : Keratin_WindowOp<"window_sum"> {
  let summary = "sums over windows";
  let savedSince = 1;
  let isTiled = 1;
  let dimensions = (Dimensions (Each $window, 1), (Each $strides, 1), (Each $low, 0), (Each $x_dilation, 1));
  let bounds = "WindowSum";
  let kernel = "WindowReduction";
  let operations = "windowSum(op)";
  let description = [{
    y[o] = sum over i below `window` of z[o * strides - low + i], z being x with `x_dilation` -
    1 zeros between neighbours and zeros around it; the result's sizes say how many windows
    there are. float16 and bfloat16 accumulate in float32. Gradient: window_sum of dy, strides
    and x_dilation exchanged.
  }];
  let arguments = (ins Keratin_NumberTensor:$x, DenseI64ArrayAttr:$window,
      DenseI64ArrayAttr:$strides, Keratin_DimsAttr:$low,
                       DenseI64ArrayAttr:$x_dilation);
  let results = (outs Keratin_NumberTensor:$y);
  let assemblyFormat = [{
    $x `window` `=` $window `strides` `=` $strides `low` `=` $low `x_dilation` `=` $x_dilation
    attr-dict `:` functional-type(operands, results)
  }];
  let jvp = "linear";
}

def Keratin_WindowMaxOp : Keratin_WindowOp<"window_max"> {
  let summary = "the largest of each window";
  let savedSince = 1;
  let isTiled = 1;
  let bounds = "Extreme";
  let kernel = "WindowReduction";
  let operations = "windowChoice(op.getWindow(), op.getY())";
  let description = [{
    y[o] = max over i below `window` of x[o * strides - low + i], places outside x left out;
    -inf (or the smallest integer) if all are outside; NaN if any is NaN. Gradient: to the first
    of the largest in row-major order (window_scatter).
  }];
  let arguments = (ins Keratin_NumberTensor:$x, DenseI64ArrayAttr:$window,
      DenseI64ArrayAttr:$strides, Keratin_DimsAttr:$low);
  let results = (outs Keratin_NumberTensor:$y);
  let assemblyFormat = "$x `window` `=` $window `strides` `=` $strides `low` `=` $low attr-dict "
      "`:` functional-type(operands, results)";
  let choosesElements = 1;
}

def Keratin_WindowPickOp : Keratin_WindowOp<"window_pick"> {
  let summary = "of each window, the element of one tensor where another is largest";
  let savedSince = 1;
  let isTiled = 1;
  let where = ["x"];
  let bounds = "WindowChoice";
  let kernel = "WindowReduction";
  let operations = "windowChoice(op.getWindow(), op.getY())";
  let description = [{
    y[o] = v[p], p the place of the first largest element of x in the window at o (see
    window_max; the first NaN counts as the largest), 0 if all places are outside. x and v have
    equal shapes. Gradient of v: window_scatter of dy; none of x.
  }];
  let arguments = (ins Keratin_NumberTensor:$x, Keratin_NumberTensor:$v, DenseI64ArrayAttr:$window,
      DenseI64ArrayAttr:$strides, Keratin_DimsAttr:$low);
  let results = (outs Keratin_NumberTensor:$y);
  let assemblyFormat = "$x `,` $v `window` `=` $window `strides` `=` $strides `low` `=` $low "
      "attr-dict `:` functional-type(operands, results)";
  let choosesElements = 1;
}

def Keratin_WindowScatterOp : Keratin_WindowOp<"window_scatter"> {
  let summary = "adds one number for each window to where its largest element is";
  let savedSince = 1;
  let where = ["x"];
  let bounds = "WindowChoice";
  let kernel = "WindowScatter";
  let operations = "windowChoice(op.getWindow(), op.getV())";
  let description = [{
    y = 0; y[p(o)] += v[o] for each window o in order, p(o) the place of the first largest
    element of x in the window (see window_pick). y has the shape of x. Gradient of v:
    window_pick of dy; none of x.
  }];
  let arguments = (ins Keratin_NumberTensor:$x, Keratin_NumberTensor:$v, DenseI64ArrayAttr:$window,
      DenseI64ArrayAttr:$strides, Keratin_DimsAttr:$low);
  let results = (outs Keratin_NumberTensor:$y);
  let assemblyFormat = "$x `,` $v `window` `=` $window `strides` `=` $strides `low` `=` $low "
      "attr-dict `:` functional-type(operands, results)";
  let fillsWithZeros = 1;
}

#endif // KERATIN_WINDOW_OPS
