// Passes of passes/autodiff; included by passes/Passes.td.

def Differentiate : KeratinPass<"differentiate"> {
  let summary = "Replaces keratin.gradients, keratin.vjp and keratin.jvp by the ops that compute them.";
  let description = [{
    Gradients, and keratin.vjp, in reverse mode: one walk from the loss back to the values it is differentiated with respect
    to, along differentiable operands only. Each op says how the cotangents of its results
    become those of its operands; cotangents of several uses add up. A loss that is not a scalar
    is summed. A value that the loss does not reach gets zeros.

    Gradients are expanded in the order of the function, so a gradient of a gradient sees plain
    ops, to any order. Time is linear in the ops between values and loss, but for sorting them.
    From the second order on, sums of elementwise functions of one value are differentiated in
    forward mode, and equal values are merged between the orders: the ops grow as a polynomial
    of the order.

    keratin.jvp in forward mode: one walk from the inputs to the outputs, each op beside its
    tangent. What multiplies a cotangent of an elementwise op multiplies a tangent just so; of an
    op linear in an operand the tangent is the op itself; of any other it is the transpose of the
    gradient. Loops and branches carry tangents beside values, and keep nothing.

    Then nothing knows any more how something was to be differentiated: the outputs of
    keratin.custom_gradient stand in the place of its results, and what is inside of
    keratin.checkpoint in its place.

    A cotangent that is exactly zero because another element was chosen (select, maximum, slice,
    …) stays exactly zero through ops whose derivative may be infinite there: log of 0 in the
    branch not taken gives 0, not NaN.

    Before:
    ```mlir
    %y = keratin.tanh %x : (tensor<f32>) -> tensor<f32>
    %g = keratin.gradients %y wrt %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
    ```
    After:
    ```mlir
    %y = keratin.tanh %x : (tensor<f32>) -> tensor<f32>
    %one = keratin.constant dense<1.0> : tensor<f32>
    %0 = keratin.mul %y, %y : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %1 = keratin.sub %one, %0 : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %g = keratin.mul %one, %1 : (tensor<f32>, tensor<f32>) -> tensor<f32>
    ```
  }];
  let options = [
    Option<"maxOps", "max-ops", "int64_t", "1000000",
        "refuse a function that grows beyond this: gradients of gradients grow with each level">
  ];
}

def MixPrecision : KeratinPass<"mix-precision"> {
  let summary = "Computes products of float32 in a shorter dtype.";
  let description = [{
    Of functions with the attribute `keratin.product_dtype`, which goes. Contractions and
    convolutions of float32, those of gradients among them, take their operands in that dtype; they
    add up in float32, and give results in that dtype. All else, variables too, stays float32.

    Before:
    ```mlir
    %y = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    ```
    After:
    ```mlir
    %0 = keratin.cast %x : (tensor<2x3xf32>) -> tensor<2x3xbf16>
    %1 = keratin.cast %w : (tensor<3x4xf32>) -> tensor<3x4xbf16>
    %2 = keratin.dot_general %0, %1 batch = [] x [] contract = [1] x [0] : (tensor<2x3xbf16>, tensor<3x4xbf16>) -> tensor<2x4xbf16>
    %y = keratin.cast %2 : (tensor<2x4xbf16>) -> tensor<2x4xf32>
    ```
  }];
}

def MakeUpdatesLazy : KeratinPass<"make-updates-lazy"> {
  let summary = "Updates the rows of variables that a gradient names, and no others.";
  let description = [{
    Of functions with the attribute `keratin.lazy_updates`, which goes. The gradient of a gather is
    rows added to a table of zeros. A new value of a variable that follows from such a table element
    by element is the old value in the rows to which nothing was added: moments of momentum and Adam
    do not decay there, and do not move the variable. In the other rows all is as it was. Gradients
    of several gathers are made one table first.

    A gradient is no such table if more than rows was added up in it: by another op than a gather,
    or by a regulariser. What follows from it stays.

    Before:
    ```mlir
    %g = keratin.scatter_add %i, %dy : (tensor<3xi32>, tensor<3x4xf32>) -> tensor<9x4xf32>
    %0 = keratin.mul %rate, %v : (tensor<9x4xf32>, tensor<9x4xf32>) -> tensor<9x4xf32>
    %1 = keratin.sub %0, %g : (tensor<9x4xf32>, tensor<9x4xf32>) -> tensor<9x4xf32>
    return %1 : tensor<9x4xf32>                                              // the new %v
    ```
    After:
    ```mlir
    %n = keratin.scatter_add %i, %ones : (tensor<3xi32>, tensor<3xi32>) -> tensor<9xi32>
    %2 = keratin.compare gt %n, %zeros : (tensor<9xi32>, tensor<9xi32>) -> tensor<9xi1>
    %named = keratin.broadcast %2 dims = [0] : (tensor<9xi1>) -> tensor<9x4xi1>
    %3 = keratin.select %named, %1, %v : (tensor<9x4xi1>, tensor<9x4xf32>, tensor<9x4xf32>) -> tensor<9x4xf32>
    return %3 : tensor<9x4xf32>
    ```
  }];
}
