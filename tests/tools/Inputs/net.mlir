// A model of two functions that share a variable: y = tanh(x w), and a step of gradient descent on the sum of
// squares of x w - t.
func.func @predict(%x: tensor<?x4xf32, #keratin.dims<d0, 4>> {keratin.kind = "input", keratin.name = "x"},
                   %w: tensor<4x3xf32> {keratin.kind = "variable", keratin.name = "w",
                                        keratin.initial = dense<[[0.5, 0.25, 0.0], [0.5, -0.25, 0.0], [-0.5, 0.25, 1.0], [0.0, 0.125, -1.0]]> : tensor<4x3xf32>})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<?x4xf32, #keratin.dims<d0, 4>>, tensor<4x3xf32>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  %y = keratin.tanh %0 : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}

func.func @train(%x: tensor<?x4xf32, #keratin.dims<d0, 4>> {keratin.kind = "input", keratin.name = "x"},
                 %t: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "target"},
                 %rate: tensor<f32> {keratin.kind = "input", keratin.name = "rate"},
                 %w: tensor<4x3xf32> {keratin.kind = "variable", keratin.name = "w"})
    -> (tensor<f32> {keratin.kind = "output", keratin.name = "loss"}, tensor<4x3xf32> {keratin.kind = "update", keratin.variable = 0 : i64}) {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<?x4xf32, #keratin.dims<d0, 4>>, tensor<4x3xf32>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  %1 = keratin.sub %0, %t : (tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  %2 = keratin.mul %1, %1 : (tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  %loss = keratin.reduce_sum %2 axes = [0, 1] : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<f32>
  %dw = keratin.gradients %loss wrt %w : (tensor<f32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %r = keratin.broadcast %rate dims = [] : (tensor<f32>) -> tensor<4x3xf32>
  %step = keratin.mul %dw, %r : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %new = keratin.sub %w, %step : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return %loss, %new : tensor<f32>, tensor<4x3xf32>
}

// Enough work for several threads.
func.func @wide(%x: tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "input", keratin.name = "x"}) -> (tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.tanh %x : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  %1 = keratin.exp %0 : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  return %1 : tensor<?xf32, #keratin.dims<d0>>
}
