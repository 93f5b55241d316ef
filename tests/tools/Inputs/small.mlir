// A model of one kernel that has a variable: y = x + w.
func.func @predict(%x: tensor<4xf32> {keratin.kind = "input", keratin.name = "x"},
                   %w: tensor<4xf32> {keratin.kind = "variable", keratin.name = "w", keratin.initial = dense<[0.5, 0.25, 0.0, -1.0]> : tensor<4xf32>})
    -> (tensor<4xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.add %x, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
