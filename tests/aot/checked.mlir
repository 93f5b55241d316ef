// A training step that checks its numbers: keratin-compile --check-numbers.
func.func @step(%x: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "x"},
                %w: tensor<3xf32> {keratin.kind = "variable", keratin.name = "w", keratin.initial = dense<0.0> : tensor<3xf32>})
    -> (tensor<f32> {keratin.kind = "output", keratin.name = "loss"}, tensor<3xf32> {keratin.kind = "update", keratin.variable = 0 : i64}) {
  %0 = keratin.log %x : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>> loc("net.cc":57:1)
  %1 = keratin.reduce_sum %0 axes = [0] : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<3xf32>
  %2 = keratin.add %w, %1 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %3 = keratin.reduce_sum %2 axes = [0] : (tensor<3xf32>) -> tensor<f32>
  return %3, %2 : tensor<f32>, tensor<3xf32>
}
