// For ranks in a mesh: rows along one axis and columns along the other, and so results in parts along both.
!x = tensor<?x4xf32, #keratin.dims<d0, 4>>
!z = tensor<?x4xf32, #keratin.dims<d1, 4>>
!y = tensor<?x?xf32, #keratin.dims<d0, d1>>
!t = tensor<?x3x?xf32, #keratin.dims<d1, 3, d0>>

func.func @train(%x: !x {keratin.kind = "input", keratin.name = "x"}, %z: !z {keratin.kind = "input", keratin.name = "z"},
                 %w: tensor<4x4xf32> {keratin.kind = "variable", keratin.name = "w",
                     keratin.initial = dense<[[0.5, 0.25, 0.0, 0.5], [0.5, -0.25, 0.0, -0.5], [-0.5, 0.25, 1.0, 0.0], [0.0, 0.125, -1.0, 0.25]]> : tensor<4x4xf32>})
    -> (tensor<f32> {keratin.kind = "output", keratin.name = "loss"}, !y {keratin.kind = "output", keratin.name = "scores"},
        !t {keratin.kind = "output", keratin.name = "turned"}, !z {keratin.kind = "output", keratin.name = "keys"},
        tensor<4x4xf32> {keratin.kind = "update", keratin.variable = 0 : i64})
    attributes {keratin.sizes = ["batch", "keys"]} {
  %h = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (!x, tensor<4x4xf32>) -> !x
  %y = keratin.dot_general %h, %z batch = [] x [] contract = [1] x [1] : (!x, !z) -> !y
  %a = keratin.tanh %y : (!y) -> !y
  %back = keratin.transpose %a permutation = [1, 0] : (!y) -> tensor<?x?xf32, #keratin.dims<d1, d0>>
  %turned = keratin.broadcast %back dims = [0, 2] : (tensor<?x?xf32, #keratin.dims<d1, d0>>) -> !t
  %keys = keratin.tanh %z : (!z) -> !z
  %squares = keratin.mul %a, %a : (!y, !y) -> !y
  %loss = keratin.reduce_sum %squares axes = [0, 1] : (!y) -> tensor<f32>
  %dw = keratin.gradients %loss wrt %w : (tensor<f32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %rate = keratin.constant dense<0.0625> : tensor<4x4xf32>
  %step = keratin.mul %dw, %rate : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %new = keratin.sub %w, %step : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %loss, %a, %turned, %keys, %new : tensor<f32>, !y, !t, !z, tensor<4x4xf32>
}
