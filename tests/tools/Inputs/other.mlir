// As predict of net.mlir, but for what it does.
func.func @predict(%x: tensor<?x4xf32, #keratin.dims<d0, 4>> {keratin.kind = "input", keratin.name = "x"},
                   %w: tensor<4x3xf32> {keratin.kind = "variable", keratin.name = "w",
                                        keratin.initial = dense<[[0.5, 0.25, 0.0], [0.5, -0.25, 0.0], [-0.5, 0.25, 1.0], [0.0, 0.125, -1.0]]> : tensor<4x3xf32>})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<?x4xf32, #keratin.dims<d0, 4>>, tensor<4x3xf32>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  %y = keratin.exp %0 : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}

