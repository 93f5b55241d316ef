// RUN: keratin-opt %s --keratin-form-kernels --split-input-file | FileCheck %s

// Each region has kernels of its own; loops and branches stand between kernels.
// CHECK-LABEL: func.func @loop_between_kernels
// CHECK:         %[[B:.*]] = keratin.kernel(%{{.*}}) :
// CHECK:           keratin.exp
// CHECK:           keratin.neg
// CHECK:         %[[L:.*]]:2 = keratin.scan length = <5> init(%{{.*}}) over(%[[B]]) with()
// CHECK-NEXT:    ^bb0(%{{.*}}: tensor<i64>, %[[S:.*]]: tensor<4xf32>, %[[E:.*]]: tensor<4xf32>):
// CHECK-NEXT:      %[[K:.*]]:2 = keratin.kernel(%[[S]], %[[E]])
// CHECK:             keratin.mul
// CHECK:             keratin.tanh
// CHECK:             keratin.yield
// CHECK:           keratin.yield %[[K]]#{{[01]}}, %[[K]]#{{[01]}}
// CHECK:         keratin.kernel(%[[L]]#1)
// CHECK:           keratin.abs
func.func @loop_between_kernels(%h: tensor<4xf32>, %x: tensor<5x4xf32>) -> (tensor<4xf32>, tensor<5x4xf32>) {
  %a = keratin.exp %x : (tensor<5x4xf32>) -> tensor<5x4xf32>
  %b = keratin.neg %a : (tensor<5x4xf32>) -> tensor<5x4xf32>
  %l:2 = keratin.scan length = #keratin.dims<5> init(%h) over(%b) with() : (tensor<4xf32>, tensor<5x4xf32>) -> (tensor<4xf32>, tensor<5x4xf32>) {
  ^bb0(%t: tensor<i64>, %s: tensor<4xf32>, %e: tensor<4xf32>):
    %0 = keratin.mul %s, %e : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = keratin.tanh %0 : (tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %1, %0 : tensor<4xf32>, tensor<4xf32>
  }
  %c = keratin.abs %l#1 : (tensor<5x4xf32>) -> tensor<5x4xf32>
  return %l#0, %c : tensor<4xf32>, tensor<5x4xf32>
}

// -----

// What a loop reads or returns is in memory: broadcasts are computed, views and constants stay as they are.
// CHECK-LABEL: func.func @operands_in_memory
// CHECK:         %[[K:.*]] = keratin.kernel(
// CHECK:           keratin.broadcast
// CHECK-DAG:     %[[C:.*]] = keratin.constant
// CHECK-DAG:     %[[V:.*]] = keratin.reshape
// CHECK:         keratin.if %{{.*}} with(%[[K]], %[[V]], %[[C]])
// CHECK:         ^bb0(%[[A:.*]]: tensor<2x3xf32>, %[[W:.*]]: tensor<2x3xf32>, %{{.*}}: tensor<2x3xf32>):
// CHECK-NEXT:      %[[SUM:.*]] = keratin.kernel(
// CHECK:           keratin.yield %[[SUM]]
// CHECK:         } else {
// CHECK:           %[[VIEW:.*]] = keratin.reshape
// CHECK:           %[[SQUARE:.*]] = keratin.kernel(%[[VIEW]])
// CHECK:           %[[BACK:.*]] = keratin.reshape %[[SQUARE]]
// CHECK:           keratin.yield %[[BACK]]
func.func @operands_in_memory(%c: tensor<i1>, %x: tensor<6xf32>, %y: tensor<3xf32>) -> tensor<2x3xf32> {
  %k = keratin.constant dense<1.5> : tensor<2x3xf32>
  %v = keratin.reshape %x : (tensor<6xf32>) -> tensor<2x3xf32>
  %b = keratin.broadcast %y dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
  %r = keratin.if %c with(%b, %v, %k) : (tensor<i1>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32> {
  ^bb0(%p: tensor<2x3xf32>, %q: tensor<2x3xf32>, %s: tensor<2x3xf32>):
    %0 = keratin.add %p, %q : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %1 = keratin.mul %0, %s : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    keratin.yield %1 : tensor<2x3xf32>
  } else {
  ^bb0(%p: tensor<2x3xf32>, %q: tensor<2x3xf32>, %s: tensor<2x3xf32>):
    %0 = keratin.reshape %p : (tensor<2x3xf32>) -> tensor<6xf32>
    %1 = keratin.mul %0, %0 : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %2 = keratin.reshape %1 : (tensor<6xf32>) -> tensor<2x3xf32>
    keratin.yield %2 : tensor<2x3xf32>
  }
  return %r : tensor<2x3xf32>
}

// -----

// A state that is stacked as it was before the step is copied by the kernel that changes it; a capture that nobody
// reads element by element has a kernel of its own.
// CHECK-LABEL: func.func @stacks_state_before_step
// CHECK:         keratin.scan
// CHECK-NEXT:    ^bb0(%{{.*}}: tensor<i64>, %[[S:.*]]: tensor<4xf32>, %[[C:.*]]: tensor<2xf32>):
// CHECK:           %[[K:.*]]:2 = keratin.kernel(%[[S]])
// CHECK:             %[[NEXT:.*]] = keratin.exp
// CHECK:             %[[BEFORE:.*]] = keratin.identity
// CHECK:             keratin.yield %[[NEXT]], %[[BEFORE]]
// CHECK:           %[[COPY:.*]] = keratin.kernel(%[[C]])
// CHECK:           keratin.yield %[[K]]#0, %[[K]]#1, %[[COPY]]
func.func @stacks_state_before_step(%h: tensor<4xf32>, %c: tensor<2xf32>) -> (tensor<4xf32>, tensor<5x4xf32>, tensor<5x2xf32>) {
  %l:3 = keratin.scan length = #keratin.dims<5> init(%h) over() with(%c) : (tensor<4xf32>, tensor<2xf32>) -> (tensor<4xf32>, tensor<5x4xf32>, tensor<5x2xf32>) {
  ^bb0(%t: tensor<i64>, %s: tensor<4xf32>, %k: tensor<2xf32>):
    %0 = keratin.exp %s : (tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %0, %s, %k : tensor<4xf32>, tensor<4xf32>, tensor<2xf32>
  }
  return %l#0, %l#1, %l#2 : tensor<4xf32>, tensor<5x4xf32>, tensor<5x2xf32>
}
