// RUN: keratin-opt %s --keratin-sink-accumulators | FileCheck %s

// The product over all steps and samples, of what is at hand and what the loop has to stack.
// CHECK-LABEL: func.func @the_gradient_of_weights
// CHECK-SAME:  (%[[X:[a-z0-9]+]]: tensor<?x2x3xf32, #keratin.dims<d0, 2, 3>>, %[[H:[a-z0-9]+]]: tensor<2x4xf32>, %[[A:[a-z0-9]+]]: tensor<3x4xf32>)
// CHECK:         %[[L:.*]]:3 = keratin.scan length = <d0> reverse init(%[[H]], %[[A]]) over() with()
// CHECK-NEXT:    ^bb0(%{{.*}}: tensor<i64>, %[[S:.*]]: tensor<2x4xf32>, %[[Z:.*]]: tensor<3x4xf32>):
// CHECK-NEXT:      %[[N:.*]] = keratin.tanh %[[S]]
// CHECK-NEXT:      keratin.yield %[[N]], %[[Z]], %[[S]]
// CHECK:         %[[D:.*]] = keratin.dot_general %[[X]], %[[L]]#2 batch = [] x [] contract = [0, 1] x [0, 1]
// CHECK-NEXT:    %[[T:.*]] = keratin.transpose %[[D]] permutation = [1, 0]
// CHECK-NEXT:    %[[R:.*]] = keratin.transpose %[[T]] permutation = [1, 0]
// CHECK-NEXT:    keratin.add %[[L]]#1, %[[R]]
func.func @the_gradient_of_weights(%x: tensor<?x2x3xf32, #keratin.dims<d0, 2, 3>>, %h: tensor<2x4xf32>, %a: tensor<3x4xf32>) -> (tensor<2x4xf32>, tensor<3x4xf32>) {
  %0:2 = keratin.scan length = #keratin.dims<d0> reverse init(%h, %a) over(%x) with()
      : (tensor<2x4xf32>, tensor<3x4xf32>, tensor<?x2x3xf32, #keratin.dims<d0, 2, 3>>) -> (tensor<2x4xf32>, tensor<3x4xf32>) {
  ^bb0(%t: tensor<i64>, %s: tensor<2x4xf32>, %z: tensor<3x4xf32>, %e: tensor<2x3xf32>):
    %1 = keratin.dot_general %e, %s batch = [] x [] contract = [0] x [0] : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<3x4xf32>
    %2 = keratin.transpose %1 permutation = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
    %3 = keratin.transpose %2 permutation = [1, 0] : (tensor<4x3xf32>) -> tensor<3x4xf32>
    %4 = keratin.add %z, %3 : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    %5 = keratin.tanh %s : (tensor<2x4xf32>) -> tensor<2x4xf32>
    keratin.yield %5, %4 : tensor<2x4xf32>, tensor<3x4xf32>
  }
  return %0#0, %0#1 : tensor<2x4xf32>, tensor<3x4xf32>
}

// The sum reads what is stacked for the product; the sine of a state is nobody's product and stays.
// CHECK-LABEL: func.func @addends_go_one_by_one
// CHECK:         %[[L:.*]]:4 = keratin.scan length = <5>
// CHECK:           keratin.sin
// CHECK-NEXT:      keratin.add
// CHECK-NEXT:      keratin.yield
// CHECK:         %[[S:.*]] = keratin.reduce_sum %[[L]]#3 axes = [0]
// CHECK-NEXT:    keratin.reduce_sum %[[S]] axes = [0]
// CHECK:         keratin.dot_general %{{.*}}, %[[L]]#3 batch = [] x [] contract = [0, 1] x [0, 1]
func.func @addends_go_one_by_one(%x: tensor<5x2x3xf64>, %h: tensor<2x4xf64>, %a: tensor<3x4xf64>, %b: tensor<4xf64>) -> (tensor<2x4xf64>, tensor<3x4xf64>, tensor<4xf64>) {
  %0:3 = keratin.scan length = #keratin.dims<5> init(%h, %b, %a) over(%x) with()
      : (tensor<2x4xf64>, tensor<4xf64>, tensor<3x4xf64>, tensor<5x2x3xf64>) -> (tensor<2x4xf64>, tensor<4xf64>, tensor<3x4xf64>) {
  ^bb0(%t: tensor<i64>, %s: tensor<2x4xf64>, %c: tensor<4xf64>, %z: tensor<3x4xf64>, %e: tensor<2x3xf64>):
    %1 = keratin.tanh %s : (tensor<2x4xf64>) -> tensor<2x4xf64>
    %2 = keratin.reduce_sum %1 axes = [0] : (tensor<2x4xf64>) -> tensor<4xf64>
    %3 = keratin.sin %2 : (tensor<4xf64>) -> tensor<4xf64>
    %4 = keratin.add %2, %3 : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
    %5 = keratin.add %c, %4 : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
    %6 = keratin.dot_general %e, %1 batch = [] x [] contract = [0] x [0] : (tensor<2x3xf64>, tensor<2x4xf64>) -> tensor<3x4xf64>
    %7 = keratin.add %z, %6 : (tensor<3x4xf64>, tensor<3x4xf64>) -> tensor<3x4xf64>
    keratin.yield %1, %5, %7 : tensor<2x4xf64>, tensor<4xf64>, tensor<3x4xf64>
  }
  return %0#0, %0#2, %0#1 : tensor<2x4xf64>, tensor<3x4xf64>, tensor<4xf64>
}

// Only the rows that are named are touched, once.
// CHECK-LABEL: func.func @the_gradient_of_a_table
// CHECK-SAME:  (%[[I:[a-z0-9]+]]: tensor<5x2xi32>,
// CHECK:         %[[L:.*]]:3 = keratin.scan
// CHECK-NOT:       keratin.scatter_add
// CHECK:         keratin.scatter_add %[[I]], %[[L]]#2 : (tensor<5x2xi32>, tensor<5x2x4xf32>) -> tensor<9x4xf32>
func.func @the_gradient_of_a_table(%i: tensor<5x2xi32>, %h: tensor<2x4xf32>, %a: tensor<9x4xf32>) -> (tensor<2x4xf32>, tensor<9x4xf32>) {
  %0:2 = keratin.scan length = #keratin.dims<5> init(%h, %a) over(%i) with() : (tensor<2x4xf32>, tensor<9x4xf32>, tensor<5x2xi32>) -> (tensor<2x4xf32>, tensor<9x4xf32>) {
  ^bb0(%t: tensor<i64>, %s: tensor<2x4xf32>, %z: tensor<9x4xf32>, %n: tensor<2xi32>):
    %1 = keratin.scatter_add %n, %s : (tensor<2xi32>, tensor<2x4xf32>) -> tensor<9x4xf32>
    %2 = keratin.add %z, %1 : (tensor<9x4xf32>, tensor<9x4xf32>) -> tensor<9x4xf32>
    %3 = keratin.tanh %s : (tensor<2x4xf32>) -> tensor<2x4xf32>
    keratin.yield %3, %2 : tensor<2x4xf32>, tensor<9x4xf32>
  }
  return %0#0, %0#1 : tensor<2x4xf32>, tensor<9x4xf32>
}

// CHECK-LABEL: func.func @the_gradient_of_a_filter
// CHECK:         %[[X:.*]] = keratin.reshape %{{.*}} : (tensor<5x2x8x3xf32>) -> tensor<10x8x3xf32>
// CHECK:         %[[Y:.*]] = keratin.reshape %{{.*}} : (tensor<5x2x6x4xf32>) -> tensor<10x6x4xf32>
// CHECK:         keratin.convolution %[[X]], %[[Y]] dims = "c0b,c0f->0bf" {{.*}} -> tensor<3x3x4xf32>
func.func @the_gradient_of_a_filter(%x: tensor<5x2x8x3xf32>, %h: tensor<2x6x4xf32>, %a: tensor<3x3x4xf32>) -> (tensor<2x6x4xf32>, tensor<3x3x4xf32>) {
  %0:2 = keratin.scan length = #keratin.dims<5> init(%h, %a) over(%x) with() : (tensor<2x6x4xf32>, tensor<3x3x4xf32>, tensor<5x2x8x3xf32>) -> (tensor<2x6x4xf32>, tensor<3x3x4xf32>) {
  ^bb0(%t: tensor<i64>, %s: tensor<2x6x4xf32>, %z: tensor<3x3x4xf32>, %e: tensor<2x8x3xf32>):
    %1 = keratin.convolution %e, %s dims = "c0b,c0f->0bf" strides = [1] low = #keratin.dims<0> x_dilation = [1] dilation = [1] reversed = [false]
        : (tensor<2x8x3xf32>, tensor<2x6x4xf32>) -> tensor<3x3x4xf32>
    %2 = keratin.add %z, %1 : (tensor<3x3x4xf32>, tensor<3x3x4xf32>) -> tensor<3x3x4xf32>
    %3 = keratin.tanh %s : (tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    keratin.yield %3, %2 : tensor<2x6x4xf32>, tensor<3x3x4xf32>
  }
  return %0#0, %0#1 : tensor<2x6x4xf32>, tensor<3x3x4xf32>
}

// CHECK-LABEL: func.func @an_accumulator_that_steps_read_stays
// CHECK:         keratin.scan
// CHECK:           keratin.dot_general
// CHECK:         return
func.func @an_accumulator_that_steps_read_stays(%x: tensor<5x4x4xf32>, %a: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<5x4x4xf32>) {
  %0:2 = keratin.scan length = #keratin.dims<5> init(%a) over(%x) with() : (tensor<4x4xf32>, tensor<5x4x4xf32>) -> (tensor<4x4xf32>, tensor<5x4x4xf32>) {
  ^bb0(%t: tensor<i64>, %z: tensor<4x4xf32>, %e: tensor<4x4xf32>):
    %1 = keratin.dot_general %e, %e batch = [] x [] contract = [0] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %2 = keratin.add %z, %1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    keratin.yield %2, %2 : tensor<4x4xf32>, tensor<4x4xf32>
  }
  return %0#0, %0#1 : tensor<4x4xf32>, tensor<5x4x4xf32>
}
