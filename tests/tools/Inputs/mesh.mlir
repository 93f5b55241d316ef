// For ranks in a mesh: rows along one axis, messages along the other, one of which says how many ranks there are.
!x = tensor<?x4xf32, #keratin.dims<d0, 4>>
!y = tensor<?x3xf32, #keratin.dims<d0, 3>>
!columns = tensor<3x?xf32, #keratin.dims<3, d0>>

func.func @train(%x: !x {keratin.kind = "input", keratin.name = "x"},
                 %w: tensor<4x3xf32> {keratin.kind = "variable", keratin.name = "w",
                     keratin.initial = dense<[[0.5, 0.25, 0.0], [0.5, -0.25, 0.0], [-0.5, 0.25, 1.0], [0.0, 0.125, -1.0]]> : tensor<4x3xf32>})
    -> (tensor<f32> {keratin.kind = "output", keratin.name = "loss"}, !columns {keratin.kind = "output", keratin.name = "columns"},
        tensor<i64> {keratin.kind = "output", keratin.name = "line"},
        tensor<4x3xf32> {keratin.kind = "update", keratin.variable = 0 : i64})
    attributes {keratin.sizes = ["batch"]} {
  %own = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (!x, tensor<4x3xf32>) -> !y
  %y = keratin.all_reduce mean %own along "model" : !y
  %columns = keratin.transpose %y permutation = [1, 0] : (!y) -> !columns
  %squares = keratin.mul %y, %y : (!y, !y) -> !y
  %loss = keratin.reduce_sum %squares axes = [0, 1] : (!y) -> tensor<f32>
  %dw = keratin.gradients %loss wrt %w : (tensor<f32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %rate = keratin.constant dense<0.0625> : tensor<4x3xf32>
  %step = keratin.mul %dw, %rate : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %new = keratin.sub %w, %step : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %one = keratin.constant dense<1> : tensor<i64>
  %line = keratin.all_reduce sum %one along "model" : tensor<i64>
  return %loss, %columns, %line, %new : tensor<f32>, !columns, tensor<i64>, tensor<4x3xf32>
}
