// RUN: keratin-opt %s --keratin-pipeline=stop-after=fused | FileCheck %s --check-prefix=FUSED
// RUN: keratin-opt %s --keratin-pipeline=stop-after=plan | FileCheck %s --check-prefix=PLAN

// What is done again reads the delayed input, and waits for what the cotangent is made of; in the plan its kernel comes last
// of those that need nothing else, and nothing is left of the delay.
// FUSED-LABEL: func.func @main
// FUSED-SAME:    %[[X:[^:]*]]: tensor<64xf32> {{[^%]*}}%[[W:[^:]*]]: tensor<64x64xf32>
// FUSED:         %[[H:.*]] = keratin.kernel(%[[X]], %[[W]])
// FUSED:         %[[LAST:.*]]:2 = keratin.kernel(%[[H]], %[[W]])
// FUSED:         %[[LATER:.*]] = keratin.delay %[[X]] until %[[LAST]]#1 : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
// FUSED:         keratin.kernel(%[[LATER]], %[[W]])
// PLAN-LABEL:  func.func @main
// PLAN-SAME:     %[[X:[^:]*]]: tensor<64xf32> {{[^%]*}}%[[W:[^:]*]]: tensor<64x64xf32>
// PLAN:          %[[H:.*]] = keratin.kernel(%[[X]], %[[W]])
// PLAN:          keratin.kernel(%[[H]], %[[W]])
// PLAN:          keratin.kernel(%[[X]], %[[W]])
// PLAN-NOT:      keratin.delay
func.func @main(%x: tensor<64xf32> {keratin.kind = "input", keratin.name = "x"}, %w: tensor<64x64xf32> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<f32> {keratin.kind = "output"}, tensor<64x64xf32> {keratin.kind = "output"}) {
  %y = keratin.checkpoint(%x, %w) {keratin.delayed = array<i64: 0>} : (tensor<64xf32>, tensor<64x64xf32>) -> tensor<64xf32> {
  ^bb0(%a: tensor<64xf32>, %b: tensor<64x64xf32>):
    %0 = keratin.dot_general %a, %b batch = [] x [] contract = [0] x [0] : (tensor<64xf32>, tensor<64x64xf32>) -> tensor<64xf32>
    %1 = keratin.tanh %0 : (tensor<64xf32>) -> tensor<64xf32>
    %2 = keratin.dot_general %1, %b batch = [] x [] contract = [0] x [0] : (tensor<64xf32>, tensor<64x64xf32>) -> tensor<64xf32>
    %3 = keratin.tanh %2 : (tensor<64xf32>) -> tensor<64xf32>
    keratin.yield %3 : tensor<64xf32>
  }
  %q = keratin.mul %y, %y : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %l = keratin.reduce_sum %q axes = [0] : (tensor<64xf32>) -> tensor<f32>
  %g = keratin.gradients %l wrt %w : (tensor<f32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %l, %g : tensor<f32>, tensor<64x64xf32>
}

// What costs nothing is not put into memory to be waited for, and a constant is there already.
// FUSED-LABEL: func.func @nothing_to_wait_for
// FUSED-NOT:     keratin.delay
// FUSED:         return
func.func @nothing_to_wait_for(%x: tensor<64xf32> {keratin.kind = "input", keratin.name = "x"}) -> (tensor<64xf32> {keratin.kind = "output"}) {
  %y = keratin.checkpoint(%x) : (tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%a: tensor<64xf32>):
    %e = keratin.exp %a : (tensor<64xf32>) -> tensor<64xf32>
    %s = keratin.sin %e : (tensor<64xf32>) -> tensor<64xf32>
    keratin.yield %s : tensor<64xf32>
  }
  %g = keratin.gradients %y wrt %x : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  return %g : tensor<64xf32>
}

// A kernel that could come at once stands behind the one that it waits for, which could come last.
// PLAN-LABEL: func.func @order
// PLAN:         keratin.cos
// PLAN:         keratin.tanh
// PLAN-NOT:     keratin.delay
func.func @order(%x: tensor<64xf32> {keratin.kind = "input", keratin.name = "x"}, %z: tensor<64xf32> {keratin.kind = "input", keratin.name = "z"})
    -> (tensor<f32> {keratin.kind = "output"}, tensor<f32> {keratin.kind = "output"}) {
  %c = keratin.cos %z : (tensor<64xf32>) -> tensor<64xf32>
  %s = keratin.reduce_sum %c axes = [0] : (tensor<64xf32>) -> tensor<f32>
  %d = keratin.delay %x until %s : (tensor<64xf32>, tensor<f32>) -> tensor<64xf32>
  %t = keratin.tanh %d : (tensor<64xf32>) -> tensor<64xf32>
  %u = keratin.reduce_sum %t axes = [0] : (tensor<64xf32>) -> tensor<f32>
  return %u, %s : tensor<f32>, tensor<f32>
}
