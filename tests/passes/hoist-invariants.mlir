// RUN: keratin-opt %s --keratin-hoist-invariants | FileCheck %s

// CHECK-LABEL: func.func @what_captures_say_leaves
// CHECK-SAME:  (%[[H:[a-z0-9]+]]: tensor<2x4xf32>, %[[W:[a-z0-9]+]]: tensor<4x4xf32>)
// CHECK-NEXT:    %[[E:.*]] = keratin.exp %[[W]]
// CHECK-NEXT:    keratin.scan length = <d0> init(%[[H]]) over() with(%[[E]])
// CHECK-NOT:       keratin.exp
// CHECK:         return
func.func @what_captures_say_leaves(%h: tensor<2x4xf32>, %w: tensor<4x4xf32>) -> tensor<2x4xf32> {
  %0 = keratin.scan length = #keratin.dims<d0> init(%h) over() with(%w) : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<2x4xf32>, %v: tensor<4x4xf32>):
    %1 = keratin.exp %v : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %2 = keratin.dot_general %s, %1 batch = [] x [] contract = [1] x [0] : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
    keratin.yield %2 : tensor<2x4xf32>
  }
  return %0 : tensor<2x4xf32>
}

// Each element of the mask is compared in less time than it is read; the vector is squared in no more.
// CHECK-LABEL: func.func @cheap_arithmetic_leaves_if_it_reads_as_much
// CHECK:         %[[Q:.*]] = keratin.mul
// CHECK-NEXT:    keratin.scan length = <d0> init(%{{[a-z0-9]+}}) over() with(%[[Q]])
// CHECK:           keratin.compare
// CHECK:           keratin.select
func.func @cheap_arithmetic_leaves_if_it_reads_as_much(%h: tensor<8x4xf32>, %b: tensor<4xf32>) -> tensor<8x4xf32> {
  %0 = keratin.scan length = #keratin.dims<d0> init(%h) over() with(%b) : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<8x4xf32>, %v: tensor<4xf32>):
    %1 = keratin.mul %v, %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %2 = keratin.broadcast %1 dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
    %3 = keratin.iota {axis = 0 : i64} : tensor<8x4xi32>
    %4 = keratin.iota {axis = 1 : i64} : tensor<8x4xi32>
    %5 = keratin.compare lt %3, %4 : (tensor<8x4xi32>, tensor<8x4xi32>) -> tensor<8x4xi1>
    %6 = keratin.select %5, %2, %s : (tensor<8x4xi1>, tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    keratin.yield %6 : tensor<8x4xf32>
  }
  return %0 : tensor<8x4xf32>
}

// An index out of range is an error only if there is a step that reads it.
// CHECK-LABEL: func.func @what_may_fail_leaves_a_loop_with_steps_only
// CHECK-NOT:     keratin.gather
// CHECK:         keratin.scan length = <d0>
// CHECK:           keratin.gather
// CHECK:         keratin.gather
// CHECK-NEXT:    keratin.scan length = <3>
// CHECK-NOT:       keratin.gather
// CHECK:         return
func.func @what_may_fail_leaves_a_loop_with_steps_only(%h: tensor<2xf32>, %w: tensor<9xf32>, %i: tensor<2xi32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = keratin.scan length = #keratin.dims<d0> init(%h) over() with(%w, %i) : (tensor<2xf32>, tensor<9xf32>, tensor<2xi32>) -> tensor<2xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<2xf32>, %v: tensor<9xf32>, %n: tensor<2xi32>):
    %2 = keratin.gather %v, %n : (tensor<9xf32>, tensor<2xi32>) -> tensor<2xf32>
    %3 = keratin.add %s, %2 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    keratin.yield %3 : tensor<2xf32>
  }
  %1 = keratin.scan length = #keratin.dims<3> init(%h) over() with(%w, %i) : (tensor<2xf32>, tensor<9xf32>, tensor<2xi32>) -> tensor<2xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<2xf32>, %v: tensor<9xf32>, %n: tensor<2xi32>):
    %2 = keratin.gather %v, %n : (tensor<9xf32>, tensor<2xi32>) -> tensor<2xf32>
    %3 = keratin.add %s, %2 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    keratin.yield %3 : tensor<2xf32>
  }
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}

// The inner loop is the same in each step of the outer one; its exponential leaves both.
// CHECK-LABEL: func.func @loops_leave_loops
// CHECK-NEXT:    keratin.exp
// CHECK-NEXT:    %[[I:.*]] = keratin.scan length = <d1>
// CHECK:         keratin.scan length = <d0> init(%{{[a-z0-9]+}}) over() with(%[[I]])
// CHECK-NOT:     keratin.scan
// CHECK:         return
func.func @loops_leave_loops(%h: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  %0 = keratin.scan length = #keratin.dims<d0> init(%h) over() with(%w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<4xf32>, %v: tensor<4xf32>):
    %1 = keratin.scan length = #keratin.dims<d1> reverse init(%v) over() with(%v) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%u: tensor<i64>, %a: tensor<4xf32>, %b: tensor<4xf32>):
      %3 = keratin.exp %b : (tensor<4xf32>) -> tensor<4xf32>
      %4 = keratin.mul %a, %3 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      keratin.yield %4 : tensor<4xf32>
    }
    %2 = keratin.add %s, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %2 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @a_print_stays
// CHECK:         keratin.scan
// CHECK:           keratin.print
func.func @a_print_stays(%h: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  %0 = keratin.scan length = #keratin.dims<d0> init(%h) over() with(%w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<4xf32>, %v: tensor<4xf32>):
    %1 = keratin.print "w" %v : tensor<4xf32>
    %2 = keratin.add %s, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %2 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// Out of a loop that ends when it likes, too.
// CHECK-LABEL: func.func @open_loop
// CHECK:         %[[E:.*]] = keratin.exp %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
// CHECK:         keratin.while init(%{{.*}}, %{{.*}}) with(%[[E]])
// CHECK-NOT:       keratin.exp
// CHECK:           keratin.yield
func.func @open_loop(%go: tensor<i1>, %x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  %y:3 = keratin.while init(%go, %x) with(%w) : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> (tensor<i1>, tensor<4xf32>, tensor<i64>) {
  ^bb0(%t: tensor<i64>, %flag: tensor<i1>, %s: tensor<4xf32>, %c: tensor<4xf32>):
    %most = keratin.constant dense<9> : tensor<i64>
    %again = keratin.compare lt %t, %most : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %e = keratin.exp %c : (tensor<4xf32>) -> tensor<4xf32>
    %n = keratin.mul %s, %e : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %again, %n : tensor<i1>, tensor<4xf32>
  }
  return %y#1 : tensor<4xf32>
}
