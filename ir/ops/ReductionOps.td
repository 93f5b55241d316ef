// Reductions along axes and scans along one.
#ifndef KERATIN_REDUCTION_OPS
#define KERATIN_REDUCTION_OPS

include "ir/dialect/KeratinBase.td"

class Keratin_ReductionOp<string mnemonic, TypeConstraint type>
    : Keratin_Op<mnemonic, [Pure, DeclareOpInterfaceMethods<ReductionOpInterface>, InferTypeOpAdaptor]> {
  bit isSum = 0;
  let batching = "dimensions";
  let dimensions = (Dimensions (Axes $axes));
  let bounds = "Extreme";
  let arguments = (ins type:$x, DenseI64ArrayAttr:$axes);
  let results = (outs type:$y);
  let assemblyFormat = "$x `axes` `=` $axes attr-dict `:` functional-type(operands, results)";
  let extraClassDefinition = [{
    ::mlir::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *context,
        ::std::optional<::mlir::Location> location,
        Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &inferred) {
      return ::keratin::ir::inferReduction(getOperationName(), location, adaptor.getX(),
          adaptor.getAxes(), inferred);
    }
    ::llvm::ArrayRef<int64_t> $cppClass::getReducedAxes() { return getAxes(); }
    bool $cppClass::isCompensated() { return }] # !if(isSum,
        "::mlir::isa<::mlir::FloatType>(getElementType(getX()))", "false") # [{; }
  }];
  let hasCustomVjp = 1;
}

def Keratin_ReduceSumOp : Keratin_ReductionOp<"reduce_sum", Keratin_SumTensor> {
  let isSum = 1;
  let summary = "sum along axes";
  let savedSince = 0;
  let takesComplex = 1;
  let linearIn = ["x"];
  let bounds = "Linear";
  let description = "0 over nothing; integers wrap; float16 and bfloat16 accumulate in float32. "
      "Gradient: dx = broadcast(dy).";
  let jvp = "linear";
}

def Keratin_ReduceProdOp : Keratin_ReductionOp<"reduce_prod", Keratin_NumberTensor> {
  let summary = "product along axes";
  let savedSince = 0;
  let bounds = "Product";
  let description = "1 over nothing. Gradient: dy times the product of the others, exact with zeros.";
}

def Keratin_ReduceMaxOp : Keratin_ReductionOp<"reduce_max", Keratin_NumberTensor> {
  let summary = "largest along axes";
  let savedSince = 0;
  let description = "-inf (or the smallest integer) over nothing; NaN if any is NaN. Gradient: "
      "shared equally among ties.";
  let choosesElements = 1;
}

def Keratin_ReduceMinOp : Keratin_ReductionOp<"reduce_min", Keratin_NumberTensor> {
  let summary = "smallest along axes";
  let savedSince = 0;
  let description = "+inf (or the largest integer) over nothing; NaN if any is NaN. Gradient: "
      "shared equally among ties.";
  let choosesElements = 1;
}

def Keratin_ReduceAnyOp : Keratin_ReductionOp<"reduce_any", Keratin_BoolTensor> {
  let summary = "disjunction along axes";
  let savedSince = 0;
  let description = "False over nothing. No gradient.";
  let hasCustomVjp = 0;
  let isDifferentiable = 0;
}

def Keratin_ReduceAllOp : Keratin_ReductionOp<"reduce_all", Keratin_BoolTensor> {
  let summary = "conjunction along axes";
  let savedSince = 0;
  let description = "True over nothing. No gradient.";
  let hasCustomVjp = 0;
  let isDifferentiable = 0;
}

class Keratin_ArgReductionOp<string mnemonic>
    : Keratin_Op<mnemonic, [Pure, InferTypeOpAdaptor]> {
  let kernel = "ArgReduction";
  let batching = "dimensions";
  let dimensions = (Dimensions (Axis $axis));
  let bounds = "Position";
  let operations = "perElement(1, op.getX())";
  let arguments = (ins Keratin_Tensor:$x, I64Attr:$axis);
  let results = (outs TensorOf<[I64]>:$y);
  let isDifferentiable = 0;
}

def Keratin_ArgMaxOp : Keratin_ArgReductionOp<"arg_max"> {
  let summary = "where the largest is along an axis";
  let savedSince = 0;
  let description = "int64; the first of equals; a NaN counts as the extreme; the axis must not be "
      "empty. No gradient.";
}

def Keratin_ArgMinOp : Keratin_ArgReductionOp<"arg_min"> {
  let summary = "where the smallest is along an axis";
  let savedSince = 0;
  let description = "int64; the first of equals; a NaN counts as the extreme; the axis must not be "
      "empty. No gradient.";
}

def Keratin_TopKOp : Keratin_Op<"top_k", [Pure]> {
  let summary = "where the k largest are along the last axis, largest first";
  let savedSince = 4;
  let kernel = "TopK";
  let batching = "dimensions";
  let operations = "perElement(1, op.getX())";
  let description = [{
    int64; k is the last size of the result, and no more than that of x. Of equals the first come
    first; a NaN is larger than every number. No gradient: what lies there is a gather.

    ```mlir
    %y = keratin.top_k %x : (tensor<2x8xf32>) -> tensor<2x3xi64>
    ```
  }];
  let arguments = (ins Keratin_Tensor:$x);
  let results = (outs TensorOf<[I64]>:$y);
  let hasVerifier = 1;
  let isDifferentiable = 0;
}

class Keratin_RunningOp<string mnemonic> : Keratin_Op<mnemonic, [Pure, SameOperandsAndResultType]> {
  let kernel = "Scan";
  let batching = "dimensions";
  let dimensions = (Dimensions (Axis $axis));
  let operations = "perElement(1, op.getY())";
  let hasVerifier = 1;
  let hasCustomVjp = 1;
}

def Keratin_CumsumOp : Keratin_RunningOp<"cumsum"> {
  let summary = "running sum along an axis";
  let savedSince = 0;
  let takesComplex = 1;
  let bounds = "Linear";
  let description = [{
    y[i] = x[0] + … + x[i]; `exclusive`: without x[i]; `reverse`: from the end. Gradient: the
    same in the other direction.
  }];
  let arguments = (ins Keratin_SumTensor:$x, I64Attr:$axis, UnitAttr:$exclusive, UnitAttr:$reverse);
  let results = (outs Keratin_SumTensor:$y);
  let jvp = "linear";
}

def Keratin_CumprodOp : Keratin_RunningOp<"cumprod"> {
  let summary = "running product along an axis";
  let savedSince = 0;
  let bounds = "Product";
  let description = [{
    y[i] = x[0] * … * x[i]; `exclusive`: without x[i]; `reverse`: from the end. Gradient: exact
    with zeros, by a linear recurrence.
  }];
  let arguments = (ins Keratin_NumberTensor:$x, I64Attr:$axis, UnitAttr:$exclusive, UnitAttr:$reverse);
  let results = (outs Keratin_NumberTensor:$y);
  let hasCustomJvp = 1;
}

def Keratin_LinearRecurrenceOp : Keratin_RunningOp<"linear_recurrence"> {
  let summary = "y[i] = a[i] * y[i-1] + b[i] along an axis";
  let savedSince = 0;
  let bounds = "Product";
  let operations = "perElement(2, op.getY())";
  let description = [{
    y[-1] = 0; `reverse`: y[i] = a[i] * y[i+1] + b[i]. Gradient: a recurrence in the other
    direction with a shifted by one.
  }];
  let arguments = (ins Keratin_NumberTensor:$a, Keratin_NumberTensor:$b, I64Attr:$axis, UnitAttr:$reverse);
  let results = (outs Keratin_NumberTensor:$y);
  let hasCustomJvp = 1;
}

class Keratin_RunningExtremeOp<string mnemonic> : Keratin_RunningOp<mnemonic> {
  let savedSince = 5;
  let bounds = "Extreme";
  let arguments = (ins Keratin_NumberTensor:$x, I64Attr:$axis, UnitAttr:$reverse);
  let results = (outs Keratin_NumberTensor:$y);
  let choosesElements = 1;
}

def Keratin_CummaxOp : Keratin_RunningExtremeOp<"cummax"> {
  let summary = "running maximum along an axis";
  let description = "y[i] = max(x[0], …, x[i]); `reverse`: from the end. NaN from the first NaN on. "
      "Gradient: to the first of equals.";
}

def Keratin_CumminOp : Keratin_RunningExtremeOp<"cummin"> {
  let summary = "running minimum along an axis";
  let description = "y[i] = min(x[0], …, x[i]); `reverse`: from the end. NaN from the first NaN on. "
      "Gradient: to the first of equals.";
}

def Keratin_CumlogsumexpOp : Keratin_RunningOp<"cumlogsumexp"> {
  let summary = "logarithms of running sums of exponentials along an axis";
  let savedSince = 5;
  let bounds = "LogSum";
  let operations = "perElement(40, op.getY())";
  let description = [{
    y[i] = log(exp(x[0]) + … + exp(x[i])) without overflow; `reverse`: from the end. Gradient:
    dx[i] = the sum of dy[j] exp(x[i] - y[j]) over j >= i, without overflow.
  }];
  let arguments = (ins Keratin_FloatTensor:$x, I64Attr:$axis, UnitAttr:$reverse);
  let results = (outs Keratin_FloatTensor:$y);
}

#endif // KERATIN_REDUCTION_OPS
