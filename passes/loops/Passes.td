// Passes of passes/loops; included by passes/Passes.td.

def SimplifyLoops : KeratinPass<"simplify-loops"> {
  let summary = "what loops carry, read and stack without need";
  let description = [{
    States, stacks, sequences and captures that nobody needs go, equal ones are merged, a state
    that keeps its first value becomes a capture. Constants and broadcasts are made inside. A
    sequence of equal elements becomes a capture; a stack of such is made without the loop. A
    stack of which only the last step's element is read becomes a state. Loops of one step or
    none are no loops. Requirements must have been resolved: a slice that said that there is a
    last step may go. A `keratin.while` keeps its condition; its stacks stay unless nobody reads
    them or two are equal.

    ```mlir
    %last, %all = keratin.scan length = #keratin.dims<d0> init(%h) over(%x) with(%w)
        : (…) -> (tensor<4xf32>, tensor<?x4xf32, #keratin.dims<d0, 4>>) {
    ^bb0(%t: tensor<i64>, %state: tensor<4xf32>, %element: tensor<4xf32>, %weight: tensor<4xf32>):
      %0 = keratin.mul %state, %weight : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %1 = keratin.add %0, %element : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      keratin.yield %1, %1 : tensor<4xf32>, tensor<4xf32>
    }
    %y = keratin.slice %all starts = #keratin.dims<d0 - 1, 0> strides = [1, 1] : (…) -> tensor<1x4xf32>
    ```
    becomes
    ```mlir
    %last = keratin.scan length = #keratin.dims<d0> init(%h) over(%x) with(%w) : (…) -> tensor<4xf32> {
      …
      keratin.yield %1 : tensor<4xf32>
    }
    %y = keratin.reshape %last : (tensor<4xf32>) -> tensor<1x4xf32>
    ```
  }];
}

def MergeLoops : KeratinPass<"merge-loops"> {
  let summary = "one loop for what several loops compute alike";
  let description = [{
    States that are equal at every step become one. A loop all of whose results another loop of
    the same length and direction computes on its way is replaced by that one, which stacks what
    it did not. So a gradient's second run of the loop, which stacks what the gradient needs,
    stays the only one. Equal values outside must have been merged.

    ```mlir
    %a = keratin.scan length = #keratin.dims<d0> init(%h) over(%x) with() : (…) -> tensor<4xf32> {
      …
      %1 = keratin.tanh %0 : (tensor<4xf32>) -> tensor<4xf32>
      keratin.yield %1 : tensor<4xf32>
    }
    %b:2 = keratin.scan length = #keratin.dims<d0> init(%h) over(%x) with()
        : (…) -> (tensor<4xf32>, tensor<?x4xf32, #keratin.dims<d0, 4>>) {
      …
      %1 = keratin.tanh %0 : (tensor<4xf32>) -> tensor<4xf32>
      keratin.yield %1, %0 : tensor<4xf32>, tensor<4xf32>
    }
    ```
    becomes the second, with %b#0 for %a.
  }];
}

def HoistInvariants : KeratinPass<"hoist-invariants"> {
  let summary = "compute once what is the same at every step of a loop";
  let description = [{
    Ops that depend on captures only leave the body, if bringing their result in costs no more
    than computing it again: broadcasts and constants stay, and so does cheap arithmetic that
    makes much out of little. What may fail leaves only a loop that has a step.

    ```mlir
    %y = keratin.scan length = #keratin.dims<d0> init(%h) over() with(%w) : (…) -> tensor<2x4xf32> {
    ^bb0(%t: tensor<i64>, %s: tensor<2x4xf32>, %v: tensor<4x4xf32>):
      %0 = keratin.exp %v : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %1 = keratin.dot_general %s, %0 batch = [] x [] contract = [1] x [0]
          : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
      keratin.yield %1 : tensor<2x4xf32>
    }
    ```
    becomes a scan that captures
    ```mlir
    %0 = keratin.exp %w : (tensor<4x4xf32>) -> tensor<4x4xf32>
    ```
  }];
}

def HoistContractions : KeratinPass<"hoist-contractions"> {
  let summary = "one contraction of a whole sequence before the loop instead of one at each step";
  let description = [{
    Contractions and convolutions of what depends on the elements of sequences and on captures,
    not on states, are done for all steps at once, with what they are computed from and the
    elementwise ops behind them. The loop reads elements of the result. This stores a result for
    each step, and reads weights once instead of at each step.

    ```mlir
    %y = keratin.scan length = #keratin.dims<d0> init(%h) over(%x) with(%w) : (…) -> tensor<2x4xf32> {
    ^bb0(%t: tensor<i64>, %s: tensor<2x4xf32>, %e: tensor<2x3xf32>, %v: tensor<3x4xf32>):
      %0 = keratin.dot_general %e, %v batch = [] x [] contract = [1] x [0]
          : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
      %1 = keratin.add %s, %0 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
      keratin.yield %1 : tensor<2x4xf32>
    }
    ```
    becomes
    ```mlir
    %0 = keratin.dot_general %x, %w batch = [] x [] contract = [2] x [0]
        : (…) -> tensor<?x2x4xf32, #keratin.dims<d0, 2, 4>>
    %y = keratin.scan length = #keratin.dims<d0> init(%h) over(%0) with() : (…) -> tensor<2x4xf32> {
    ^bb0(%t: tensor<i64>, %s: tensor<2x4xf32>, %e: tensor<2x4xf32>):
      %1 = keratin.add %s, %e : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
      keratin.yield %1 : tensor<2x4xf32>
    }
    ```
  }];
}

def Vectorize : KeratinPass<"vectorize"> {
  let summary = "maps that were asked for as vectors: ops on all elements instead of a loop";
  let description = [{
    Of scans marked `keratin.vectorized` (K::vectorized_map), which have no states. Each op of the
    body is made again for all elements at once, with the elements as one more dimension before
    all others (passes/loops/StepBatcher.h). What is the same for all elements is made once.
    Loops inside go on with the states of all elements side by side; one that ends when its data
    says so runs until all are done. A branch that elements take differently becomes both branches
    and a selection. Marked scans inside of others are first. Gradients in the body are expanded
    before; those of the map's results, later, see ops on all elements.

    An op for which there is no such form stays a loop over the elements, alone. That has
    `keratin.looped`: why.

    ```mlir
    %y = keratin.scan length = #keratin.dims<d0> init() over(%x) with(%w) {keratin.vectorized}
        : (…) -> tensor<?xf32, #keratin.dims<d0>> {
    ^bb0(%t: tensor<i64>, %e: tensor<4xf32>, %v: tensor<4xf32>):
      %0 = keratin.exp %v : (tensor<4xf32>) -> tensor<4xf32>
      %1 = keratin.mul %e, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %2 = keratin.reduce_sum %1 axes = [0] : (tensor<4xf32>) -> tensor<f32>
      keratin.yield %2 : tensor<f32>
    }
    ```
    becomes
    ```mlir
    %0 = keratin.exp %w : (tensor<4xf32>) -> tensor<4xf32>
    %1 = keratin.broadcast %0 dims = [1] : (tensor<4xf32>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
    %2 = keratin.mul %x, %1 : (…) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
    %y = keratin.reduce_sum %2 axes = [1] : (…) -> tensor<?xf32, #keratin.dims<d0>>
    ```
  }];
  let options = [
    Option<"maxOps", "max-ops", "int64_t", "1000000",
        "as keratin-differentiate has it: refuse a function that grows beyond this">
  ];
}

def CheckpointLoops : KeratinPass<"checkpoint-loops"> {
  let summary = "loops that are differentiated keep a few states and do their steps again";
  let description = [{
    Before gradients are expanded. A loop of which they would keep too much is divided: one loop
    over segments, whose step is the loop over the steps of a segment, and behind it a loop over
    what is left over. The loop over segments is marked `keratin.checkpoints`: its gradient
    keeps the states before each segment and nothing else, and does a segment again when it
    comes to it. Segments are divided again where that is not enough, and loops in the steps of
    loops if that saves more. Which ones, and how long segments are:
    passes/loops/LoopSegments.h. Steps keep their numbers and their order. Sequences and stacks
    are views where no step is left over; else the steps left over have their stacks joined with
    the others'.

    ```mlir
    %y = keratin.scan length = #keratin.dims<100> init(%h) over(%x) with()
        : (tensor<4xf32>, tensor<100x4xf32>) -> tensor<4xf32> {
    ^bb0(%t: tensor<i64>, %s: tensor<4xf32>, %e: tensor<4xf32>):
      …
    }
    %g = keratin.gradients %y wrt %h : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
    becomes
    ```mlir
    %0 = keratin.reshape %x : (tensor<100x4xf32>) -> tensor<10x10x4xf32>
    %y = keratin.scan length = #keratin.dims<10> init(%h) over(%0) with() {keratin.checkpoints}
        : (tensor<4xf32>, tensor<10x10x4xf32>) -> tensor<4xf32> {
    ^bb0(%t: tensor<i64>, %s: tensor<4xf32>, %e: tensor<10x4xf32>):
      %1 = keratin.scan length = #keratin.dims<10> init(%s) over(%e) with()
          : (tensor<4xf32>, tensor<10x4xf32>) -> tensor<4xf32> {…}
      keratin.yield %1 : tensor<4xf32>
    }
    ```
  }];
  let options = [
    Option<"keptBytes", "kept-bytes", "int64_t", "0",
        "that gradients may keep of all loops together; unknown sizes are taken for 32, but for "
        "lengths of loops">,
    Option<"maxOps", "max-ops", "int64_t", "1000000",
        "as keratin-differentiate has it: beyond, nothing is done">
  ];
}

def FlattenBranches : KeratinPass<"flatten-branches"> {
  let summary = "selections in the place of branches that compute next to nothing";
  let description = [{
    An `if` is a kernel or more of its own. Where both branches are a few operations for each
    element, without effects or errors, both are done and one is selected, which fuses with what
    stands around it. A branch on a constant is replaced by the one that is taken. Inner
    branches first.

    ```mlir
    %y = keratin.if %c with(%x) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%a: tensor<4xf32>):
      %0 = keratin.add %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      keratin.yield %0 : tensor<4xf32>
    } else {
    ^bb0(%a: tensor<4xf32>):
      keratin.yield %a : tensor<4xf32>
    }
    ```
    becomes
    ```mlir
    %0 = keratin.add %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = keratin.broadcast %c dims = [] : (tensor<i1>) -> tensor<4xi1>
    %y = keratin.select %1, %0, %x : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def SinkIntoBranches : KeratinPass<"sink-into-branches"> {
  let summary = "what one branch alone needs is computed in that branch";
  let description = [{
    Ops before an `if` whose results only one of its branches reads move into it, and then what
    only they needed: the branch not taken costs nothing. What prints stays, since it is to
    print in any case, and so do gradients that are not expanded. Small constants are made
    inside; results and captures that nobody reads go.

    ```mlir
    %0 = keratin.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    %y = keratin.if %c with(%0, %x) : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
      keratin.yield %a : tensor<4xf32>
    } else {
    ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
      keratin.yield %b : tensor<4xf32>
    }
    ```
    becomes
    ```mlir
    %y = keratin.if %c with(%x) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%b: tensor<4xf32>):
      %0 = keratin.exp %b : (tensor<4xf32>) -> tensor<4xf32>
      keratin.yield %0 : tensor<4xf32>
    } else {
    ^bb0(%b: tensor<4xf32>):
      keratin.yield %b : tensor<4xf32>
    }
    ```
  }];
}

def SinkAccumulators : KeratinPass<"sink-accumulators"> {
  let summary = "one contraction behind the loop instead of adding one up at each step";
  let description = [{
    A state that only grows by contractions, scattered rows, or sums of what is stacked is
    computed behind the loop from what the steps would have read: the gradient of weights as one
    product over all steps. What is not at hand behind the loop is stacked.

    ```mlir
    %g:2 = keratin.scan length = #keratin.dims<d0> init(%h, %zeros) over(%x) with()
        : (…) -> (tensor<2x4xf32>, tensor<3x4xf32>) {
    ^bb0(%t: tensor<i64>, %s: tensor<2x4xf32>, %a: tensor<3x4xf32>, %e: tensor<2x3xf32>):
      %0 = keratin.dot_general %e, %s batch = [] x [] contract = [0] x [0]
          : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<3x4xf32>
      %1 = keratin.add %a, %0 : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
      …
      keratin.yield %n, %1 : tensor<2x4xf32>, tensor<3x4xf32>
    }
    ```
    becomes a scan that stacks %s, and
    ```mlir
    %0 = keratin.dot_general %x, %g#2 batch = [] x [] contract = [0, 1] x [0, 1] : (…) -> tensor<3x4xf32>
    %1 = keratin.add %zeros, %0 : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    ```
  }];
}

def SinkStacks : KeratinPass<"sink-stacks"> {
  let summary = "one contraction behind the loop instead of one stacked at each step";
  let description = [{
    What is stacked of contractions with captures, and no state needs, is computed behind the
    loop for all steps at once, together with what follows it. The loop stacks what that reads,
    if it is not at hand and not much more.

    ```mlir
    %y:2 = keratin.scan length = #keratin.dims<d0> init(%h) over() with(%w)
        : (…) -> (tensor<2x4xf32>, tensor<?x2x3xf32, #keratin.dims<d0, 2, 3>>) {
    ^bb0(%t: tensor<i64>, %s: tensor<2x4xf32>, %v: tensor<4x3xf32>):
      %0 = keratin.tanh %s : (tensor<2x4xf32>) -> tensor<2x4xf32>
      %1 = keratin.dot_general %0, %v batch = [] x [] contract = [1] x [0]
          : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
      keratin.yield %0, %1 : tensor<2x4xf32>, tensor<2x3xf32>
    }
    ```
    becomes a scan that stacks %0, and
    ```mlir
    %1 = keratin.dot_general %y#1, %w batch = [] x [] contract = [2] x [0]
        : (…) -> tensor<?x2x3xf32, #keratin.dims<d0, 2, 3>>
    ```
  }];
}
