// What makes a graph a program: fed values, state, side effects, gradients, kernels.
#ifndef KERATIN_GRAPH_OPS
#define KERATIN_GRAPH_OPS

include "ir/dialect/KeratinBase.td"

def Keratin_PlaceholderOp : Keratin_Op<"placeholder"> {
  let summary = "a value that is fed at each call";
  let isSaved = 0;
  let takesComplex = 1;
  let description = "`id` is unique in the graph. K::function turns it into an argument.";
  let arguments = (ins I64Attr:$id, StrAttr:$name);
  let results = (outs Keratin_Tensor:$y);
  let assemblyFormat = "$id $name attr-dict `:` type($y)";
  let isDifferentiable = 0;
}

def Keratin_VariableOp : Keratin_Op<"variable"> {
  let summary = "the value of a variable before the call";
  let isSaved = 0;
  let takesComplex = 1;
  let description = "`id` is unique in the graph. K::function turns it into an argument.";
  let arguments = (ins I64Attr:$id, StrAttr:$name);
  let results = (outs Keratin_Tensor:$y);
  let assemblyFormat = "$id $name attr-dict `:` type($y)";
  let isDifferentiable = 0;
}

def Keratin_LiteralOp : Keratin_Op<"literal"> {
  let summary = "a constant whose bytes the frontend holds";
  let isSaved = 0;
  let takesComplex = 1;
  let description = [{
    `id` is a place in the frontend's table and is used again after the op is gone: attributes
    live as long as their context, so a loop that keeps making constants would grow memory.
    K::function turns it into keratin.constant, or into an argument.
  }];
  let arguments = (ins I64Attr:$id);
  let results = (outs Keratin_Tensor:$y);
  let assemblyFormat = "$id attr-dict `:` type($y)";
  let isDifferentiable = 0;
}

def Keratin_SparseRoleAttr : I64EnumAttr<"SparseRole", "what a sparse matrix is to the user",
    [I64EnumAttrCase<"Value", 0, "value">, I64EnumAttrCase<"Placeholder", 1, "placeholder">,
        I64EnumAttrCase<"Variable", 2, "variable">]> {
  let cppNamespace = "::keratin::ir";
}

def Keratin_SparseMatrixOp : Keratin_Op<"sparse_matrix", [Pure]> {
  let summary = "a matrix of which only some elements are stored, as the user holds it";
  let isSaved = 0;
  let description = [{
    The sum of values[i] at (rows[i], columns[i]). Only in the frontend's graph: K functions
    that take a sparse tensor compute with the three vectors, and a function that returns one
    returns keratin.scatter_add of the values.
  }];
  let arguments = (ins Keratin_IntTensor:$rows, Keratin_IntTensor:$columns, Keratin_Tensor:$values,
      Keratin_SparseRoleAttr:$role);
  let results = (outs Keratin_Tensor:$y);
  let assemblyFormat = "$role operands attr-dict `:` functional-type(operands, results)";
  let isDifferentiable = 0;
}

def Keratin_RequireEqual : I64EnumAttrCase<"Equal", 0, "equal">;
def Keratin_RequireBroadcast : I64EnumAttrCase<"Broadcast", 1, "broadcast">;
def Keratin_RequireAtLeast : I64EnumAttrCase<"AtLeast", 2, "at_least">;
def Keratin_RequirementAttr : I64EnumAttr<"Requirement", "what must hold between two sizes",
    [Keratin_RequireEqual, Keratin_RequireBroadcast, Keratin_RequireAtLeast]> {
  let cppNamespace = "::keratin::ir";
}

def Keratin_RequireOp : Keratin_Op<"require", [Pure, AllTypesMatch<["x", "y"]>]> {
  let summary = "the same value, if sizes known only at run time agree";
  let batching = "map";
  let savedSince = 0;
  let takesComplex = 1;
  let bounds = "Move";
  let description = [{
    Each lhs[i] is equal to rhs[i] (`equal`), or equal to it or 1 (`broadcast`), or not less
    (`at_least`), or the call fails before any work with the message. Becomes part of the
    function's shape contract. Gradient: dx = dy.

    ```mlir
    %y = keratin.require broadcast #keratin.dims<d0> #keratin.dims<5> "add: …" %x
        : (tensor<?xf32, #keratin.dims<d0>>) -> …
    ```
  }];
  let arguments = (ins Keratin_Tensor:$x, Keratin_RequirementAttr:$kind, Keratin_DimsAttr:$lhs,
      Keratin_DimsAttr:$rhs, StrAttr:$message);
  let results = (outs Keratin_Tensor:$y);
  let assemblyFormat = "$kind $lhs $rhs $message $x attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let vjp = [(Identity $dy)];
}

def Keratin_UpdateAssign : I64EnumAttrCase<"Assign", 0, "assign">;
def Keratin_UpdateAdd : I64EnumAttrCase<"Add", 1, "add">;
def Keratin_UpdateKindAttr : I64EnumAttr<"UpdateKind", "how an update changes a variable",
    [Keratin_UpdateAssign, Keratin_UpdateAdd]> {
  let cppNamespace = "::keratin::ir";
}

def Keratin_UpdateOp : Keratin_Op<"update", [AllTypesMatch<["variable", "value", "y"]>]> {
  let summary = "a new value for a variable";
  let isSaved = 0;
  let takesComplex = 1;
  let description = [{
    The result is the new value; the variable has it after the call. `add`: the value is an
    increment, and several of them in one call add up. Gradient: none; an update is not part of
    what it updates.
  }];
  let arguments = (ins Keratin_Tensor:$variable, Keratin_Tensor:$value, Keratin_UpdateKindAttr:$kind);
  let results = (outs Keratin_Tensor:$y);
  let assemblyFormat = "$kind operands attr-dict `:` type($y)";
  let isDifferentiable = 0;
}

def Keratin_DependOp : Keratin_Op<"depend", [Pure, AllTypesMatch<["x", "y"]>]> {
  let summary = "the same value, evaluated together with other values";
  let batching = "map";
  let isSaved = 0;
  let takesComplex = 1;
  let bounds = "Move";
  let description = "Keeps updates and prints alive that x was made under "
      "(K::control_dependencies). Gradient: dx = dy.";
  let arguments = (ins Keratin_Tensor:$x, Variadic<Keratin_Tensor>:$after);
  let results = (outs Keratin_Tensor:$y);
  let vjp = [(Identity $dy), (None)];
}

def Keratin_PrintOp : Keratin_Op<"print", [AllTypesMatch<["x", "y"]>]> {
  let summary = "the same value, printed when it is computed";
  let savedSince = 0;
  let bounds = "Move";
  let kernel = "Print";
  let runtimeFunction = "print";
  let operations = "DimExpr(0)";
  let description = "Prints message, a space, the value as NumPy prints it, a newline. Gradient: dx = dy.";
  let arguments = (ins Keratin_Tensor:$x, StrAttr:$message);
  let results = (outs Keratin_Tensor:$y);
  let assemblyFormat = "$message $x attr-dict `:` type($y)";
  let vjp = [(Identity $dy)];
}

// Between what all ranks of a job have together and what each has by itself. In one process, and
// once a function is that of a rank, both are the value itself.
class Keratin_RankMarkerOp<string mnemonic> : Keratin_Op<mnemonic, [Pure, AllTypesMatch<["x", "y"]>]> {
  let savedSince = 4;
  let bounds = "Move";
  let arguments = (ins Keratin_Tensor:$x);
  let results = (outs Keratin_Tensor:$y);
}

def Keratin_EnterRankOp : Keratin_RankMarkerOp<"enter_rank"> {
  let summary = "the value as each rank has it by itself: its part, or all of what is no part";
  let description = [{
    What is computed of it is of this rank alone, sums over its rows too, up to keratin.leave_rank.
    Gradient: leave_rank of dy.

    ```mlir
    %y = keratin.enter_rank %x : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
    ```
  }];
  let vjp = [(LeaveRank $dy)];
  let jvp = "linear";
}

def Keratin_LeaveRankOp : Keratin_RankMarkerOp<"leave_rank"> {
  let summary = "what the values that ranks have by themselves are together: the parts, or their sum";
  let description = "Parts are one behind the other, as ever; of values that are no parts it is the "
      "sum. Gradient: enter_rank of dy.";
  let vjp = [(EnterRank $dy)];
  let jvp = "linear";
}

def Keratin_AverageRanksOp : Keratin_Op<"average_ranks", [AllTypesMatch<["x", "y"]>, Pure]> {
  let summary = "the mean of what each rank has made of its own rows, by their numbers";
  let isSaved = 0;
  let bounds = "Move";
  let description = [{
    x is made of keratin.enter_rank of `rows`, by a reduction of the `axes`. K::function makes it
    of sums, or x in a function without keratin.local_statistics. Gradient: dx = dy.
  }];
  let arguments = (ins Keratin_FloatTensor:$x, Keratin_Tensor:$rows, DenseI64ArrayAttr:$axes);
  let results = (outs Keratin_FloatTensor:$y);
  let vjp = [(Identity $dy), (None)];
  let jvp = "linear";
}

// Left by the frontend; the Gradient phase replaces it by the ops that compute it. Differentiable,
// so that derivatives have derivatives: the inner one is expanded first.
class Keratin_DerivativeOp<string mnemonic, list<Trait> traits = []>
    : Keratin_Op<mnemonic, !listconcat([Pure], traits)> {
  let isSaved = 0;
  let isDerivative = 1;
  let takesComplex = 1;
  let hasVerifier = 1;
  let hasCustomVjp = 1;
  let hasCustomJvp = 1;
}

def Keratin_GradientsOp : Keratin_DerivativeOp<"gradients"> {
  let summary = "the gradient of a sum of losses with respect to values of the graph";
  let description = [{
    Left by K::gradients. `x` entries are treated as independent.

    ```mlir
    %g = keratin.gradients %loss wrt %w : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Keratin_DerivedTensor:$loss, Variadic<Keratin_DerivedTensor>:$xs);
  let results = (outs Variadic<Keratin_DerivedTensor>:$ys);
  let assemblyFormat = "$loss `wrt` $xs attr-dict `:` functional-type(operands, results)";
}

def Keratin_JvpOp : Keratin_DerivativeOp<"jvp", [AttrSizedOperandSegments]> {
  let summary = "how values change with values of the graph along tangents of these";
  let description = [{
    Left by K::jvp. Of each output the sum, over the inputs, of its derivative with respect to
    the input times the input's tangent. Zeros where an output does not depend on an input.

    ```mlir
    %t = keratin.jvp of %y wrt %x along %v
        : (tensor<f32>, tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
    ```
  }];
  let arguments = (ins Variadic<Keratin_DerivedTensor>:$outputs, Variadic<Keratin_DerivedTensor>:$inputs,
      Variadic<Keratin_DerivedTensor>:$tangents);
  let results = (outs Variadic<Keratin_DerivedTensor>:$ys);
  let assemblyFormat = "`of` $outputs `wrt` $inputs `along` $tangents attr-dict `:` "
      "functional-type(operands, results)";
}

def Keratin_VjpOp : Keratin_DerivativeOp<"vjp", [AttrSizedOperandSegments]> {
  let summary = "the gradient of values, weighted by cotangents, with respect to values of the graph";
  let description = [{
    Left by K::vector_jacobian_product. For each input the sum, over the outputs, of the output's
    cotangent times its derivative with respect to the input. Zeros where no output depends on it.

    ```mlir
    %g = keratin.vjp of %y wrt %x along %w
        : (tensor<3xf32>, tensor<4xf32>, tensor<3xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Variadic<Keratin_DerivedTensor>:$outputs, Variadic<Keratin_DerivedTensor>:$inputs,
      Variadic<Keratin_DerivedTensor>:$cotangents);
  let results = (outs Variadic<Keratin_DerivedTensor>:$ys);
  let assemblyFormat = "`of` $outputs `wrt` $inputs `along` $cotangents attr-dict `:` "
      "functional-type(operands, results)";
}

// Regions of these see nothing but their arguments, as those of loops.
def Keratin_CustomGradientOp : Keratin_Op<"custom_gradient", [AttrSizedOperandSegments,
    IsolatedFromAbove, SingleBlock, RecursiveMemoryEffects]> {
  let summary = "values whose gradient is what the body says";
  let isSaved = 0;
  let description = [{
    Left by K::custom_gradient. The results are `outputs`, which were made of `inputs`; no gradient
    flows to them. The body's arguments are the cotangents of the outputs and the captures; it yields
    those of the inputs. With `forward` its arguments are the tangents of the inputs and the
    captures, and it yields those of the outputs. The Gradient phase puts the outputs in the place of
    the results.

    ```mlir
    %z = keratin.custom_gradient %y of %x with %c : (tensor<f32>, tensor<4xf32>, tensor<4xf32>) -> tensor<f32> {
    ^bb0(%dy: tensor<f32>, %a: tensor<4xf32>):
      ...
      keratin.yield %dx : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Keratin_Tensor>:$outputs, Variadic<Keratin_FloatTensor>:$inputs,
      Variadic<Keratin_Tensor>:$captures, UnitAttr:$forward);
  let results = (outs Variadic<Keratin_Tensor>:$ys);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$outputs `of` $inputs (`with` $captures^)? attr-dict `:` "
      "functional-type(operands, results) $body";
  let batching = "map";
  let hasVerifier = 1;
  let hasCustomPaths = 1;
  let hasCustomVjp = 1;
  let hasCustomJvp = 1;
}

def Keratin_CheckpointOp : Keratin_Op<"checkpoint", [IsolatedFromAbove, SingleBlock, RecursiveMemoryEffects]> {
  let summary = "values that the gradient computes once more instead of keeping what they are made of";
  let isSaved = 0;
  let takesComplex = 1;
  let description = [{
    Left by K::checkpoint. The body's arguments are the operands; it yields the results. The Gradient
    phase puts the body in the place of the op. Gradient: the body once more, of keratin.delay of the
    operands, and its own gradient (Chen et al.: Training deep nets with sublinear memory cost, 2016).
  }];
  let arguments = (ins Variadic<Keratin_Tensor>:$inputs);
  let results = (outs Variadic<Keratin_Tensor>:$ys);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`(` $inputs `)` attr-dict `:` functional-type(operands, results) $body";
  let batching = "map";
  let hasVerifier = 1;
  let hasCustomVjp = 1;
  let hasCustomJvp = 1;
}

def Keratin_DelayOp : Keratin_Op<"delay", [Pure, AllTypesMatch<["x", "y"]>]> {
  let summary = "the same value, read only once another one is there";
  let batching = "map";
  let isSaved = 0;
  let takesComplex = 1;
  let bounds = "Move";
  let costsNothing = 1;
  let view = "true";
  let description = "What is computed of it is not the same as what was computed of x before, however "
      "equal: checkpoints rely on it. Gradient: dx = dy.";
  let arguments = (ins Keratin_Tensor:$x, Keratin_Tensor:$after);
  let results = (outs Keratin_Tensor:$y);
  let assemblyFormat = "$x `until` $after attr-dict `:` functional-type(operands, results)";
  let vjp = [(Identity $dy), (None)];
}

def Keratin_DefineSizeOp : Op<Keratin_Dialect, "define_size",
    [Keratin_HasKnownShapes, DeclareOpInterfaceMethods<EvaluableOpInterface>]> {
  let summary = "the value of a symbol, computed during the call";
  let description = [{
    From here to the end of the block the symbol has the value of `size`, a scalar. A value
    outside [0, bound] is an error of the call; without a bound only a negative one. The
    compiler makes it of keratin.truncate, before anything else, and behind a keratin.while with
    a length; what has the symbol in a size comes behind it, through all passes.

    ```mlir
    keratin.define_size 3 %n at_most <8> : tensor<i64>
    ```
  }];
  let arguments = (ins I64Attr:$symbol, TensorOf<[I64]>:$size, OptionalAttr<Keratin_DimsAttr>:$bound);
  let assemblyFormat = "$symbol $size (`at_most` $bound^)? attr-dict `:` type($size)";
  let hasVerifier = 1;
}

def Keratin_CheckElementwise : I64EnumAttrCase<"Elementwise", 0, "elementwise">;
def Keratin_CheckMixing : I64EnumAttrCase<"Mixing", 1, "mixing">;
def Keratin_CheckFed : I64EnumAttrCase<"Fed", 2, "fed">;
def Keratin_NumberRuleAttr : I64EnumAttr<"NumberRule", "who is to blame for a number that is not finite",
    [Keratin_CheckElementwise, Keratin_CheckMixing, Keratin_CheckFed]> {
  let cppNamespace = "::keratin::ir";
}

def Keratin_SuspectNumbersOp : Op<Keratin_Dialect, "suspect_numbers",
    [Keratin_HasKnownShapes, DeclareOpInterfaceMethods<EvaluableOpInterface>]>,
    Keratin_Properties {
  let summary = "whether a kernel of this call has made, or hidden, a number that is not finite";
  let kernel = "SuspectNumbers";
  let operations = "DimExpr(0)";
  let description = [{
    Stands behind everything that the function computes: `after` is what it returns. Kernels of
    a function with the attribute `keratin.check_numbers` take note where they store such a
    number, or where an op that may hide one (a maximum, a quotient, a hyperbolic tangent) reads
    one that they made. The note may be wrong (an infinity that was meant, an element that
    nobody uses): it is the reason to look closer, not the verdict. The interpreter always
    looks.

    ```mlir
    %s = keratin.suspect_numbers %loss, %w : (tensor<f32>, tensor<4xf32>) -> tensor<i1>
    ```
  }];
  let arguments = (ins Variadic<Keratin_Tensor>:$after);
  let results = (outs TensorOf<[I1]>:$y);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def Keratin_CheckNumbersOp : Op<Keratin_Dialect, "check_numbers",
    [Keratin_HasKnownShapes, AttrSizedOperandSegments,
     DeclareOpInterfaceMethods<EvaluableOpInterface>]>,
    Keratin_Properties {
  let summary = "the call fails if an op has made a number that is not finite";
  let kernel = "CheckNumbers";
  let runtimeFunction = "check_numbers";
  let operations = "DimExpr(0)";
  let canFail = 1;
  let description = [{
    `y` is what the op `culprit` at this location has made of `read_from`. An element is its
    fault if it is NaN or infinite and those are finite (`elementwise`: those at the same index;
    `mixing`: all of them), or if it is NaN and none of them is NaN. Where `counts` is false
    nobody uses the element. `fed`: `y` is what the caller gave, and is to blame for any number
    in it that is not finite if there is one in `read_from`, which the function returns. `step`
    is the step of the innermost loop.

    All checks of a call are made; the one that the report is about makes a number of finite
    operands, or else is about something fed, or else makes NaN; among equals it has the lowest
    `order`, then is the first in time, then has the first element.

    ```mlir
    keratin.check_numbers elementwise "log" 3 %y of %x at %t
        : (tensor<4xf32>, tensor<4xf32>, tensor<i64>) -> ()
    ```
  }];
  let arguments = (ins Keratin_NumberRuleAttr:$rule, StrAttr:$culprit, I64Attr:$order, Keratin_FloatTensor:$y,
                       Variadic<Keratin_FloatTensor>:$read_from,
                           Optional<Keratin_BoolTensor>:$counts, Optional<TensorOf<[I64]>>:$step);
  let assemblyFormat = [{
    $rule $culprit $order $y (`of` $read_from^)? (`counts` $counts^)? (`at` $step^)? attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Keratin_KernelOp : Op<Keratin_Dialect, "kernel",
    [Keratin_HasKnownShapes, IsolatedFromAbove, SingleBlock, RecursiveMemoryEffects]> {
  let summary = "ops that become one compiled loop nest";
  let description = [{
    Formed by fusion. The block's arguments stand for the operands; `keratin.yield` names the results.

    ```mlir
    %y = keratin.kernel (%x) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%a: tensor<4xf32>):
      %0 = keratin.tanh %a : (tensor<4xf32>) -> tensor<4xf32>
      keratin.yield %0 : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Keratin_Tensor>:$inputs);
  let results = (outs Variadic<Keratin_Tensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`(` $inputs `)` attr-dict `:` functional-type(operands, results) $body";
  let hasVerifier = 1;
}

def Keratin_YieldOp : Op<Keratin_Dialect, "yield",
    [Keratin_HasKnownShapes, Pure, Terminator, 
        ParentOneOf<["CheckpointOp", "CustomGradientOp", "KernelOp", "ScanOp", "WhileOp", "IfOp"]>]> {
  let summary = "the results of a kernel, of a step or of a branch";
  let arguments = (ins Variadic<Keratin_Tensor>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

#endif // KERATIN_GRAPH_OPS
