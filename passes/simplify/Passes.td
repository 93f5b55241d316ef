// Passes of passes/simplify; included by passes/Passes.td.
//
// All of them may run before and after gradients are expanded; values that gradients are taken with
// respect to are kept (passes/simplify/GradientPins.h). Requirements are resolved first, because
// they stand between values.

def DivideSizes : KeratinPass<"divide-sizes"> {
  let summary = "count sizes that are multiples by what they are multiples of";
  let description = [{
    A symbol that is known to be a multiple (`keratin.limits`) counts its size by the unit instead, in
    all types and attributes. From then on the expressions themselves say what divides them: quotients
    become exact, remainders 0, checks of reshapes hold, and kernels see that no vector is partly
    filled. A size whose expressions would not fit 64 bits stays as it is.

    ```mlir
    func.func @f(%x: tensor<?xf32, #keratin.dims<d0>>) -> tensor<?x4xf32, #keratin.dims<floordiv(d0, 4), 4>>
        attributes {keratin.limits = {d0 = {multiple_of = 8 : i64}}}
    ```
    becomes
    ```mlir
    func.func @f(%x: tensor<?xf32, #keratin.dims<8*d0>>) -> tensor<?x4xf32, #keratin.dims<2*d0, 4>>
        attributes {keratin.limits = {d0 = {multiple_of = 8 : i64, unit = 8 : i64}}}
    ```
  }];
}

def DefineSizes : KeratinPass<"define-sizes"> {
  let summary = "say where sizes that the graph computes get their values";
  let description = [{
    The symbol of a truncate's result is defined by an op of its own, which has an effect and so
    stays where it is, whatever becomes of the result. What is left of the truncate moves
    elements. The number of steps of a `keratin.while` with a length is defined behind the loop;
    since gradients give lengths, the pass runs after them again.

    ```mlir
    %y = keratin.truncate %x, %n axis = 0 : (tensor<8xf32>, tensor<i64>) -> tensor<?xf32, #keratin.dims<d3>>
    ```
    becomes
    ```mlir
    keratin.define_size 3 %n at_most <8> : tensor<i64>
    %y = keratin.slice %x starts = #keratin.dims<0> strides = [1]
        : (tensor<8xf32>) -> tensor<?xf32, #keratin.dims<d3>>
    ```
  }];
}

def ResolveRequirements : KeratinPass<"resolve-requirements"> {
  let summary = "turn what must be checked of sizes into the function's shape contract";
  let description = [{
    Collects every requirement on sizes as one list, the attribute `keratin.checks` of the
    function: those of `keratin.require` (which is replaced by its operand), equal element
    counts of reshapes, bounds of slices, pads and dynamic slices, axes that must not be empty,
    and sizes that must not be negative. What is provably true is dropped; what is provably
    false is an error where it stands. Checks that the attribute holds already stay. Messages are
    kept apart from the names of the sizes in them (ir/dialect/SizedText.h).

    ```mlir
    func.func @f(%x: tensor<?xf32, #keratin.dims<d0>>) -> tensor<?x2xf32, #keratin.dims<d1, 2>> {
      %0 = keratin.reshape %x : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?x2xf32, #keratin.dims<d1, 2>>
      return %0 : tensor<?x2xf32, #keratin.dims<d1, 2>>
    }
    ```
    gets in `keratin.checks`
    ```mlir
    {kind = 0 : i64, lhs = #keratin.dims<d0>, rhs = #keratin.dims<2*d1>, location = loc(…),
        message = ["reshape: (", #keratin.dims<d0>, ",) cannot take the shape (", #keratin.dims<d1, 2>, ")"]}
    ```
  }];
}

def UnifySizes : KeratinPass<"unify-sizes"> {
  let summary = "one name for sizes that are required, or assumed, to be equal";
  let description = [{
    Behind `resolve-requirements`. Of two unknown sizes that `keratin.checks` requires to be equal one
    stands for both in all types and attributes; the check stays, so that the call sees to it. With
    `assume` the same is done to sizes that meet in a broadcast, of which either might be 1: the
    checks then begin with what is assumed, entries with the mark `assumed`. A function with such
    a check serves no other calls. Sizes that the user has given different names are not assumed
    to be equal. A size that meets what it is rounded to, as d0 meets 2*floordiv(d0 + 1, 2), is
    assumed to be that: halved and doubled it is what it was.

    Arguments of which a type changes keep their shape as `keratin.stated`: callers and messages
    know that one, and the checks are about its symbols.

    ```mlir
    func.func @add(%x: tensor<?xf32, #keratin.dims<d0>>, %y: tensor<?xf32, #keratin.dims<d1>>)
        -> tensor<?xf32, #keratin.dims<broadcast(d0, d1)>>
    ```
    becomes with `assume`
    ```mlir
    func.func @add(%x: tensor<?xf32, #keratin.dims<d0>>,
                   %y: tensor<?xf32, #keratin.dims<d0>> {keratin.stated = #keratin.dims<d1>})
        -> tensor<?xf32, #keratin.dims<d0>>
        attributes {keratin.checks = [{assumed, kind = 0 : i64, lhs = #keratin.dims<d1>, …,
            rhs = #keratin.dims<d0>} ]}
    ```
  }];
  let options = [
    Option<"require", "require", "bool", "true", "Sizes that are required to be equal">,
    Option<"assume", "assume", "bool", "false", "Sizes that are broadcast to each other">,
  ];
}

def EraseMarkers : KeratinPass<"erase-markers"> {
  let summary = "replace stop_gradient, identity, depend, enter_rank, leave_rank and average_ranks by their operand";
  let description = [{
    They mean something to differentiation, to --keratin-shard and to the frontend's slicing only. An error if
    gradients are still to be expanded.

    ```mlir
    %1 = keratin.stop_gradient %0 : (tensor<4xf32>) -> tensor<4xf32>
    %2 = keratin.exp %1 : (tensor<4xf32>) -> tensor<4xf32>
    ```
    becomes
    ```mlir
    %2 = keratin.exp %0 : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Canonicalize : KeratinPass<"canonicalize"> {
  let summary = "one form for what can be written in many, with less work";
  let description = [{
    Algebra that holds for every input (NaN, infinities, signed zeros), broadcasts moved below
    elementwise ops, transposes cancelled or absorbed, reductions, reshapes and slices merged,
    casts that lose nothing dropped.

    ```mlir
    %0 = keratin.broadcast %s dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %1 = keratin.broadcast %b dims = [1] : (tensor<4xf32>) -> tensor<2x4xf32>
    %2 = keratin.mul %0, %1 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    ```
    becomes
    ```mlir
    %0 = keratin.broadcast %s dims = [] : (tensor<f32>) -> tensor<4xf32>
    %1 = keratin.mul %0, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %2 = keratin.broadcast %1 dims = [1] : (tensor<4xf32>) -> tensor<2x4xf32>
    ```
  }];
  let options = [
    Option<"maxOps", "max-ops", "int64_t", "0",
        "stop once the function holds more ops than this; 0: four times what it held">
  ];
}

def AssignLayouts : KeratinPass<"assign-layouts"> {
  let summary = "compute values in the order of dimensions that needs the fewest transposes";
  let description = [{
    Turns everything that elementwise ops, pads, slices, reverses and concatenations connect,
    where that moves fewer elements: images between two convolutions stay channels last,
    whatever the layout of the graph's inputs. Broadcasts and index ramps are made in the new
    order; reductions and transposes behind are for --keratin-canonicalize to absorb. Nothing is
    done before gradients are expanded.

    ```mlir
    %1 = keratin.transpose %0 permutation = [0, 2, 1] : (tensor<2x8x3xf32>) -> tensor<2x3x8xf32>
    %2 = keratin.broadcast %b dims = [1] : (tensor<3xf32>) -> tensor<2x3x8xf32>
    %3 = keratin.add %1, %2 : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
    %4 = keratin.transpose %3 permutation = [0, 2, 1] : (tensor<2x3x8xf32>) -> tensor<2x8x3xf32>
    ```
    becomes, with --keratin-canonicalize,
    ```mlir
    %2 = keratin.broadcast %b dims = [2] : (tensor<3xf32>) -> tensor<2x8x3xf32>
    %3 = keratin.add %0, %2 : (tensor<2x8x3xf32>, tensor<2x8x3xf32>) -> tensor<2x8x3xf32>
    ```
  }];
}

def EliminateCommonSubexpressions : KeratinPass<"eliminate-common-subexpressions"> {
  let summary = "compute equal values once, and nothing that nobody reads";
  let description = [{
    Two random_bits are equal only with the same draw and seed. What prints stays: the frontend
    has left in the graph only what a result needs.

    ```mlir
    %0 = keratin.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    %1 = keratin.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    %2 = keratin.log %x : (tensor<4xf32>) -> tensor<4xf32>
    %3 = keratin.add %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
    becomes
    ```mlir
    %0 = keratin.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    %3 = keratin.add %0, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Stabilize : KeratinPass<"stabilize"> {
  let summary = "replace formulas that overflow or cancel by ones that do not";
  let description = [{
    Softmax, its logarithm and logsumexp are shifted by the largest element; logarithms of
    logistic functions become softplus; log1p, expm1, logistic and softplus are recognised in
    their spellings; powers become products and roots. Nothing is done across maximum and
    minimum: a clip of probabilities keeps its documented values.

    ```mlir
    %0 = keratin.logistic %x : (tensor<4xf32>) -> tensor<4xf32>
    %1 = keratin.log %0 : (tensor<4xf32>) -> tensor<4xf32>
    ```
    becomes
    ```mlir
    %0 = keratin.neg %x : (tensor<4xf32>) -> tensor<4xf32>
    %1 = keratin.softplus %0 : (tensor<4xf32>) -> tensor<4xf32>
    %2 = keratin.neg %1 : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let options = [
    Option<"maxOps", "max-ops", "int64_t", "0",
        "stop once the function holds more ops than this; 0: four times what it held">
  ];
}

def FoldConstants : KeratinPass<"fold-constants"> {
  let summary = "compute at compile time what depends on constants only";
  let description = [{
    Evaluates ops whose operands are constants (or broadcasts of scalar constants) with the
    reference interpreter, and rounds the result to its type. A result of equal elements becomes
    a scalar and a broadcast.

    ```mlir
    %0 = keratin.constant dense<[1.0, 4.0]> : tensor<2xf32>
    %1 = keratin.sqrt %0 : (tensor<2xf32>) -> tensor<2xf32>
    ```
    becomes
    ```mlir
    %1 = keratin.constant dense<[1.0, 2.0]> : tensor<2xf32>
    ```

    Once gradients are expanded, numbers that are added up at constant places, many of them at the
    place of one shortly before, are gathered by their places, which are computed here, too:
    ```mlir
    %1 = keratin.scatter_add %i, %u : (tensor<31xi32>, tensor<31xf32>) -> tensor<16xf32>
    ```
    becomes, for [0, 0, 1, 1, ..., 14, 14, 15],
    ```mlir
    %0 = keratin.constant dense<[[0, 2, 4, ..., 28, 30], [1, 3, 5, ..., 29, 31]]> : tensor<2x16xi32>
    %1 = keratin.gather %u, %0 {keratin.own_rows} : (tensor<31xf32>, tensor<2x16xi32>) -> tensor<2x16xf32>
    %2 = keratin.reduce_sum %1 axes = [0] : (tensor<2x16xf32>) -> tensor<16xf32>
    ```
  }];
  let options = [
    Option<"maxBytes", "max-bytes", "int64_t", "65536",
        "largest operand and result in bytes; never more than 1 MiB">,
    Option<"keepNotFinite", "keep-not-finite", "bool", "false",
        "leave ops that make NaN or an infinity of finite constants to the call">
  ];
}
