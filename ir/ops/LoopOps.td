// Loops and branches. Their regions see nothing but their arguments: what they use from outside is
// captured by name.
#ifndef KERATIN_LOOP_OPS
#define KERATIN_LOOP_OPS

include "ir/dialect/KeratinBase.td"

def Keratin_ScanOp : Keratin_Op<"scan", [AttrSizedOperandSegments, IsolatedFromAbove, SingleBlock,
    RecursiveMemoryEffects,
                                        DeclareOpInterfaceMethods<LoopOpInterface>]> {
  let summary = "a loop with a number of steps known when the function is called";
  let batching = "map";
  let savedSince = 1;
  let takesComplex = 1;
  let description = [{
    The body is run `length` times. Its arguments are the step's number (a scalar i64), the
    states, one element of each sequence (along dimension 0, which has the size `length`) and
    the captures; it yields the next states and one element of each stack. Step k works at place
    k of sequences and stacks, with `reverse` at place length - 1 - k, and that is the number it
    is given. Results are the last states, which are the first ones (`init`) if there is no
    step, and the stacks. Gradient: a scan in the other direction over the same sequences, with
    the states before each step and what else is worth keeping stacked by the first.

    ```mlir
    %last, %all = keratin.scan length = #keratin.dims<d0> init(%h) over(%x) with(%w)
        : (...) -> (tensor<4xf32>, tensor<?x4xf32, ...>) {
    ^bb0(%t: tensor<i64>, %state: tensor<4xf32>, %element: tensor<4xf32>, %weight: tensor<4x4xf32>):
      ...
      keratin.yield %next, %next : tensor<4xf32>, tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Keratin_DimsAttr:$length, UnitAttr:$reverse, Variadic<Keratin_Tensor>:$inits,
      Variadic<Keratin_Tensor>:$sequences,
                       Variadic<Keratin_Tensor>:$captures);
  let results = (outs Variadic<Keratin_Tensor>:$ys);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `length` `=` $length (`reverse` $reverse^)? `init` `(` $inits `)` `over` `(` $sequences `)`
    `with` `(` $captures `)` attr-dict `:`
    functional-type(operands, results) $body
  }];
  let hasVerifier = 1;
  let hasCustomVjp = 1;
  let hasCustomJvp = 1;
}

def Keratin_WhileOp : Keratin_Op<"while", [AttrSizedOperandSegments, IsolatedFromAbove, SingleBlock,
    RecursiveMemoryEffects,
                                          DeclareOpInterfaceMethods<LoopOpInterface>,
                                          DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "a loop with a number of steps that nobody knows before it runs";
  let batching = "map";
  let savedSince = 1;
  let takesComplex = 1;
  let description = [{
    The first state, a scalar i1, says whether there is a further step; after `at_most` steps
    there is none, whatever it says. The body's arguments are the step's number (a scalar i64,
    from 0), the states and the captures; it yields the next states and one element of each
    stack. Results are the last states, which are the first ones (`init`) if there is no step,
    the number of steps, and the stacks. `length` names a symbol, which has the number of steps
    as its value from here to the end of the block: the size of the stacks along dimension 0.
    Gradient: a scan in the other direction, of `length` steps, over what the steps of the first
    loop have kept in stacks.

    ```mlir
    %last:2, %n, %all = keratin.while length = #keratin.dims<d5> at_most = #keratin.dims<100>
        init(%more, %x) with(%w) : (...)
        -> (tensor<i1>, tensor<4xf32>, tensor<i64>, tensor<?x4xf32, #keratin.dims<d5, 4>>) {
    ^bb0(%t: tensor<i64>, %flag: tensor<i1>, %state: tensor<4xf32>, %weight: tensor<4x4xf32>):
      ...
      keratin.yield %again, %next, %state : tensor<i1>, tensor<4xf32>, tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins OptionalAttr<Keratin_DimsAttr>:$length,
      OptionalAttr<Keratin_DimsAttr>:$at_most, Variadic<Keratin_Tensor>:$inits,
                       Variadic<Keratin_Tensor>:$captures);
  let results = (outs Variadic<Keratin_Tensor>:$ys);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    (`length` `=` $length^)? (`at_most` `=` $at_most^)? `init` `(` $inits `)` `with` `(` $captures
    `)` attr-dict `:`
    functional-type(operands, results) $body
  }];
  let hasVerifier = 1;
  let hasCustomVjp = 1;
  let hasCustomJvp = 1;
  let extraClassDeclaration = [{
    // The result that is the number of steps.
    ::mlir::OpResult getStepCount() { return (*this)->getResult(getInits().size()); }
    // What the number of steps is at most; null: nobody knows.
    ::std::optional<::keratin::ir::DimExpr> getBound();
  }];
}

def Keratin_IfOp : Keratin_Op<"if", [IsolatedFromAbove, RecursiveMemoryEffects]> {
  let summary = "one of two branches, chosen by a scalar when the function runs";
  let batching = "map";
  let savedSince = 1;
  let takesComplex = 1;
  let description = [{
    Only the branch taken is run. Both have the captures as arguments and yield the results.
    Gradient: an if on the same condition, with the gradient of each branch; what a branch does
    not use gets zeros.

    ```mlir
    %y = keratin.if %c with(%x) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%a: tensor<4xf32>):
      ...
    } else {
    ^bb0(%a: tensor<4xf32>):
      ...
    }
    ```
  }];
  let arguments = (ins Keratin_BoolTensor:$condition, Variadic<Keratin_Tensor>:$captures);
  let results = (outs Variadic<Keratin_Tensor>:$ys);
  let regions = (region SizedRegion<1>:$then_body, SizedRegion<1>:$else_body);
  let assemblyFormat = [{
    $condition `with` `(` $captures `)` attr-dict `:` functional-type(operands,
        results) $then_body `else` $else_body
  }];
  let hasVerifier = 1;
  let hasCustomVjp = 1;
  let hasCustomJvp = 1;
}

#endif // KERATIN_LOOP_OPS
