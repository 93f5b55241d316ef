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
