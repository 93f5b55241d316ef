// RUN: keratin-opt %s --keratin-expand-fourier-transforms --cse | FileCheck %s

// CHECK-LABEL: func.func @a_small_length_is_one_contraction
// CHECK:         keratin.dot_general %{{.*}}, %{{.*}} batch = [] x [] contract = [0] x [0] : (tensor<12x1xf32>, tensor<12x12xf32>) -> tensor<1x12xf32>
// CHECK-NOT:     keratin.mul
// CHECK:         return
func.func @a_small_length_is_one_contraction(%a: tensor<6xf32>, %b: tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>) {
  %y:2 = keratin.fft %a, %b : (tensor<6xf32>, tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>)
  return %y#0, %y#1 : tensor<6xf32>, tensor<6xf32>
}

// CHECK-LABEL: func.func @one_element_is_its_own_transform
// CHECK-SAME:  (%[[A:[a-z0-9]+]]: tensor<3x1xf32>, %[[B:[a-z0-9]+]]: tensor<3x1xf32>)
// CHECK-NEXT:    return %[[A]], %[[B]]
func.func @one_element_is_its_own_transform(%a: tensor<3x1xf32>, %b: tensor<3x1xf32>) -> (tensor<3x1xf32>, tensor<3x1xf32>) {
  %y:2 = keratin.fft %a, %b : (tensor<3x1xf32>, tensor<3x1xf32>) -> (tensor<3x1xf32>, tensor<3x1xf32>)
  return %y#0, %y#1 : tensor<3x1xf32>, tensor<3x1xf32>
}

// Lines stay where they are until a stage puts its factor before them.
// CHECK-LABEL: func.func @factors_are_stages_with_rotations_between
// CHECK:         keratin.dot_general {{.*}} : (tensor<32x80xf64>, tensor<32x32xf64>) -> tensor<80x32xf64>
// CHECK:         %[[TURNED:.*]] = keratin.transpose %{{.*}} permutation = [0, 3, 2, 4, 1, 5] : (tensor<2x16x5x16x1x1xf64>)
// CHECK:         %[[OTHER:.*]] = keratin.reverse %[[TURNED]] axes = [0]
// CHECK:         keratin.dot_general {{.*}} : (tensor<32x32xf64>, tensor<32x80xf64>) -> tensor<32x80xf64>
// CHECK-NOT:     keratin.dot_general
// CHECK:         return
func.func @factors_are_stages_with_rotations_between(%a: tensor<5x256xf64>, %b: tensor<5x256xf64>) -> (tensor<5x256xf64>, tensor<5x256xf64>) {
  %y:2 = keratin.fft %a, %b : (tensor<5x256xf64>, tensor<5x256xf64>) -> (tensor<5x256xf64>, tensor<5x256xf64>)
  return %y#0, %y#1 : tensor<5x256xf64>, tensor<5x256xf64>
}

// No table has more than 16,384 elements: rotations of long lengths are products.
// CHECK-LABEL: func.func @tables_of_rotations_are_small
// CHECK-NOT:     keratin.constant {{.*}} : tensor<{{([0-9]+x)*[0-9]{5,}x}}
// CHECK:         return
func.func @tables_of_rotations_are_small(%a: tensor<1048576xf32>, %b: tensor<1048576xf32>) -> (tensor<1048576xf32>, tensor<1048576xf32>) {
  %y:2 = keratin.fft %a, %b {inverse} : (tensor<1048576xf32>, tensor<1048576xf32>) -> (tensor<1048576xf32>, tensor<1048576xf32>)
  return %y#0, %y#1 : tensor<1048576xf32>, tensor<1048576xf32>
}

// CHECK-LABEL: func.func @a_large_prime_factor_is_a_convolution
// CHECK:         keratin.pad %{{.*}} : (tensor<2x67xf32>) -> tensor<2x[[LENGTH:[0-9]+]]xf32>
// CHECK-COUNT-4: keratin.dot_general
// CHECK:         keratin.slice %{{.*}} : (tensor<2x[[LENGTH]]xf32>) -> tensor<2x67xf32>
func.func @a_large_prime_factor_is_a_convolution(%a: tensor<2x67xf32>, %b: tensor<2x67xf32>) -> (tensor<2x67xf32>, tensor<2x67xf32>) {
  %y:2 = keratin.fft %a, %b : (tensor<2x67xf32>, tensor<2x67xf32>) -> (tensor<2x67xf32>, tensor<2x67xf32>)
  return %y#0, %y#1 : tensor<2x67xf32>, tensor<2x67xf32>
}

// CHECK-LABEL: func.func @an_unknown_length_is_a_product_with_a_computed_matrix
// CHECK:         keratin.mod
// CHECK:         keratin.cos
// CHECK:         keratin.dot_general
func.func @an_unknown_length_is_a_product_with_a_computed_matrix(%a: tensor<?xf32, #keratin.dims<d0>>, %b: tensor<?xf32, #keratin.dims<d0>>) -> (tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>) {
  %y:2 = keratin.fft %a, %b : (tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>) -> (tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>)
  return %y#0, %y#1 : tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>
}

// CHECK-LABEL: func.func @real_numbers_take_half_the_length
// CHECK-SAME:  (%[[X:[a-z0-9]+]]: tensor<3x96xf32>)
// CHECK-DAG:     keratin.slice %[[X]] starts = <0, 0> strides = [1, 2] : (tensor<3x96xf32>) -> tensor<3x48xf32>
// CHECK-DAG:     keratin.slice %[[X]] starts = <0, 1> strides = [1, 2] : (tensor<3x96xf32>) -> tensor<3x48xf32>
// CHECK:         %[[RE:.*]] = keratin.add %{{.*}} -> tensor<3x49xf32>
// CHECK:         keratin.reverse {{.*}} -> tensor<3x47xf32>
// CHECK:         keratin.concatenate {{.*}} -> tensor<3x96xf32>
func.func @real_numbers_take_half_the_length(%a: tensor<3x96xf32>) -> (tensor<3x96xf32>, tensor<3x96xf32>) {
  %zero = keratin.constant dense<0.0> : tensor<f32>
  %b = keratin.broadcast %zero dims = [] : (tensor<f32>) -> tensor<3x96xf32>
  %y:2 = keratin.fft %a, %b : (tensor<3x96xf32>, tensor<3x96xf32>) -> (tensor<3x96xf32>, tensor<3x96xf32>)
  return %y#0, %y#1 : tensor<3x96xf32>, tensor<3x96xf32>
}

// CHECK-LABEL: func.func @the_other_half_is_not_made_for_nobody
// CHECK:         %[[RE:.*]] = keratin.add %{{.*}} -> tensor<1x49xf32>
// CHECK-NOT:     keratin.concatenate {{.*}} -> tensor<1x96xf32>
// CHECK:         keratin.slice %{{.*}} : (tensor<49xf32>) -> tensor<40xf32>
func.func @the_other_half_is_not_made_for_nobody(%a: tensor<96xf32>) -> (tensor<40xf32>, tensor<49xf32>) {
  %zero = keratin.constant dense<0.0> : tensor<f32>
  %b = keratin.broadcast %zero dims = [] : (tensor<f32>) -> tensor<96xf32>
  %y:2 = keratin.fft %a, %b : (tensor<96xf32>, tensor<96xf32>) -> (tensor<96xf32>, tensor<96xf32>)
  %re = keratin.slice %y#0 starts = <0> strides = [1] : (tensor<96xf32>) -> tensor<40xf32>
  %im = keratin.slice %y#1 starts = <0> strides = [1] : (tensor<96xf32>) -> tensor<49xf32>
  return %re, %im : tensor<40xf32>, tensor<49xf32>
}

// CHECK-LABEL: func.func @real_parts_alone_take_half_the_length
// CHECK:         keratin.dot_general {{.*}} -> tensor<{{[0-9]+}}x[[ROWS:[0-9]+]]xf32>
// CHECK:         keratin.concatenate %{{.*}}, %{{.*}} {axis = 2 : i64} : (tensor<1x48x1xf32>, tensor<1x48x1xf32>) -> tensor<1x48x2xf32>
func.func @real_parts_alone_take_half_the_length(%a: tensor<96xf32>, %b: tensor<96xf32>) -> tensor<96xf32> {
  %y:2 = keratin.fft %a, %b : (tensor<96xf32>, tensor<96xf32>) -> (tensor<96xf32>, tensor<96xf32>)
  return %y#0 : tensor<96xf32>
}
