// For ranks of a job: what each has a part of, along both dimensions, what is summed up, what is drawn, and a variable.
!x = tensor<?x4xf32, #keratin.dims<d0, 4>>
!y = tensor<?x3xf32, #keratin.dims<d0, 3>>
!columns = tensor<3x?xf32, #keratin.dims<3, d0>>
!bits = tensor<?x4xui32, #keratin.dims<d0, 4>>

func.func @train(%x: !x {keratin.kind = "input", keratin.name = "x"}, %t: !y {keratin.kind = "input", keratin.name = "target"},
                 %draw: tensor<i64> {keratin.kind = "input", keratin.name = "draw"},
                 %w: tensor<4x3xf32> {keratin.kind = "variable", keratin.name = "w",
                     keratin.initial = dense<[[0.5, 0.25, 0.0], [0.5, -0.25, 0.0], [-0.5, 0.25, 1.0], [0.0, 0.125, -1.0]]> : tensor<4x3xf32>})
    -> (tensor<f32> {keratin.kind = "output", keratin.name = "loss"}, !y {keratin.kind = "output", keratin.name = "y"},
        !columns {keratin.kind = "output", keratin.name = "columns"}, !bits {keratin.kind = "output", keratin.name = "bits"},
        tensor<4x3xf32> {keratin.kind = "update", keratin.variable = 0 : i64})
    attributes {keratin.sizes = ["batch"]} {
  %y = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (!x, tensor<4x3xf32>) -> !y
  %columns = keratin.transpose %y permutation = [1, 0] : (!y) -> !columns
  %bits = keratin.random_bits %draw {seed = 1 : i64} : (tensor<i64>) -> !bits
  %difference = keratin.sub %y, %t : (!y, !y) -> !y
  %squares = keratin.mul %difference, %difference : (!y, !y) -> !y
  %loss = keratin.reduce_sum %squares axes = [0, 1] : (!y) -> tensor<f32>
  %dw = keratin.gradients %loss wrt %w : (tensor<f32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %rate = keratin.constant dense<0.0625> : tensor<4x3xf32>
  %step = keratin.mul %dw, %rate : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %new = keratin.sub %w, %step : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return %loss, %y, %columns, %bits, %new : tensor<f32>, !y, !columns, !bits, tensor<4x3xf32>
}
