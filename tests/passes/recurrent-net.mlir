// RUN: keratin-opt %s --keratin-pipeline=stop-after=simplified | FileCheck %s

// All that is done for loops, on a net with a layer behind the cell, and its gradients: each loop is left with the one product that needs
// the step before it. Batch and time are unknown.
// CHECK-LABEL: func.func @train
// CHECK-SAME:  (%[[X:[a-z0-9]+]]: tensor<?x?x3xf32, #keratin.dims<d0, d1, 3>>, %[[H:[a-z0-9]+]]: tensor<?x4xf32, #keratin.dims<d1, 4>>, %[[W:[a-z0-9]+]]: tensor<3x4xf32>, %[[U:[a-z0-9]+]]: tensor<4x4xf32>, %[[B:[a-z0-9]+]]: tensor<4xf32>, %[[V:[a-z0-9]+]]: tensor<4x2xf32>)
// CHECK:         keratin.dot_general %[[X]], %[[W]] batch = [] x [] contract = [2] x [0]
// CHECK:         %[[F:.*]]:3 = keratin.scan length = <d0> init(%[[H]]) over(%{{[a-z0-9]+}}) with(%[[U]])
// CHECK:           keratin.dot_general
// CHECK-NOT:       keratin.dot_general
// CHECK:           keratin.yield
// CHECK:         keratin.dot_general %[[F]]#2, %[[V]] batch = [] x [] contract = [2] x [0]
// CHECK:         %[[D:.*]] = keratin.dot_general %{{.*}}, %[[V]] batch = [] x [] contract = [2] x [1]
// CHECK:         %[[R:.*]]:2 = keratin.scan length = <d0> reverse init(%{{[a-z0-9]+}}) over(%[[F]]#2, %[[D]]) with(%[[U]])
// CHECK:           keratin.dot_general
// CHECK-NOT:       keratin.dot_general
// CHECK:           keratin.yield
// CHECK-NOT:     keratin.scan
// CHECK:         keratin.reduce_sum %[[R]]#1 axes = [0, 1]
// CHECK:         keratin.dot_general %[[X]], %[[R]]#1 batch = [] x [] contract = [0, 1] x [0, 1]
// CHECK:         keratin.dot_general %[[F]]#1, %[[R]]#1 batch = [] x [] contract = [0, 1] x [0, 1]
// CHECK:         keratin.dot_general %[[F]]#2, %{{.*}} batch = [] x [] contract = [0, 1] x [0, 1]
func.func @train(%x: tensor<?x?x3xf32, #keratin.dims<d0, d1, 3>>, %h: tensor<?x4xf32, #keratin.dims<d1, 4>>, %w: tensor<3x4xf32>, %u: tensor<4x4xf32>, %b: tensor<4xf32>, %v: tensor<4x2xf32>)
    -> (tensor<f32>, tensor<3x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4x2xf32>) {
  %0:2 = keratin.scan length = #keratin.dims<d0> init(%h) over(%x) with(%w, %u, %b, %v)
      : (tensor<?x4xf32, #keratin.dims<d1, 4>>, tensor<?x?x3xf32, #keratin.dims<d0, d1, 3>>, tensor<3x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4x2xf32>) -> (tensor<?x4xf32, #keratin.dims<d1, 4>>, tensor<?x?x2xf32, #keratin.dims<d0, d1, 2>>) {
  ^bb0(%t: tensor<i64>, %s: tensor<?x4xf32, #keratin.dims<d1, 4>>, %e: tensor<?x3xf32, #keratin.dims<d1, 3>>, %p: tensor<3x4xf32>, %q: tensor<4x4xf32>, %c: tensor<4xf32>, %o: tensor<4x2xf32>):
    %1 = keratin.dot_general %e, %p batch = [] x [] contract = [1] x [0] : (tensor<?x3xf32, #keratin.dims<d1, 3>>, tensor<3x4xf32>) -> tensor<?x4xf32, #keratin.dims<d1, 4>>
    %2 = keratin.broadcast %c dims = [1] : (tensor<4xf32>) -> tensor<?x4xf32, #keratin.dims<d1, 4>>
    %3 = keratin.add %1, %2 : (tensor<?x4xf32, #keratin.dims<d1, 4>>, tensor<?x4xf32, #keratin.dims<d1, 4>>) -> tensor<?x4xf32, #keratin.dims<d1, 4>>
    %4 = keratin.dot_general %s, %q batch = [] x [] contract = [1] x [0] : (tensor<?x4xf32, #keratin.dims<d1, 4>>, tensor<4x4xf32>) -> tensor<?x4xf32, #keratin.dims<d1, 4>>
    %5 = keratin.add %3, %4 : (tensor<?x4xf32, #keratin.dims<d1, 4>>, tensor<?x4xf32, #keratin.dims<d1, 4>>) -> tensor<?x4xf32, #keratin.dims<d1, 4>>
    %6 = keratin.tanh %5 : (tensor<?x4xf32, #keratin.dims<d1, 4>>) -> tensor<?x4xf32, #keratin.dims<d1, 4>>
    %7 = keratin.dot_general %6, %o batch = [] x [] contract = [1] x [0] : (tensor<?x4xf32, #keratin.dims<d1, 4>>, tensor<4x2xf32>) -> tensor<?x2xf32, #keratin.dims<d1, 2>>
    keratin.yield %6, %7 : tensor<?x4xf32, #keratin.dims<d1, 4>>, tensor<?x2xf32, #keratin.dims<d1, 2>>
  }
  %8 = keratin.mul %0#1, %0#1 : (tensor<?x?x2xf32, #keratin.dims<d0, d1, 2>>, tensor<?x?x2xf32, #keratin.dims<d0, d1, 2>>) -> tensor<?x?x2xf32, #keratin.dims<d0, d1, 2>>
  %l = keratin.reduce_sum %8 axes = [0, 1, 2] : (tensor<?x?x2xf32, #keratin.dims<d0, d1, 2>>) -> tensor<f32>
  %g:4 = keratin.gradients %l wrt %w, %u, %b, %v : (tensor<f32>, tensor<3x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4x2xf32>) -> (tensor<3x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4x2xf32>)
  return %l, %g#0, %g#1, %g#2, %g#3 : tensor<f32>, tensor<3x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4x2xf32>
}
