// RUN: keratin-opt %s --split-input-file --keratin-check-numbers --keratin-eliminate-common-subexpressions | FileCheck %s

// What the function returns comes first; then, where a kernel has met with something, all of it once more.
// CHECK-LABEL: func.func @log_of_a_sum
// CHECK-SAME:    attributes {keratin.check_numbers}
// CHECK:         %[[SUM:.*]] = keratin.add %arg0, %arg1
// CHECK:         %[[LOG:.*]] = keratin.log %[[SUM]]
// CHECK:         %[[SUSPECT:.*]] = keratin.suspect_numbers %[[LOG]]
// CHECK:         keratin.if %[[SUSPECT]] with(%arg0, %arg1)
// CHECK:         ^bb0(%[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<4xf32>):
// CHECK:           %[[SUM2:.*]] = keratin.add %[[A]], %[[B]]
// CHECK:           keratin.check_numbers elementwise "add" 0 %[[SUM2]] of %[[A]], %[[B]]
// CHECK:           %[[LOG2:.*]] = keratin.log %[[SUM2]]
// CHECK:           keratin.check_numbers elementwise "log" 1 %[[LOG2]] of %[[SUM2]]
// CHECK:           keratin.check_numbers fed "input 'x'" 2 %[[A]] of %[[LOG2]]
// CHECK:           keratin.check_numbers fed "variable 'w'" 3 %[[B]] of %[[LOG2]]
// CHECK:         } else {
// CHECK-NOT:       keratin.check_numbers
// CHECK:         return %[[LOG]]
func.func @log_of_a_sum(%x: tensor<4xf32> {keratin.kind = "input", keratin.name = "x"},
                        %w: tensor<4xf32> {keratin.kind = "variable", keratin.name = "w"}) -> tensor<4xf32> {
  %0 = keratin.add %x, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = keratin.log %0 : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// What is the same for all elements is read where it stands alone.
// CHECK-LABEL: func.func @operands_that_cost_nothing
// CHECK:           keratin.check_numbers elementwise "mul" 0 %{{.*}} of %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>)
// CHECK:           keratin.check_numbers elementwise "div" 1 %{{.*}} of %{{.*}}, %[[S:.*]] : (tensor<4xf32>, tensor<4xf32>, tensor<f32>)
func.func @operands_that_cost_nothing(%x: tensor<4xf32>, %s: tensor<f32>) -> tensor<4xf32> {
  %c = keratin.constant dense<2.0> : tensor<4xf32>
  %0 = keratin.mul %x, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %b = keratin.broadcast %s dims = [] : (tensor<f32>) -> tensor<4xf32>
  %1 = keratin.div %0, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @nothing_is_computed
// CHECK-NOT:     check_numbers elementwise
// CHECK-NOT:     check_numbers mixing
func.func @nothing_is_computed(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<f32> {
  %c = keratin.constant dense<[0xFF800000, 1.0, 2.0, 3.0]> : tensor<4xf32>
  %0 = keratin.maximum %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = keratin.minimum %0, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = keratin.reduce_max %1 axes = [0] : (tensor<4xf32>) -> tensor<f32>
  return %2 : tensor<f32>
}

// -----

// CHECK-LABEL: func.func @counts_where_it_is_taken
// CHECK:         keratin.if
// CHECK:           %[[TAKEN:.*]] = keratin.compare
// CHECK:           %[[LEFT:.*]] = keratin.not %[[TAKEN]]
// CHECK-DAG:       keratin.check_numbers elementwise "log" 0 %{{.*}} of %{{.*}} counts %[[TAKEN]]
// CHECK-DAG:       keratin.check_numbers elementwise "exp" 1 %{{.*}} of %{{.*}} counts %[[LEFT]]
func.func @counts_where_it_is_taken(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = keratin.constant dense<0.0> : tensor<4xf32>
  %c = keratin.compare gt %x, %zero : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %0 = keratin.log %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = keratin.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %2 = keratin.select %c, %0, %1 : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// Returned as well, so each element counts.
// CHECK-LABEL: func.func @counts_everywhere_with_another_user
// CHECK:           keratin.check_numbers elementwise "log" 0 %{{.*}} of %{{[^ ]*}} :
func.func @counts_everywhere_with_another_user(%x: tensor<4xf32>, %c: tensor<4xi1>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = keratin.log %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = keratin.select %c, %0, %x : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Who asks what kind of number it is does not use it.
// CHECK-LABEL: func.func @nan_that_is_replaced
// CHECK:         keratin.if
// CHECK:           %[[NAN:.*]] = keratin.compare
// CHECK:           %[[NUMBER:.*]] = keratin.not %[[NAN]]
// CHECK:           keratin.check_numbers elementwise "div" 0 %{{.*}} counts %[[NUMBER]]
func.func @nan_that_is_replaced(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %zero = keratin.constant dense<0.0> : tensor<4xf32>
  %0 = keratin.div %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = keratin.compare ne %0, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %2 = keratin.select %1, %zero, %0 : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// What a sum adds up counts where somebody takes the sum.
// CHECK-LABEL: func.func @counts_through_a_sum
// CHECK:           %[[ROWS:.*]] = keratin.broadcast %{{.*}} dims = [0] : (tensor<2xi1>) -> tensor<2x3xi1>
// CHECK-DAG:       keratin.check_numbers elementwise "log" 0 %{{.*}} counts %[[ROWS]]
// CHECK-DAG:       keratin.check_numbers mixing "sum" 1
func.func @counts_through_a_sum(%x: tensor<2x3xf32>, %c: tensor<2xi1>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %0 = keratin.log %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = keratin.reduce_sum %0 axes = [1] : (tensor<2x3xf32>) -> tensor<2xf32>
  %2 = keratin.select %c, %1, %y : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %2 : tensor<2xf32>
}

// -----

// CHECK-LABEL: func.func @step_of_a_loop
// CHECK:         keratin.if
// CHECK:           keratin.scan
// CHECK:           ^bb0(%[[STEP:.*]]: tensor<i64>
// CHECK:             keratin.check_numbers elementwise "exp" 0 %{{.*}} at %[[STEP]]
// CHECK-NOT:       keratin.check_numbers mixing
func.func @step_of_a_loop(%x: tensor<f32>) -> tensor<f32> {
  %last = keratin.scan length = #keratin.dims<5> init(%x) over() with() : (tensor<f32>) -> tensor<f32> {
  ^bb0(%t: tensor<i64>, %s: tensor<f32>):
    %0 = keratin.exp %s : (tensor<f32>) -> tensor<f32>
    keratin.yield %0 : tensor<f32>
  }
  return %last : tensor<f32>
}

// -----

// The number of steps is known the second time.
// CHECK-LABEL: func.func @while_becomes_scan
// CHECK:         %[[W:.*]]:4 = keratin.while length = <d0>
// CHECK:         keratin.define_size 0 %[[W]]#2
// CHECK:         keratin.if %{{.*}} with(%arg0, %[[W]]#2)
// CHECK-NOT:       keratin.while
// CHECK-NOT:       keratin.define_size
// CHECK:           keratin.scan length = <d0>
// CHECK:           keratin.check_numbers elementwise "exp"
func.func @while_becomes_scan(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %go = keratin.constant dense<true> : tensor<i1>
  %last:2, %n, %all = keratin.while length = #keratin.dims<d0> at_most = #keratin.dims<7> init(%go, %x) with()
      : (tensor<i1>, tensor<f32>) -> (tensor<i1>, tensor<f32>, tensor<i64>, tensor<?xf32, #keratin.dims<d0>>) {
  ^bb0(%t: tensor<i64>, %flag: tensor<i1>, %s: tensor<f32>):
    %0 = keratin.exp %s : (tensor<f32>) -> tensor<f32>
    %c = keratin.constant dense<9.0> : tensor<f32>
    %1 = keratin.compare lt %0, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>
    keratin.yield %1, %0, %s : tensor<i1>, tensor<f32>, tensor<f32>
  }
  keratin.define_size 0 %n : tensor<i64>
  %sum = keratin.reduce_sum %all axes = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<f32>
  return %last#1, %sum : tensor<f32>, tensor<f32>
}

// -----

// CHECK-LABEL: func.func @prints_once
// CHECK:         keratin.print "x is"
// CHECK-NOT:     keratin.print
func.func @prints_once(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = keratin.print "x is" %x : tensor<4xf32>
  %1 = keratin.exp %0 : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// A table is in memory once.
// CHECK-LABEL: func.func @large_constant
// CHECK:         %[[TABLE:.*]] = keratin.constant
// CHECK:         keratin.if %{{.*}} with(%arg0, %[[TABLE]])
// CHECK-NOT:       keratin.constant dense<[
func.func @large_constant(%x: tensor<17xf32>) -> tensor<17xf32> {
  %c = keratin.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<17xf32>
  %0 = keratin.mul %x, %c : (tensor<17xf32>, tensor<17xf32>) -> tensor<17xf32>
  return %0 : tensor<17xf32>
}

// -----

// A size that each step defines has another symbol in the copy.
// CHECK-LABEL: func.func @size_of_a_step
// CHECK:         keratin.define_size 0
// CHECK:         keratin.if
// CHECK:           keratin.define_size 1
// CHECK:           keratin.slice {{.*}} -> tensor<?xf32, #keratin.dims<d1>>
func.func @size_of_a_step(%x: tensor<3x3xf32> {keratin.kind = "input", keratin.name = "x"}) -> tensor<f32> {
  %one = keratin.constant dense<1.0> : tensor<f32>
  %y = keratin.scan length = <3> init(%one) over(%x) with() : (tensor<f32>, tensor<3x3xf32>) -> tensor<f32> {
  ^bb0(%t: tensor<i64>, %s: tensor<f32>, %e: tensor<3xf32>):
    keratin.define_size 0 %t at_most <3> : tensor<i64>
    %part = keratin.slice %e starts = <0> strides = [1] : (tensor<3xf32>) -> tensor<?xf32, #keratin.dims<d0>>
    %sum = keratin.reduce_sum %part axes = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<f32>
    %next = keratin.mul %sum, %s : (tensor<f32>, tensor<f32>) -> tensor<f32>
    keratin.yield %next : tensor<f32>
  }
  return %y : tensor<f32>
}
