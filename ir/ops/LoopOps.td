// Loops and branches. Their regions see nothing but their arguments: what they use from outside is captured by name.
#ifndef KERATIN_LOOP_OPS
#define KERATIN_LOOP_OPS

include "ir/dialect/KeratinBase.td"

def Keratin_ScanOp : Keratin_Op<"scan", [AttrSizedOperandSegments, IsolatedFromAbove, SingleBlock, RecursiveMemoryEffects]> {
  let summary = "a loop with a number of steps known when the function is called";
  let description = [{
    The body is run `length` times. Its arguments are the step's number (a scalar i64), the states, one element of each sequence (along dimension 0,
    which has the size `length`) and the captures; it yields the next states and one element of each stack. Step k works at place k of
    sequences and stacks, with `reverse` at place length - 1 - k, and that is the number it is given. Results are the last states, which are the
    first ones (`init`) if there is no step, and the stacks.
    Gradient: a scan in the other direction over the same sequences, with the states before each step and what else is worth keeping stacked by the first.

    ```mlir
    %last, %all = keratin.scan length = #keratin.dims<d0> init(%h) over(%x) with(%w) : (...) -> (tensor<4xf32>, tensor<?x4xf32, ...>) {
    ^bb0(%t: tensor<i64>, %state: tensor<4xf32>, %element: tensor<4xf32>, %weight: tensor<4x4xf32>):
      ...
      keratin.yield %next, %next : tensor<4xf32>, tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Keratin_DimsAttr:$length, UnitAttr:$reverse, Variadic<Keratin_Tensor>:$inits, Variadic<Keratin_Tensor>:$sequences,
                       Variadic<Keratin_Tensor>:$captures);
  let results = (outs Variadic<Keratin_Tensor>:$ys);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `length` `=` $length (`reverse` $reverse^)? `init` `(` $inits `)` `over` `(` $sequences `)` `with` `(` $captures `)` attr-dict `:`
    functional-type(operands, results) $body
  }];
  let hasVerifier = 1;
  let hasCustomVjp = 1;
  let extraClassDeclaration = [{
    unsigned getNumStates() { return getInits().size(); }
    // The parts of the body's arguments.
    ::mlir::BlockArgument getStepNumber() { return getBody().getArgument(0); }
    ::mlir::Block::BlockArgListType getStateArguments() { return getBody().getArguments().slice(1, getNumStates()); }
    ::mlir::Block::BlockArgListType getElementArguments() { return getBody().getArguments().slice(1 + getNumStates(), getSequences().size()); }
    ::mlir::Block::BlockArgListType getCaptureArguments() { return getBody().getArguments().drop_front(1 + getNumStates() + getSequences().size()); }
    // The parts of the results.
    ::mlir::ResultRange getLastStates() { return getResults().take_front(getNumStates()); }
    ::mlir::ResultRange getStacks() { return getResults().drop_front(getNumStates()); }
    ::keratin::ir::DimExpr getSteps() { return getLength().getDims().front(); }
  }];
}

def Keratin_IfOp : Keratin_Op<"if", [IsolatedFromAbove, RecursiveMemoryEffects]> {
  let summary = "one of two branches, chosen by a scalar when the function runs";
  let description = [{
    Only the branch taken is run. Both have the captures as arguments and yield the results. Gradient: an if on the same condition, with the
    gradient of each branch; what a branch does not use gets zeros.

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
    $condition `with` `(` $captures `)` attr-dict `:` functional-type(operands, results) $then_body `else` $else_body
  }];
  let hasVerifier = 1;
  let hasCustomVjp = 1;
}

#endif // KERATIN_LOOP_OPS
