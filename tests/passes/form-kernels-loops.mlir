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

// -----

// A step over a few elements is one kernel, though its states have nothing to do with each other.
// CHECK-LABEL: func.func @one_kernel_a_step
// CHECK:         keratin.scan
// CHECK:           %[[K:.*]]:2 = keratin.kernel(
// CHECK:             keratin.exp
// CHECK:             keratin.tanh
// CHECK:           keratin.yield %[[K]]#{{[01]}}, %[[K]]#{{[01]}}
func.func @one_kernel_a_step(%a: tensor<1x8xf32>, %b: tensor<8xf32>) -> (tensor<1x8xf32>, tensor<8xf32>) {
  %l:2 = keratin.scan length = #keratin.dims<5> init(%a, %b) over() with() : (tensor<1x8xf32>, tensor<8xf32>) -> (tensor<1x8xf32>, tensor<8xf32>) {
  ^bb0(%t: tensor<i64>, %s: tensor<1x8xf32>, %u: tensor<8xf32>):
    %0 = keratin.exp %s : (tensor<1x8xf32>) -> tensor<1x8xf32>
    %1 = keratin.tanh %u : (tensor<8xf32>) -> tensor<8xf32>
    keratin.yield %0, %1 : tensor<1x8xf32>, tensor<8xf32>
  }
  return %l#0, %l#1 : tensor<1x8xf32>, tensor<8xf32>
}

// -----

// Not where there is a kernel between the two, which reads one and is read by the other.
// CHECK-LABEL: func.func @no_join_around_another
// CHECK:         keratin.scan
// CHECK:           %[[A:.*]] = keratin.kernel(
// CHECK:             keratin.exp
// CHECK:           %[[B:.*]] = keratin.kernel(%[[A]])
// CHECK:             keratin.cumsum
// CHECK:           %[[C:.*]] = keratin.kernel(%[[B]])
// CHECK:             keratin.tanh
func.func @no_join_around_another(%a: tensor<8xf32>) -> tensor<8xf32> {
  %l = keratin.scan length = #keratin.dims<5> init(%a) over() with() : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<8xf32>):
    %0 = keratin.exp %s : (tensor<8xf32>) -> tensor<8xf32>
    %1 = keratin.cumsum %0 {axis = 0 : i64} : (tensor<8xf32>) -> tensor<8xf32>
    %2 = keratin.tanh %1 : (tensor<8xf32>) -> tensor<8xf32>
    keratin.yield %2 : tensor<8xf32>
  }
  return %l : tensor<8xf32>
}

// -----

// Elements of other shapes, and many of them, keep kernels of their own.
// CHECK-LABEL: func.func @no_join_of_other_shapes
// CHECK:         keratin.scan
// CHECK:           keratin.kernel(
// CHECK:           keratin.kernel(
// CHECK:         keratin.scan
// CHECK:           keratin.kernel(
// CHECK:           keratin.kernel(
func.func @no_join_of_other_shapes(%a: tensor<8xf32>, %b: tensor<9xf32>, %c: tensor<2000xf32>, %d: tensor<2000xf32>) -> (tensor<8xf32>, tensor<9xf32>) {
  %l:2 = keratin.scan length = #keratin.dims<5> init(%a, %b) over() with() : (tensor<8xf32>, tensor<9xf32>) -> (tensor<8xf32>, tensor<9xf32>) {
  ^bb0(%t: tensor<i64>, %s: tensor<8xf32>, %u: tensor<9xf32>):
    %0 = keratin.exp %s : (tensor<8xf32>) -> tensor<8xf32>
    %1 = keratin.tanh %u : (tensor<9xf32>) -> tensor<9xf32>
    keratin.yield %0, %1 : tensor<8xf32>, tensor<9xf32>
  }
  %m:2 = keratin.scan length = #keratin.dims<5> init(%c, %d) over() with() : (tensor<2000xf32>, tensor<2000xf32>) -> (tensor<2000xf32>, tensor<2000xf32>) {
  ^bb0(%t: tensor<i64>, %s: tensor<2000xf32>, %u: tensor<2000xf32>):
    %0 = keratin.exp %s : (tensor<2000xf32>) -> tensor<2000xf32>
    %1 = keratin.tanh %u : (tensor<2000xf32>) -> tensor<2000xf32>
    keratin.yield %0, %1 : tensor<2000xf32>, tensor<2000xf32>
  }
  return %l#0, %l#1 : tensor<8xf32>, tensor<9xf32>
}

// -----

// Rows that only loops read are read where they are, under whatever shape; others are copied by the kernel that reads them.
// CHECK-LABEL: func.func @rows
// CHECK-SAME:    (%[[X:.*]]: tensor<13x4xf32>, %[[H:.*]]: tensor<4xf32>)
// CHECK-DAG:     %[[A:.*]] = keratin.slice %[[X]] starts = <1, 0>
// CHECK-DAG:     %[[B:.*]] = keratin.reshape %[[A]] : (tensor<12x4xf32>) -> tensor<6x2x4xf32>
// CHECK:         keratin.scan length = <6> init(%[[H]]) over(%[[B]])
// CHECK:         %[[D:.*]] = keratin.kernel(%[[X]])
// CHECK:           keratin.slice {{.*}} starts = <0, 1>
// CHECK:         keratin.kernel(%[[X]])
// CHECK:           keratin.slice {{.*}} starts = <0, 0>
// CHECK:         keratin.scan length = <13> init({{.*}}) over(%[[D]])
func.func @rows(%x: tensor<13x4xf32>, %h: tensor<4xf32>) -> (tensor<4xf32>, tensor<2x4xf32>, tensor<3xf32>) {
  %a = keratin.slice %x starts = <1, 0> strides = [1, 1] : (tensor<13x4xf32>) -> tensor<12x4xf32>
  %b = keratin.reshape %a : (tensor<12x4xf32>) -> tensor<6x2x4xf32>
  %y = keratin.scan length = <6> init(%h) over(%b) with() : (tensor<4xf32>, tensor<6x2x4xf32>) -> tensor<4xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<4xf32>, %e: tensor<2x4xf32>):
    %0 = keratin.reduce_sum %e axes = [0] : (tensor<2x4xf32>) -> tensor<4xf32>
    %1 = keratin.mul %s, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %1 : tensor<4xf32>
  }
  %c = keratin.slice %x starts = <0, 0> strides = [1, 1] : (tensor<13x4xf32>) -> tensor<2x4xf32>
  %d = keratin.slice %x starts = <0, 1> strides = [1, 1] : (tensor<13x4xf32>) -> tensor<13x3xf32>
  %first = keratin.slice %h starts = <1> strides = [1] : (tensor<4xf32>) -> tensor<3xf32>
  %z = keratin.scan length = <13> init(%first) over(%d) with() : (tensor<3xf32>, tensor<13x3xf32>) -> tensor<3xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<3xf32>, %e: tensor<3xf32>):
    %0 = keratin.mul %s, %e : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    keratin.yield %0 : tensor<3xf32>
  }
  %e = keratin.exp %c : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %y, %e, %z : tensor<4xf32>, tensor<2x4xf32>, tensor<3xf32>
}
