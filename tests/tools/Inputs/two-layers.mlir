// Gradients of two layers, of more than a message holds, which are summed up over ranks.
!weights = tensor<2600x2600xf32>
!batch = tensor<?x2600xf32, #keratin.dims<d0, 2600>>
func.func @gradients(%x: !batch {keratin.kind = "input", keratin.sharded = 0 : i64}, %v: !weights {keratin.kind = "input"}, %w: !weights {keratin.kind = "input"})
    -> (tensor<f32> {keratin.kind = "output"}, !weights {keratin.kind = "output"}, !weights {keratin.kind = "output"}) {
  %a = keratin.dot_general %x, %v batch = [] x [] contract = [1] x [0] : (!batch, !weights) -> !batch
  %h = keratin.tanh %a : (!batch) -> !batch
  %b = keratin.dot_general %h, %w batch = [] x [] contract = [1] x [0] : (!batch, !weights) -> !batch
  %y = keratin.tanh %b : (!batch) -> !batch
  %loss = keratin.reduce_sum %y axes = [0, 1] : (!batch) -> tensor<f32>
  %g:2 = keratin.gradients %loss wrt %v, %w : (tensor<f32>, !weights, !weights) -> (!weights, !weights)
  return %loss, %g#0, %g#1 : tensor<f32>, !weights, !weights
}
