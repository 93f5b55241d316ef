// RUN: keratin-opt %s --keratin-pipeline=stop-after=host | FileCheck %s

// A step with two layers of more than a message holds: the gradient of the last is under way while that of the first is computed, and both are waited for before variables are written in place.

// CHECK-LABEL: host.program of @step {
// CHECK:         host.launch {{.*}}-> (%[[LAST:[0-9]+]]) on 0 {name = "gradient of dot_general"}
// CHECK:         host.start_collective kernel [[MESSAGE:[0-9]+]](%[[LAST]]) -> (%[[WHOLE:[0-9]+]])
// CHECK-NOT:     host.wait_collective
// CHECK:         host.launch {{.*}}-> (%[[FIRST:[0-9]+]]) on 0 {name = "gradient of dot_general"}
// CHECK-NOT:     host.wait_collective
// CHECK:         host.start_collective kernel [[NEXT:[0-9]+]](%[[FIRST]])
// CHECK:         host.wait_collective kernel [[MESSAGE]]
// CHECK:         host.wait_collective kernel [[NEXT]]
// CHECK:         host.check
// CHECK:         host.launch {{.*}}%[[WHOLE]]) -> {{.*}} {name = "sub"}
!weights = tensor<2600x2600xf32>
!batch = tensor<?x2600xf32, #keratin.dims<d0, 2600>>
func.func @step(%x: !batch {keratin.kind = "input", keratin.sharded = 0 : i64}, %v: !weights {keratin.kind = "variable"}, %w: !weights {keratin.kind = "variable"})
    -> (tensor<f32> {keratin.kind = "output"}, !weights {keratin.kind = "update", keratin.variable = 0 : i64}, !weights {keratin.kind = "update", keratin.variable = 1 : i64}) {
  %a = keratin.dot_general %x, %v batch = [] x [] contract = [1] x [0] : (!batch, !weights) -> !batch
  %h = keratin.tanh %a : (!batch) -> !batch
  %b = keratin.dot_general %h, %w batch = [] x [] contract = [1] x [0] : (!batch, !weights) -> !batch
  %y = keratin.tanh %b : (!batch) -> !batch
  %loss = keratin.reduce_sum %y axes = [0, 1] : (!batch) -> tensor<f32>
  %g:2 = keratin.gradients %loss wrt %v, %w : (tensor<f32>, !weights, !weights) -> (!weights, !weights)
  %m = keratin.sub %v, %g#0 : (!weights, !weights) -> !weights
  %n = keratin.sub %w, %g#1 : (!weights, !weights) -> !weights
  return %loss, %m, %n : tensor<f32>, !weights, !weights
}
