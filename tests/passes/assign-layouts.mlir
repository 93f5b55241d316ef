// RUN: keratin-opt %s --keratin-assign-layouts --keratin-canonicalize --keratin-eliminate-common-subexpressions | FileCheck %s
// RUN: keratin-opt %s --keratin-assign-layouts --keratin-canonicalize --keratin-eliminate-common-subexpressions --keratin-assign-layouts --keratin-canonicalize --keratin-eliminate-common-subexpressions | FileCheck %s

// What is between two convolutions needs no order of its own, also where a value has two uses.
// CHECK-LABEL: func.func @between_transposes
// CHECK-NOT:     keratin.transpose
// CHECK:         %[[B:.*]] = keratin.broadcast %{{.*}} dims = [2] : (tensor<3xf32>) -> tensor<2x8x3xf32>
// CHECK:         %[[Z:.*]] = keratin.add %{{.*}}, %[[B]]
// CHECK:         %[[E:.*]] = keratin.tanh %[[Z]]
// CHECK:         %[[M:.*]] = keratin.mul %[[Z]], %[[E]]
// CHECK:         return %[[M]]
func.func @between_transposes(%x: tensor<2x8x3xf32>, %b: tensor<3xf32>) -> tensor<2x8x3xf32> {
  %1 = keratin.transpose %x permutation = [0, 2, 1] : (tensor<2x8x3xf32>) -> tensor<2x3x8xf32>
  %2 = keratin.broadcast %b dims = [1] : (tensor<3xf32>) -> tensor<2x3x8xf32>
  %3 = keratin.add %1, %2 : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %4 = keratin.tanh %3 : (tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %5 = keratin.mul %3, %4 : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %6 = keratin.transpose %5 permutation = [0, 2, 1] : (tensor<2x3x8xf32>) -> tensor<2x8x3xf32>
  return %6 : tensor<2x8x3xf32>
}

// Sums of channels do not care, nor do constants and ramps of indices.
// CHECK-LABEL: func.func @leaves_and_reductions
// CHECK-NOT:     keratin.transpose
// CHECK:         keratin.iota {axis = 1 : i64} : tensor<2x?x3xf32
// CHECK:         keratin.reduce_sum {{.*}} axes = [0, 1]
// CHECK-NOT:     keratin.transpose
// CHECK:         return
func.func @leaves_and_reductions(%x: tensor<2x?x3xf32, #keratin.dims<2, d0, 3>>) -> (tensor<2x?x3xf32, #keratin.dims<2, d0, 3>>, tensor<3xf32>) {
  %1 = keratin.transpose %x permutation = [0, 2, 1] : (tensor<2x?x3xf32, #keratin.dims<2, d0, 3>>) -> tensor<2x3x?xf32, #keratin.dims<2, 3, d0>>
  %2 = keratin.iota {axis = 2 : i64} : tensor<2x3x?xf32, #keratin.dims<2, 3, d0>>
  %3 = keratin.mul %1, %2 : (tensor<2x3x?xf32, #keratin.dims<2, 3, d0>>, tensor<2x3x?xf32, #keratin.dims<2, 3, d0>>) -> tensor<2x3x?xf32, #keratin.dims<2, 3, d0>>
  %4 = keratin.transpose %3 permutation = [0, 2, 1] : (tensor<2x3x?xf32, #keratin.dims<2, 3, d0>>) -> tensor<2x?x3xf32, #keratin.dims<2, d0, 3>>
  %5 = keratin.reduce_sum %3 axes = [0, 2] : (tensor<2x3x?xf32, #keratin.dims<2, 3, d0>>) -> tensor<3xf32>
  return %4, %5 : tensor<2x?x3xf32, #keratin.dims<2, d0, 3>>, tensor<3xf32>
}

// Pads, slices, reverses and concatenations name their axes anew.
// CHECK-LABEL: func.func @moves
// CHECK-NOT:     keratin.transpose
// CHECK:         %[[P:.*]] = keratin.pad %{{.*}} low = <0, 1, 0> interior = [0, 2, 0] : (tensor<2x8x3xf32>) -> tensor<2x25x3xf32>
// CHECK:         %[[S:.*]] = keratin.slice %[[P]] starts = <0, 3, 1> strides = [1, 2, 1] : (tensor<2x25x3xf32>) -> tensor<2x9x2xf32>
// CHECK:         %[[R:.*]] = keratin.reverse %[[S]] axes = [1]
// CHECK:         keratin.concatenate %[[S]], %[[R]] {axis = 2 : i64} : (tensor<2x9x2xf32>, tensor<2x9x2xf32>) -> tensor<2x9x4xf32>
func.func @moves(%x: tensor<2x8x3xf32>) -> tensor<2x9x4xf32> {
  %1 = keratin.transpose %x permutation = [0, 2, 1] : (tensor<2x8x3xf32>) -> tensor<2x3x8xf32>
  %2 = keratin.pad %1 low = <0, 0, 1> interior = [0, 0, 2] : (tensor<2x3x8xf32>) -> tensor<2x3x25xf32>
  %3 = keratin.slice %2 starts = <0, 1, 3> strides = [1, 1, 2] : (tensor<2x3x25xf32>) -> tensor<2x2x9xf32>
  %4 = keratin.reverse %3 axes = [2] : (tensor<2x2x9xf32>) -> tensor<2x2x9xf32>
  %5 = keratin.concatenate %3, %4 {axis = 1 : i64} : (tensor<2x2x9xf32>, tensor<2x2x9xf32>) -> tensor<2x4x9xf32>
  %6 = keratin.transpose %5 permutation = [0, 2, 1] : (tensor<2x4x9xf32>) -> tensor<2x9x4xf32>
  return %6 : tensor<2x9x4xf32>
}

// At equal cost the transpose goes towards the result, and the addition to what made its operand.
// CHECK-LABEL: func.func @towards_the_result
// CHECK:         %[[S:.*]] = keratin.add %arg0
// CHECK:         %[[T:.*]] = keratin.transpose %[[S]]
// CHECK:         return %[[T]]
func.func @towards_the_result(%x: tensor<2x8x3xf32>, %b: tensor<3xf32>) -> tensor<2x3x8xf32> {
  %1 = keratin.transpose %x permutation = [0, 2, 1] : (tensor<2x8x3xf32>) -> tensor<2x3x8xf32>
  %2 = keratin.broadcast %b dims = [1] : (tensor<3xf32>) -> tensor<2x3x8xf32>
  %3 = keratin.add %1, %2 : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  return %3 : tensor<2x3x8xf32>
}

// A contraction names its dimensions by number.
// CHECK-LABEL: func.func @before_a_contraction
// CHECK-NOT:     keratin.transpose
// CHECK:         %[[M:.*]] = keratin.mul %arg0
// CHECK:         keratin.dot_general %[[M]], %arg2 batch = [] x [] contract = [3] x [0]
// CHECK-NOT:     keratin.transpose
// CHECK:         return
func.func @before_a_contraction(%x: tensor<2x8x8x3xf32>, %b: tensor<2x3xf32>, %w: tensor<3x5xf32>) -> tensor<2x8x8x5xf32> {
  %1 = keratin.transpose %x permutation = [0, 3, 1, 2] : (tensor<2x8x8x3xf32>) -> tensor<2x3x8x8xf32>
  %2 = keratin.broadcast %b dims = [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8x8xf32>
  %3 = keratin.mul %1, %2 : (tensor<2x3x8x8xf32>, tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  %4 = keratin.dot_general %3, %w batch = [] x [] contract = [1] x [0] : (tensor<2x3x8x8xf32>, tensor<3x5xf32>) -> tensor<2x8x8x5xf32>
  return %4 : tensor<2x8x8x5xf32>
}

// Its result has the other dimensions in their order.
// CHECK-LABEL: func.func @not_before_a_result_in_order
// CHECK:         %[[E:.*]] = keratin.exp %arg0
// CHECK:         %[[T:.*]] = keratin.transpose %[[E]] permutation = [1, 0, 2]
// CHECK:         keratin.dot_general %[[T]], %arg1
func.func @not_before_a_result_in_order(%x: tensor<2x8x3xf32>, %w: tensor<3x5xf32>) -> tensor<8x2x5xf32> {
  %1 = keratin.transpose %x permutation = [1, 0, 2] : (tensor<2x8x3xf32>) -> tensor<8x2x3xf32>
  %2 = keratin.exp %1 : (tensor<8x2x3xf32>) -> tensor<8x2x3xf32>
  %3 = keratin.dot_general %2, %w batch = [] x [] contract = [2] x [0] : (tensor<8x2x3xf32>, tensor<3x5xf32>) -> tensor<8x2x5xf32>
  return %3 : tensor<8x2x5xf32>
}

// Another operand would have to be turned: as many transposes as before.
// CHECK-LABEL: func.func @not_for_another_transpose
// CHECK:         %[[T:.*]] = keratin.transpose %arg0
// CHECK:         keratin.add %[[T]], %arg1
func.func @not_for_another_transpose(%x: tensor<2x8x3xf32>, %y: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %1 = keratin.transpose %x permutation = [0, 2, 1] : (tensor<2x8x3xf32>) -> tensor<2x3x8xf32>
  %2 = keratin.add %1, %y : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  return %2 : tensor<2x3x8xf32>
}

// Gradients name the values that they are taken with respect to.
// CHECK-LABEL: func.func @not_before_gradients
// CHECK:         %[[T:.*]] = keratin.transpose %arg0
// CHECK:         keratin.gradients {{.*}} wrt %[[T]]
func.func @not_before_gradients(%x: tensor<2x8x3xf32>) -> tensor<2x3x8xf32> {
  %1 = keratin.transpose %x permutation = [0, 2, 1] : (tensor<2x8x3xf32>) -> tensor<2x3x8xf32>
  %2 = keratin.exp %1 : (tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %3 = keratin.transpose %2 permutation = [0, 2, 1] : (tensor<2x3x8xf32>) -> tensor<2x8x3xf32>
  %g = keratin.gradients %3 wrt %1 : (tensor<2x8x3xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  return %g : tensor<2x3x8xf32>
}
