// RUN: keratin-opt %s --keratin-differentiate --cse --split-input-file | FileCheck %s

// The loop keeps the state before each step, and what it stacks anyway is not kept again. Gradients of what is captured are sums over the
// steps; nothing is done for x, of which no gradient is wanted.
// CHECK-LABEL: func.func @recurrent
// CHECK-SAME:    (%[[X:.*]]: tensor<?x2x3xf32, #keratin.dims<d0, 2, 3>>, %[[H:.*]]: tensor<2x4xf32>, %[[W:.*]]: tensor<3x4xf32>, %[[U:.*]]: tensor<4x4xf32>)
// CHECK:         %[[F:.*]]:3 = keratin.scan length = <d0> init(%[[H]]) over(%[[X]]) with(%[[W]], %[[U]])
// CHECK-NEXT:    ^bb0(%{{[^:]*}}: tensor<i64>, %[[S:[^:]*]]: tensor<2x4xf32>
// CHECK:           %[[N:.*]] = keratin.tanh
// CHECK-NEXT:      keratin.yield %[[N]], %[[N]], %[[S]]
// CHECK:         %[[B:.*]]:3 = keratin.scan length = <d0> reverse init({{.*}}) over(%[[X]], %{{.*}}, %[[F]]#2, %[[F]]#1) with(%[[U]])
// CHECK-NEXT:    ^bb0(%{{[^:]*}}: tensor<i64>, %[[DH:[^:]*]]: tensor<2x4xf32>, %[[SW:[^:]*]]: tensor<3x4xf32>, %[[SU:[^:]*]]: tensor<4x4xf32>, %[[E:[^:]*]]: tensor<2x3xf32>, %[[DY:[^:]*]]: tensor<2x4xf32>, %[[BEFORE:[^:]*]]: tensor<2x4xf32>, %[[Y:[^:]*]]: tensor<2x4xf32>, %[[CU:[^:]*]]: tensor<4x4xf32>):
// CHECK-NOT:       keratin.tanh
// CHECK:           %[[SUM:.*]] = keratin.add %[[DH]], %[[DY]]
// CHECK:           keratin.mul %[[Y]], %[[Y]]
// CHECK:           %[[DZ:.*]] = keratin.mul %[[SUM]],
// CHECK-NEXT:      %[[DS:.*]] = keratin.dot_general %[[DZ]], %[[CU]] {{.*}} contract = [1] x [1]
// CHECK-NEXT:      %[[DU:.*]] = keratin.dot_general %[[BEFORE]], %[[DZ]]
// CHECK-NEXT:      %[[DW:.*]] = keratin.dot_general %[[E]], %[[DZ]]
// CHECK-NEXT:      %[[NW:.*]] = keratin.add %[[SW]], %[[DW]]
// CHECK-NEXT:      %[[NU:.*]] = keratin.add %[[SU]], %[[DU]]
// CHECK-NEXT:      keratin.yield %[[DS]], %[[NW]], %[[NU]]
// CHECK:         return %[[B]]#1, %[[B]]#2
func.func @recurrent(%x: tensor<?x2x3xf32, #keratin.dims<d0, 2, 3>>, %h: tensor<2x4xf32>, %w: tensor<3x4xf32>, %u: tensor<4x4xf32>) -> (tensor<3x4xf32>, tensor<4x4xf32>) {
  %y:2 = keratin.scan length = <d0> init(%h) over(%x) with(%w, %u)
      : (tensor<2x4xf32>, tensor<?x2x3xf32, #keratin.dims<d0, 2, 3>>, tensor<3x4xf32>, tensor<4x4xf32>) -> (tensor<2x4xf32>, tensor<?x2x4xf32, #keratin.dims<d0, 2, 4>>) {
  ^bb0(%t: tensor<i64>, %s: tensor<2x4xf32>, %e: tensor<2x3xf32>, %a: tensor<3x4xf32>, %b: tensor<4x4xf32>):
    %0 = keratin.dot_general %e, %a batch = [] x [] contract = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    %1 = keratin.dot_general %s, %b batch = [] x [] contract = [1] x [0] : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
    %2 = keratin.add %0, %1 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %n = keratin.tanh %2 : (tensor<2x4xf32>) -> tensor<2x4xf32>
    keratin.yield %n, %n : tensor<2x4xf32>, tensor<2x4xf32>
  }
  %g:2 = keratin.gradients %y#1 wrt %w, %u : (tensor<?x2x4xf32, #keratin.dims<d0, 2, 4>>, tensor<3x4xf32>, tensor<4x4xf32>) -> (tensor<3x4xf32>, tensor<4x4xf32>)
  return %g#0, %g#1 : tensor<3x4xf32>, tensor<4x4xf32>
}

// -----

// Arithmetic and moves are done again; exp is kept. What captures alone give is done again at any cost: it leaves the loop.
// CHECK-LABEL: func.func @kept
// CHECK:         %[[F:.*]]:3 = keratin.scan
// CHECK:           %[[EXP:.*]] = keratin.exp
// CHECK:           keratin.yield %{{[^,]*}}, %[[EXP]], %{{[^,]*}} :
// CHECK:         keratin.scan length = <4> reverse
// CHECK-SAME:      over(%{{.*}}, %[[F]]#1, %[[F]]#2)
// CHECK-NOT:       keratin.exp
// CHECK:           keratin.tanh
// CHECK:           keratin.transpose
// CHECK-NOT:       keratin.exp
// CHECK:         return
func.func @kept(%x: tensor<4x2x2xf32>, %w: tensor<2x2xf32>) -> tensor<4x2x2xf32> {
  %zero = keratin.constant dense<0.0> : tensor<2x2xf32>
  %y = keratin.scan length = <4> init(%zero) over(%x) with(%w) : (tensor<2x2xf32>, tensor<4x2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<2x2xf32>, %e: tensor<2x2xf32>, %a: tensor<2x2xf32>):
    %0 = keratin.tanh %a : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %1 = keratin.mul %e, %0 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %2 = keratin.transpose %s permutation = [1, 0] : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %3 = keratin.mul %1, %2 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %4 = keratin.exp %3 : (tensor<2x2xf32>) -> tensor<2x2xf32>
    keratin.yield %4 : tensor<2x2xf32>
  }
  %g = keratin.gradients %y wrt %x : (tensor<2x2xf32>, tensor<4x2x2xf32>) -> tensor<4x2x2xf32>
  return %g : tensor<4x2x2xf32>
}

// -----

// A gradient of a gradient meets one loop, not a copy for each: three loops for two orders, and a fourth back through the second.
// CHECK-LABEL: func.func @twice
// CHECK-COUNT-4: keratin.scan
// CHECK-NOT:   keratin.scan
func.func @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = keratin.constant dense<0.0> : tensor<f32>
  %y = keratin.scan length = <4> init(%zero) over(%x) with() : (tensor<f32>, tensor<4xf32>) -> tensor<f32> {
  ^bb0(%t: tensor<i64>, %s: tensor<f32>, %e: tensor<f32>):
    %0 = keratin.add %s, %e : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %1 = keratin.sin %0 : (tensor<f32>) -> tensor<f32>
    keratin.yield %1 : tensor<f32>
  }
  %g = keratin.gradients %y wrt %x : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %h = keratin.gradients %g wrt %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %h : tensor<4xf32>
}

// -----

// One if for each gradient, on the same condition; the branch that does not use %x gives zeros.
// CHECK-LABEL: func.func @branch
// CHECK-SAME:    (%[[P:.*]]: tensor<i1>, %[[X:.*]]: tensor<3xf32>, %[[Z:.*]]: tensor<3xi32>)
// CHECK:         %[[G:.*]] = keratin.if %[[P]] with(%[[X]], %{{.*}}) : (tensor<i1>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32> {
// CHECK-NEXT:    ^bb0(%[[A:.*]]: tensor<3xf32>, %[[DY:.*]]: tensor<3xf32>):
// CHECK:           %[[COS:.*]] = keratin.cos %[[A]]
// CHECK:           %[[DX:.*]] = keratin.mul %[[DY]], %[[COS]]
// CHECK:           keratin.yield %[[DX]]
// CHECK-NEXT:    } else {
// CHECK-NOT:       keratin.cast
// CHECK:           %[[ZERO:.*]] = keratin.broadcast
// CHECK-NEXT:      keratin.yield %[[ZERO]]
// CHECK:         return %[[G]]
func.func @branch(%p: tensor<i1>, %x: tensor<3xf32>, %z: tensor<3xi32>) -> tensor<3xf32> {
  %y:2 = keratin.if %p with(%x, %z) : (tensor<i1>, tensor<3xf32>, tensor<3xi32>) -> (tensor<3xi32>, tensor<3xf32>) {
  ^bb0(%a: tensor<3xf32>, %b: tensor<3xi32>):
    %0 = keratin.sin %a : (tensor<3xf32>) -> tensor<3xf32>
    keratin.yield %b, %0 : tensor<3xi32>, tensor<3xf32>
  } else {
  ^bb0(%a: tensor<3xf32>, %b: tensor<3xi32>):
    %0 = keratin.cast %b : (tensor<3xi32>) -> tensor<3xf32>
    keratin.yield %b, %0 : tensor<3xi32>, tensor<3xf32>
  }
  %g = keratin.gradients %y#1 wrt %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %g : tensor<3xf32>
}

// -----

// The state's gradient is not infinite times zero after the last step; that of the output needs no such care.
// CHECK-LABEL: func.func @guards
// CHECK:         keratin.scan length = <3> reverse
// CHECK:           keratin.select
// CHECK-NOT:       keratin.select
// CHECK:           keratin.yield
func.func @guards(%x: tensor<3xf32>, %h: tensor<f32>) -> (tensor<3xf32>, tensor<f32>) {
  %y:2 = keratin.scan length = <3> init(%h) over(%x) with() : (tensor<f32>, tensor<3xf32>) -> (tensor<f32>, tensor<3xf32>) {
  ^bb0(%t: tensor<i64>, %s: tensor<f32>, %e: tensor<f32>):
    %n = keratin.sqrt %s : (tensor<f32>) -> tensor<f32>
    %0 = keratin.sqrt %e : (tensor<f32>) -> tensor<f32>
    %1 = keratin.add %s, %0 : (tensor<f32>, tensor<f32>) -> tensor<f32>
    keratin.yield %n, %1 : tensor<f32>, tensor<f32>
  }
  %g:2 = keratin.gradients %y#1 wrt %x, %h : (tensor<3xf32>, tensor<3xf32>, tensor<f32>) -> (tensor<3xf32>, tensor<f32>)
  return %g#0, %g#1 : tensor<3xf32>, tensor<f32>
}

// -----

// Gates that are slices of one product leave no zeros in it: no guards, neither in this step nor in the one before.
// CHECK-LABEL: func.func @gates
// CHECK:         keratin.scan length = <3> reverse
// CHECK-NOT:     keratin.select
// CHECK:         return
func.func @gates(%x: tensor<3x4xf32>, %h: tensor<2xf32>, %u: tensor<2x4xf32>) -> (tensor<2xf32>, tensor<2x4xf32>) {
  %y = keratin.scan length = <3> init(%h) over(%x) with(%u) : (tensor<2xf32>, tensor<3x4xf32>, tensor<2x4xf32>) -> tensor<2xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<2xf32>, %e: tensor<4xf32>, %c: tensor<2x4xf32>):
    %0 = keratin.dot_general %s, %c batch = [] x [] contract = [0] x [0] : (tensor<2xf32>, tensor<2x4xf32>) -> tensor<4xf32>
    %1 = keratin.mul %0, %e : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %2 = keratin.slice %1 starts = <2> strides = [1] : (tensor<4xf32>) -> tensor<2xf32>
    %3 = keratin.slice %1 starts = <0> strides = [1] : (tensor<4xf32>) -> tensor<2xf32>
    %4 = keratin.mul %2, %3 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    keratin.yield %4 : tensor<2xf32>
  }
  %g:2 = keratin.gradients %y wrt %h, %u : (tensor<2xf32>, tensor<2xf32>, tensor<2x4xf32>) -> (tensor<2xf32>, tensor<2x4xf32>)
  return %g#0, %g#1 : tensor<2xf32>, tensor<2x4xf32>
}

// -----

// CHECK-LABEL: func.func @slices_that_cover
// CHECK-NOT:     keratin.select
// CHECK:         return
func.func @slices_that_cover(%x: tensor<2x?xf32, #keratin.dims<2, d0 + 3>>) -> tensor<2x?xf32, #keratin.dims<2, d0 + 3>> {
  %0 = keratin.log %x : (tensor<2x?xf32, #keratin.dims<2, d0 + 3>>) -> tensor<2x?xf32, #keratin.dims<2, d0 + 3>>
  %1 = keratin.slice %0 starts = <0, 0> strides = [1, 1] : (tensor<2x?xf32, #keratin.dims<2, d0 + 3>>) -> tensor<2x?xf32, #keratin.dims<2, d0>>
  %2 = keratin.slice %0 starts = <0, d0> strides = [1, 1] : (tensor<2x?xf32, #keratin.dims<2, d0 + 3>>) -> tensor<2x3xf32>
  %3 = keratin.reduce_sum %1 axes = [0, 1] : (tensor<2x?xf32, #keratin.dims<2, d0>>) -> tensor<f32>
  %4 = keratin.reduce_sum %2 axes = [0, 1] : (tensor<2x3xf32>) -> tensor<f32>
  %5 = keratin.add %3, %4 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %g = keratin.gradients %5 wrt %x : (tensor<f32>, tensor<2x?xf32, #keratin.dims<2, d0 + 3>>) -> tensor<2x?xf32, #keratin.dims<2, d0 + 3>>
  return %g : tensor<2x?xf32, #keratin.dims<2, d0 + 3>>
}

// -----

// One element is missing, and of the third part nobody asks for a gradient.
// CHECK-LABEL: func.func @slices_that_do_not_cover
// CHECK-COUNT-2: keratin.select
// CHECK-NOT:     keratin.select
func.func @slices_that_do_not_cover(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = keratin.log %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = keratin.slice %0 starts = <0> strides = [1] : (tensor<4xf32>) -> tensor<1xf32>
  %2 = keratin.slice %0 starts = <2> strides = [1] : (tensor<4xf32>) -> tensor<2xf32>
  %3 = keratin.reduce_sum %1 axes = [0] : (tensor<1xf32>) -> tensor<f32>
  %4 = keratin.reduce_sum %2 axes = [0] : (tensor<2xf32>) -> tensor<f32>
  %5 = keratin.log %y : (tensor<4xf32>) -> tensor<4xf32>
  %6 = keratin.slice %5 starts = <0> strides = [1] : (tensor<4xf32>) -> tensor<2xf32>
  %7 = keratin.slice %5 starts = <2> strides = [1] : (tensor<4xf32>) -> tensor<2xf32>
  %8 = keratin.stop_gradient %7 : (tensor<2xf32>) -> tensor<2xf32>
  %9 = keratin.mul %6, %8 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %10 = keratin.reduce_sum %9 axes = [0] : (tensor<2xf32>) -> tensor<f32>
  %11 = keratin.add %3, %4 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %12 = keratin.add %11, %10 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %g:2 = keratin.gradients %12 wrt %x, %y : (tensor<f32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %g#0, %g#1 : tensor<4xf32>, tensor<4xf32>
}
