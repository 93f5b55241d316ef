// RUN: keratin-opt %s --keratin-eliminate-common-subexpressions | FileCheck %s

// CHECK-LABEL: func.func @equal_values_are_computed_once
// CHECK-SAME:  (%[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>)
// CHECK-NEXT:    %[[S:.*]] = keratin.add %[[X]], %[[Y]]
// CHECK-NEXT:    %[[R:.*]] = keratin.mul %[[S]], %[[S]]
// CHECK-NEXT:    return %[[R]]
func.func @equal_values_are_computed_once(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = keratin.add %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = keratin.add %y, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = keratin.mul %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// CHECK-LABEL: func.func @attributes_make_a_difference
// CHECK:         keratin.reduce_sum %{{.*}} axes = [0]
// CHECK:         keratin.reduce_sum %{{.*}} axes = [1]
func.func @attributes_make_a_difference(%x: tensor<4x4xf32>) -> tensor<4xf32> {
  %0 = keratin.reduce_sum %x axes = [0] : (tensor<4x4xf32>) -> tensor<4xf32>
  %1 = keratin.reduce_sum %x axes = [1] : (tensor<4x4xf32>) -> tensor<4xf32>
  %2 = keratin.sub %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// CHECK-LABEL: func.func @random_numbers_differ_by_seed
// CHECK-COUNT-2: keratin.random_bits
// CHECK-NOT:     keratin.random_bits
// CHECK:         return
func.func @random_numbers_differ_by_seed(%draw: tensor<i64>) -> tensor<4xui32> {
  %0 = "keratin.random_bits"(%draw) {seed = 1 : i64} : (tensor<i64>) -> tensor<4xui32>
  %1 = "keratin.random_bits"(%draw) {seed = 1 : i64} : (tensor<i64>) -> tensor<4xui32>
  %2 = "keratin.random_bits"(%draw) {seed = 2 : i64} : (tensor<i64>) -> tensor<4xui32>
  %3 = keratin.add %0, %1 : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
  %4 = keratin.add %3, %2 : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
  return %4 : tensor<4xui32>
}

// CHECK-LABEL: func.func @dead_chain_is_removed
// CHECK-NEXT:    return
func.func @dead_chain_is_removed(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = keratin.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = keratin.log %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = keratin.sin %1 : (tensor<4xf32>) -> tensor<4xf32>
  return %x : tensor<4xf32>
}

// CHECK-LABEL: func.func @print_stays
// CHECK-COUNT-2: keratin.print "x"
func.func @print_stays(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = keratin.print "x" %x : tensor<4xf32>
  %1 = keratin.print "x" %x : tensor<4xf32>
  return %x : tensor<4xf32>
}

// %3 is %1, the factor of %0; merged, it would be %0 + %1.
// CHECK-LABEL: func.func @values_that_gradients_are_taken_of_are_not_merged
// CHECK:         %[[E:.*]] = keratin.exp
// CHECK-NEXT:    %[[A:.*]] = keratin.identity %[[E]]
// CHECK-NEXT:    %[[M:.*]] = keratin.mul %[[A]], %[[E]]
// CHECK-NEXT:    keratin.gradients %{{.*}} wrt %[[A]]
// CHECK-NOT:     keratin.variable
func.func @values_that_gradients_are_taken_of_are_not_merged(%x: tensor<f32>) -> tensor<f32> {
  %0 = keratin.exp %x : (tensor<f32>) -> tensor<f32>
  %1 = keratin.exp %x : (tensor<f32>) -> tensor<f32>
  %2 = keratin.mul %0, %1 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %3 = keratin.gradients %2 wrt %0 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %3 : tensor<f32>
}

// CHECK-LABEL: func.func @equal_loops_are_run_once
// CHECK:         %[[L:.*]] = keratin.scan
// CHECK:           keratin.tanh
// CHECK-NOT:       keratin.tanh
// CHECK:           keratin.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    keratin.mul %[[L]], %[[L]]
func.func @equal_loops_are_run_once(%h: tensor<4xf32>) -> tensor<4xf32> {
  %0 = keratin.scan length = #keratin.dims<d0> init(%h) over() with() : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<4xf32>):
    %3 = keratin.tanh %s : (tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %3 : tensor<4xf32>
  }
  %1 = keratin.scan length = #keratin.dims<d0> init(%h) over() with() : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<4xf32>):
    %3 = keratin.tanh %s : (tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %3 : tensor<4xf32>
  }
  %2 = keratin.mul %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
