// RUN: keratin-opt %s --keratin-checkpoint-loops=kept-bytes=100 --split-input-file | FileCheck %s
// RUN: keratin-opt %s --keratin-checkpoint-loops=kept-bytes=100 --keratin-differentiate --keratin-simplify-loops --split-input-file | FileCheck %s --check-prefix=GRAD
// RUN: keratin-opt %s --keratin-checkpoint-loops=kept-bytes=1000 --split-input-file | FileCheck %s --check-prefix=ENOUGH

// Three segments of four steps. Sequences and stacks are the same memory in other words.
// CHECK-LABEL: func.func @segments
// CHECK-SAME:    (%[[X:.*]]: tensor<12x4xf32>, %[[H:.*]]: tensor<4xf32>, %[[W:.*]]: tensor<4xf32>)
// CHECK:         %[[XS:.*]] = keratin.reshape %[[X]] : (tensor<12x4xf32>) -> tensor<3x4x4xf32>
// CHECK:         %[[L:.*]]:2 = keratin.scan length = <3> init(%[[H]]) over(%[[XS]]) with(%[[W]]) {keratin.checkpoints}
// CHECK-NEXT:    ^bb0(%{{[^:]*}}: tensor<i64>, %[[S:[^:]*]]: tensor<4xf32>, %[[E:[^:]*]]: tensor<4x4xf32>, %[[V:[^:]*]]: tensor<4xf32>):
// CHECK-NEXT:      %[[I:.*]]:2 = keratin.scan length = <4> init(%[[S]]) over(%[[E]]) with(%[[V]])
// CHECK-NOT:         keratin.checkpoints
// CHECK:           keratin.yield %[[I]]#0, %[[I]]#1
// CHECK:         %[[Y:.*]] = keratin.reshape %[[L]]#1 : (tensor<3x4x4xf32>) -> tensor<12x4xf32>

// The gradient keeps the state before each segment, and does the steps of one again to have what it needs of them.
// GRAD-LABEL: func.func @segments
// GRAD:         %[[L:.*]]:3 = keratin.scan length = <3> init(%{{.*}}) over(%{{.*}}) with(%{{.*}}) {keratin.checkpoints} : {{.*}} -> (tensor<4xf32>, tensor<3x4x4xf32>, tensor<3x4xf32>)
// GRAD:         keratin.scan length = <3> reverse init({{.*}}) over(%{{.*}}, %{{.*}}, %[[L]]#2) with({{.*}}) {keratin.checkpoints}
// GRAD:           keratin.scan length = <4> init
// GRAD:             keratin.tanh
// GRAD:           keratin.scan length = <4> reverse
// GRAD-NOT:         keratin.tanh
// GRAD:         return

// ENOUGH-LABEL: func.func @segments
// ENOUGH-NOT:     keratin.checkpoints
// ENOUGH:         keratin.scan length = <12>
// ENOUGH-NOT:     keratin.scan
// ENOUGH:         return
func.func @segments(%x: tensor<12x4xf32>, %h: tensor<4xf32>, %w: tensor<4xf32>) -> (tensor<12x4xf32>, tensor<4xf32>) {
  %y:2 = keratin.scan length = <12> init(%h) over(%x) with(%w) : (tensor<4xf32>, tensor<12x4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<12x4xf32>) {
  ^bb0(%t: tensor<i64>, %s: tensor<4xf32>, %e: tensor<4xf32>, %v: tensor<4xf32>):
    %0 = keratin.mul %s, %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = keratin.add %0, %e : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %2 = keratin.tanh %1 : (tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %2, %2 : tensor<4xf32>, tensor<4xf32>
  }
  %g = keratin.gradients %y#1 wrt %w : (tensor<12x4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y#1, %g : tensor<12x4xf32>, tensor<4xf32>
}

// -----

// Backwards, of an unknown number of steps: those left over come first, and have the numbers behind the segments'. What steps print is printed by the
// first run alone.
// CHECK-LABEL: func.func @numbered
// CHECK-SAME:    (%[[X:.*]]: tensor<?xf32, #keratin.dims<d0>>, %[[H:.*]]: tensor<f32>)
// CHECK-DAG:     %[[BEFORE:.*]] = keratin.dim %{{.*}} {axis = 0 : i64} : (tensor<?xi64, #keratin.dims<8*floordiv(d0, 8)>>) -> tensor<i64>
// CHECK-DAG:     %[[XR:.*]] = keratin.slice %[[X]] starts = <8*floordiv(d0, 8)> strides = [1] : {{.*}} -> tensor<?xf32, #keratin.dims<d0 - 8*floordiv(d0, 8)>>
// CHECK:         %[[R:.*]] = keratin.scan length = <d0 - 8*floordiv(d0, 8)> reverse init(%[[H]]) over(%[[XR]]) with(%[[BEFORE]])
// CHECK-NEXT:    ^bb0(%[[T:[^:]*]]: tensor<i64>, %{{[^:]*}}: tensor<f32>, %{{[^:]*}}: tensor<f32>, %[[B:[^:]*]]: tensor<i64>):
// CHECK-NEXT:      keratin.add %[[B]], %[[T]]
// CHECK:         %[[XS:.*]] = keratin.slice %[[X]] starts = <0> {{.*}} -> tensor<?xf32, #keratin.dims<8*floordiv(d0, 8)>>
// CHECK:         %[[XK:.*]] = keratin.reshape %[[XS]] : {{.*}} -> tensor<?x8xf32, #keratin.dims<floordiv(d0, 8), 8>>
// CHECK:         %[[L:.*]] = keratin.scan length = <floordiv(d0, 8)> reverse init(%[[R]]) over(%[[XK]]) with() {keratin.checkpoints}
// CHECK-NEXT:    ^bb0(%[[T:[^:]*]]: tensor<i64>,
// CHECK:           %[[EIGHT:.*]] = keratin.constant dense<8> : tensor<i64>
// CHECK:           %[[FIRST:.*]] = keratin.mul %[[T]], %[[EIGHT]]
// CHECK:           keratin.scan length = <8> reverse init(%{{.*}}) over(%{{.*}}) with(%[[FIRST]])

// GRAD-LABEL: func.func @numbered
// GRAD:         keratin.scan length = <floordiv(d0, 8)> reverse
// GRAD:           keratin.scan length = <8> reverse
// GRAD:             keratin.print
// GRAD:         keratin.scan length = <floordiv(d0, 8)> init
// GRAD-NOT:       keratin.print
// GRAD:           keratin.scan length = <8> reverse
// GRAD-NOT:       keratin.print
// GRAD:           keratin.scan length = <8> init
// GRAD-NOT:     keratin.print
// GRAD:         return

// Nobody knows that the steps will be few.
// ENOUGH-LABEL: func.func @numbered
// ENOUGH:         keratin.scan length = <floordiv(d0, 83)> reverse
func.func @numbered(%x: tensor<?xf32, #keratin.dims<d0>>, %h: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %y = keratin.scan length = <d0> reverse init(%h) over(%x) with() : (tensor<f32>, tensor<?xf32, #keratin.dims<d0>>) -> tensor<f32> {
  ^bb0(%t: tensor<i64>, %s: tensor<f32>, %e: tensor<f32>):
    %n = keratin.cast %t : (tensor<i64>) -> tensor<f32>
    %0 = keratin.mul %s, %e : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %1 = keratin.add %0, %n : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %2 = keratin.tanh %1 : (tensor<f32>) -> tensor<f32>
    %3 = keratin.print "step" %2 : tensor<f32>
    keratin.yield %3 : tensor<f32>
  }
  %g = keratin.gradients %y wrt %h : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %y, %g : tensor<f32>, tensor<f32>
}

// -----

// Twice. The lengths leave nothing over, so that no stack has to be joined.
// CHECK-LABEL: func.func @twice
// CHECK:         keratin.scan length = <10> {{.*}} {keratin.checkpoints}
// CHECK:           keratin.scan length = <10> {{.*}} {keratin.checkpoints}
// CHECK:             keratin.scan length = <10>
// CHECK-NOT:           keratin.checkpoints
// CHECK:         return
func.func @twice(%x: tensor<1000xf32>, %h: tensor<f32>) -> tensor<f32> {
  %y = keratin.scan length = <1000> init(%h) over(%x) with() : (tensor<f32>, tensor<1000xf32>) -> tensor<f32> {
  ^bb0(%t: tensor<i64>, %s: tensor<f32>, %e: tensor<f32>):
    %0 = keratin.add %s, %e : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %1 = keratin.tanh %0 : (tensor<f32>) -> tensor<f32>
    keratin.yield %1 : tensor<f32>
  }
  %g = keratin.gradients %y wrt %h : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %g : tensor<f32>
}

// -----

// A prime number of steps: the one that is left over is a loop of its own, and what both stack is joined.
// CHECK-LABEL: func.func @prime
// CHECK:         %[[L:.*]]:2 = keratin.scan length = <9> {{.*}} {keratin.checkpoints}
// CHECK:         %[[R:.*]]:2 = keratin.scan length = <1> init(%[[L]]#0)
// CHECK:         %[[S:.*]] = keratin.reshape %[[L]]#1 : (tensor<9x4xf32>) -> tensor<36xf32>
// CHECK:         keratin.concatenate %[[S]], %[[R]]#1 {axis = 0 : i64} : (tensor<36xf32>, tensor<1xf32>) -> tensor<37xf32>
func.func @prime(%x: tensor<37xf32>, %h: tensor<f32>) -> (tensor<37xf32>, tensor<f32>) {
  %y:2 = keratin.scan length = <37> init(%h) over(%x) with() : (tensor<f32>, tensor<37xf32>) -> (tensor<f32>, tensor<37xf32>) {
  ^bb0(%t: tensor<i64>, %s: tensor<f32>, %e: tensor<f32>):
    %0 = keratin.add %s, %e : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %1 = keratin.exp %0 : (tensor<f32>) -> tensor<f32>
    %2 = keratin.tanh %1 : (tensor<f32>) -> tensor<f32>
    keratin.yield %2, %e : tensor<f32>, tensor<f32>
  }
  %g = keratin.gradients %y#0 wrt %h : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %y#1, %g : tensor<37xf32>, tensor<f32>
}

// -----

// No gradient keeps anything of these.
// CHECK-LABEL: func.func @whole
// CHECK-NOT:     keratin.checkpoints
// CHECK:         return
func.func @whole(%x: tensor<?xf32, #keratin.dims<d0>>, %h: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %forward = keratin.scan length = <d0> init(%h) over(%x) with() : (tensor<f32>, tensor<?xf32, #keratin.dims<d0>>) -> tensor<f32> {
  ^bb0(%t: tensor<i64>, %s: tensor<f32>, %e: tensor<f32>):
    %0 = keratin.tanh %s : (tensor<f32>) -> tensor<f32>
    %1 = keratin.add %0, %e : (tensor<f32>, tensor<f32>) -> tensor<f32>
    keratin.yield %1 : tensor<f32>
  }
  %linear = keratin.scan length = <d0> init(%h) over(%x) with() : (tensor<f32>, tensor<?xf32, #keratin.dims<d0>>) -> tensor<f32> {
  ^bb0(%t: tensor<i64>, %s: tensor<f32>, %e: tensor<f32>):
    %0 = keratin.mul %s, %e : (tensor<f32>, tensor<f32>) -> tensor<f32>
    keratin.yield %0 : tensor<f32>
  }
  %g = keratin.gradients %linear wrt %h : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %forward, %linear, %g : tensor<f32>, tensor<f32>, tensor<f32>
}

// -----

// Of a state that nobody reads there is no gradient, not even zeros, which times an infinite number would be none: what goes around the loop over the
// segments are the gradients of the other state and of %w.
// GRAD-LABEL: func.func @one_state_is_read
// GRAD:         keratin.scan length = <{{[0-9]+}}> reverse {{.*}} {keratin.checkpoints} : {{.*}} -> (tensor<2xf32>, tensor<2x2xf32>) {
// GRAD:           keratin.scan length = <{{[0-9]+}}> reverse {{.*}} -> (tensor<2xf32>, tensor<2x2xf32>) {
// GRAD:         return
func.func @one_state_is_read(%a: tensor<2xf32>, %b: tensor<2xf32>, %w: tensor<2x2xf32>) -> (tensor<2xf32>, tensor<2x2xf32>) {
  %l:2 = keratin.scan length = <36> init(%a, %b) over() with(%w) : (tensor<2xf32>, tensor<2xf32>, tensor<2x2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  ^bb0(%t: tensor<i64>, %s: tensor<2xf32>, %u: tensor<2xf32>, %v: tensor<2x2xf32>):
    %0 = keratin.dot_general %s, %v batch = [] x [] contract = [0] x [0] : (tensor<2xf32>, tensor<2x2xf32>) -> tensor<2xf32>
    %1 = keratin.tanh %0 : (tensor<2xf32>) -> tensor<2xf32>
    %2 = keratin.sin %1 : (tensor<2xf32>) -> tensor<2xf32>
    %3 = keratin.tanh %2 : (tensor<2xf32>) -> tensor<2xf32>
    %4 = keratin.dot_general %u, %v batch = [] x [] contract = [0] x [0] : (tensor<2xf32>, tensor<2x2xf32>) -> tensor<2xf32>
    keratin.yield %3, %4 : tensor<2xf32>, tensor<2xf32>
  }
  %g = keratin.gradients %l#0 wrt %w : (tensor<2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %l#1, %g : tensor<2xf32>, tensor<2x2xf32>
}

// -----

// The loop of tangents has fewer results than the one it is of, and keeps nothing.
// CHECK-LABEL: func.func @tangents_alone
// CHECK-NOT:     keratin.checkpoints
// CHECK:         return
func.func @tangents_alone(%x: tensor<50xf32>, %c: tensor<f32>) -> (tensor<50xf32>, tensor<50xf32>) {
  %0:2 = keratin.scan length = #keratin.dims<50> init() over(%x) with(%c) : (tensor<50xf32>, tensor<f32>) -> (tensor<50xf32>, tensor<50xf32>) {
  ^bb0(%t: tensor<i64>, %e: tensor<f32>, %d: tensor<f32>):
    %1 = keratin.ceil %d : (tensor<f32>) -> tensor<f32>
    %2 = keratin.tanh %e : (tensor<f32>) -> tensor<f32>
    keratin.yield %1, %2 : tensor<f32>, tensor<f32>
  }
  %dy = keratin.jvp of %0#1 wrt %x, %c along %0#0, %c : (tensor<50xf32>, tensor<50xf32>, tensor<f32>, tensor<50xf32>, tensor<f32>) -> tensor<50xf32>
  return %0#0, %dy : tensor<50xf32>, tensor<50xf32>
}
