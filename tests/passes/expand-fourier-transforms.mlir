// RUN: keratin-opt %s --keratin-expand-fourier-transforms --cse | FileCheck %s
// RUN: keratin-opt %s --keratin-expand-fourier-transforms=blocks=false | FileCheck %s --check-prefix=WHOLE

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

// Rows of a matrix, whose columns are transformed in a stage of eight, written out.
// CHECK-LABEL: func.func @small_factors_are_two_rounds
// CHECK-NOT:     keratin.dot_general
// CHECK:         %[[BOTH:.*]] = keratin.concatenate %{{.*}}, %{{.*}} {axis = 0 : i64} : (tensor<3x64xf64>, tensor<3x64xf64>) -> tensor<6x64xf64>
// CHECK:         %[[X:.*]] = keratin.delay %[[BOTH]] until %[[BOTH]]
// CHECK:         %[[ROWS:.*]] = keratin.reshape %{{.*}} -> tensor<2x1x3x8x1x8xf64>
// CHECK:         keratin.slice %[[ROWS]] starts = <0, 0, 0, 0, 0, 0>
// CHECK:         keratin.slice %[[ROWS]] starts = <1, 0, 0, 7, 0, 0>
// CHECK:         keratin.concatenate {{.*}} -> tensor<16x1x3x1x1x8xf64>
// CHECK:         keratin.transpose %{{.*}} permutation = [0, 2, 3, 1] : (tensor<2x8x3x8xf64>) -> tensor<2x3x8x8xf64>
// CHECK:         keratin.concatenate {{.*}} -> tensor<16x1x3x1x1x8xf64>
// CHECK:         return
func.func @small_factors_are_two_rounds(%a: tensor<3x64xf64>, %b: tensor<3x64xf64>) -> (tensor<3x64xf64>, tensor<3x64xf64>) {
  %y:2 = keratin.fft %a, %b : (tensor<3x64xf64>, tensor<3x64xf64>) -> (tensor<3x64xf64>, tensor<3x64xf64>)
  return %y#0, %y#1 : tensor<3x64xf64>, tensor<3x64xf64>
}

// CHECK-LABEL: func.func @many_lines_are_steps_of_a_loop
// CHECK:         keratin.scan length = <6> init() over(%{{.*}}, %{{.*}}) with() : (tensor<6x2x2048xf32>, tensor<6x2x2048xf32>) -> (tensor<6x2x2048xf32>, tensor<6x2x2048xf32>)
// WHOLE-LABEL: func.func @many_lines_are_steps_of_a_loop
// WHOLE-NOT:     keratin.scan
// WHOLE:         return
func.func @many_lines_are_steps_of_a_loop(%a: tensor<3x4x2048xf32>, %b: tensor<3x4x2048xf32>) -> (tensor<3x4x2048xf32>, tensor<3x4x2048xf32>) {
  %y:2 = keratin.fft %a, %b : (tensor<3x4x2048xf32>, tensor<3x4x2048xf32>) -> (tensor<3x4x2048xf32>, tensor<3x4x2048xf32>)
  return %y#0, %y#1 : tensor<3x4x2048xf32>, tensor<3x4x2048xf32>
}

// CHECK-LABEL: func.func @lines_of_unknown_number_are_a_step_each
// CHECK:         keratin.scan length = <d0> init() over(%{{.*}}, %{{.*}}) with() : (tensor<?x1x1024xf32, #keratin.dims<d0, 1, 1024>>
func.func @lines_of_unknown_number_are_a_step_each(%a: tensor<?x1024xf32, #keratin.dims<d0, 1024>>, %b: tensor<?x1024xf32, #keratin.dims<d0, 1024>>) -> (tensor<?x1024xf32, #keratin.dims<d0, 1024>>, tensor<?x1024xf32, #keratin.dims<d0, 1024>>) {
  %y:2 = keratin.fft %a, %b : (tensor<?x1024xf32, #keratin.dims<d0, 1024>>, tensor<?x1024xf32, #keratin.dims<d0, 1024>>) -> (tensor<?x1024xf32, #keratin.dims<d0, 1024>>, tensor<?x1024xf32, #keratin.dims<d0, 1024>>)
  return %y#0, %y#1 : tensor<?x1024xf32, #keratin.dims<d0, 1024>>, tensor<?x1024xf32, #keratin.dims<d0, 1024>>
}

// Of real numbers behind which there are zeros, half as many are transformed.
// CHECK-LABEL: func.func @zeros_behind_zeros_are_zeros
// CHECK:         keratin.reshape %{{.*}} -> tensor<2x1x1x8x8xf32>
func.func @zeros_behind_zeros_are_zeros(%x: tensor<100xf32>) -> (tensor<128xf32>, tensor<128xf32>) {
  %zero = keratin.constant dense<0.0> : tensor<100xf32>
  %re = keratin.pad %x low = <0> interior = [0] : (tensor<100xf32>) -> tensor<128xf32>
  %im = keratin.pad %zero low = <0> interior = [0] : (tensor<100xf32>) -> tensor<128xf32>
  %y:2 = keratin.fft %re, %im : (tensor<128xf32>, tensor<128xf32>) -> (tensor<128xf32>, tensor<128xf32>)
  return %y#0, %y#1 : tensor<128xf32>, tensor<128xf32>
}

// Vectors lie along the lines, of which there are many.
// CHECK-LABEL: func.func @short_lines_are_side_by_side
// CHECK-NOT:     keratin.dot_general
// CHECK:         keratin.transpose %{{.*}} permutation = [0, 2, 1] : (tensor<2x20x32xf32>) -> tensor<2x32x20xf32>
// CHECK:         keratin.reshape %{{.*}} -> tensor<2x1x1x8x4x20xf32>
// CHECK:         keratin.concatenate {{.*}} -> tensor<16x1x1x1x4x20xf32>
// CHECK:         keratin.concatenate {{.*}} -> tensor<8x8x1x1x1x20xf32>
// CHECK:         keratin.transpose %{{.*}} permutation = [0, 2, 1] : (tensor<2x32x20xf32>) -> tensor<2x20x32xf32>
// CHECK-NOT:     keratin.dot_general
// CHECK:         return
func.func @short_lines_are_side_by_side(%a: tensor<20x32xf32>, %b: tensor<20x32xf32>) -> (tensor<20x32xf32>, tensor<20x32xf32>) {
  %y:2 = keratin.fft %a, %b : (tensor<20x32xf32>, tensor<20x32xf32>) -> (tensor<20x32xf32>, tensor<20x32xf32>)
  return %y#0, %y#1 : tensor<20x32xf32>, tensor<20x32xf32>
}

// Nothing is made of the mirror: a half is turned round, and what is beyond its ends left out.
// CHECK-LABEL: func.func @a_half_and_its_mirror_are_the_half
// CHECK-SAME:  (%[[RE:[a-z0-9]+]]: tensor<3x65xf64>, %[[IM:[a-z0-9]+]]: tensor<3x65xf64>)
// CHECK-NOT:     axis = 1 : i64
// CHECK:         %[[INNER:.*]] = keratin.slice %[[IM]] starts = <0, 1> strides = [1, 1] : (tensor<3x65xf64>) -> tensor<3x63xf64>
// CHECK:         %[[ENDS:.*]] = keratin.pad %[[INNER]] low = <0, 1> interior = [0, 0] : (tensor<3x63xf64>) -> tensor<3x65xf64>
// CHECK:         keratin.reshape %{{.*}} -> tensor<2x1x3x8x8xf64>
// CHECK:         return
func.func @a_half_and_its_mirror_are_the_half(%re: tensor<3x65xf64>, %im: tensor<3x65xf64>) -> tensor<3x128xf64> {
  %0 = keratin.slice %re starts = <0, 1> strides = [1, 1] : (tensor<3x65xf64>) -> tensor<3x63xf64>
  %1 = keratin.reverse %0 axes = [1] : (tensor<3x63xf64>) -> tensor<3x63xf64>
  %a = keratin.concatenate %re, %1 {axis = 1 : i64} : (tensor<3x65xf64>, tensor<3x63xf64>) -> tensor<3x128xf64>
  %2 = keratin.slice %im starts = <0, 1> strides = [1, 1] : (tensor<3x65xf64>) -> tensor<3x63xf64>
  %3 = keratin.reverse %2 axes = [1] : (tensor<3x63xf64>) -> tensor<3x63xf64>
  %4 = keratin.neg %3 : (tensor<3x63xf64>) -> tensor<3x63xf64>
  %b = keratin.concatenate %im, %4 {axis = 1 : i64} : (tensor<3x65xf64>, tensor<3x63xf64>) -> tensor<3x128xf64>
  %y:2 = keratin.fft %a, %b {inverse} : (tensor<3x128xf64>, tensor<3x128xf64>) -> (tensor<3x128xf64>, tensor<3x128xf64>)
  return %y#0 : tensor<3x128xf64>
}

// CHECK-LABEL: func.func @pairs_are_taken_apart_and_put_together_as_wholes
// CHECK-SAME:  (%[[PAIRS:[a-z0-9]+]]: tensor<64x2xf32>)
// CHECK:         %[[LINES:.*]] = keratin.reshape %[[PAIRS]] : (tensor<64x2xf32>) -> tensor<1x64x2xf32>
// CHECK:         keratin.transpose %[[LINES]] permutation = [2, 0, 1] : (tensor<1x64x2xf32>) -> tensor<2x1x64xf32>
// CHECK:         keratin.transpose %{{.*}} permutation = [1, 2, 0] : (tensor<2x1x64xf32>) -> tensor<1x64x2xf32>
// CHECK-NOT:     axis = 1
// CHECK:         return
func.func @pairs_are_taken_apart_and_put_together_as_wholes(%pairs: tensor<64x2xf32>) -> tensor<64x2xf32> {
  %0 = keratin.slice %pairs starts = <0, 0> strides = [1, 1] : (tensor<64x2xf32>) -> tensor<64x1xf32>
  %1 = keratin.slice %pairs starts = <0, 1> strides = [1, 1] : (tensor<64x2xf32>) -> tensor<64x1xf32>
  %re = keratin.reshape %0 : (tensor<64x1xf32>) -> tensor<64xf32>
  %im = keratin.reshape %1 : (tensor<64x1xf32>) -> tensor<64xf32>
  %y:2 = keratin.fft %re, %im : (tensor<64xf32>, tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>)
  %2 = keratin.reshape %y#0 : (tensor<64xf32>) -> tensor<64x1xf32>
  %3 = keratin.reshape %y#1 : (tensor<64xf32>) -> tensor<64x1xf32>
  %z = keratin.concatenate %2, %3 {axis = 1 : i64} : (tensor<64x1xf32>, tensor<64x1xf32>) -> tensor<64x2xf32>
  return %z : tensor<64x2xf32>
}

// Of what is divided before it is paired, too.
// CHECK-LABEL: func.func @pairs_behind_products_are_mixed
// CHECK:         keratin.mul
// CHECK:         keratin.mul
// CHECK:         %[[BOTH:.*]] = keratin.concatenate %{{.*}}, %{{.*}} {axis = 0 : i64} : (tensor<1x64xf32>, tensor<1x64xf32>) -> tensor<2x64xf32>
// CHECK:         keratin.transpose %{{.*}} permutation = [1, 0] : (tensor<2x64xf32>) -> tensor<64x2xf32>
func.func @pairs_behind_products_are_mixed(%re: tensor<64xf32>, %im: tensor<64xf32>, %c: tensor<64xf32>) -> tensor<64x2xf32> {
  %y:2 = keratin.fft %re, %im : (tensor<64xf32>, tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>)
  %0 = keratin.mul %y#0, %c : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %1 = keratin.mul %y#1, %c : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %2 = keratin.reshape %0 : (tensor<64xf32>) -> tensor<64x1xf32>
  %3 = keratin.reshape %1 : (tensor<64xf32>) -> tensor<64x1xf32>
  %z = keratin.concatenate %2, %3 {axis = 1 : i64} : (tensor<64x1xf32>, tensor<64x1xf32>) -> tensor<64x2xf32>
  return %z : tensor<64x2xf32>
}

// Lines stay where they are until a stage puts its factor before them.
// CHECK-LABEL: func.func @other_factors_are_contractions_with_rotations_between
// CHECK:         keratin.dot_general {{.*}} : (tensor<44x55xf64>, tensor<44x44xf64>) -> tensor<55x44xf64>
// CHECK:         %[[TURNED:.*]] = keratin.transpose %{{.*}} permutation = [0, 3, 2, 4, 1, 5] : (tensor<2x22x5x11x1x1xf64>)
// CHECK:         %[[OTHER:.*]] = keratin.reverse %[[TURNED]] axes = [0]
// CHECK:         keratin.dot_general {{.*}} : (tensor<22x22xf64>, tensor<22x110xf64>) -> tensor<22x110xf64>
// CHECK-NOT:     keratin.dot_general
// CHECK:         return
func.func @other_factors_are_contractions_with_rotations_between(%a: tensor<5x242xf64>, %b: tensor<5x242xf64>) -> (tensor<5x242xf64>, tensor<5x242xf64>) {
  %y:2 = keratin.fft %a, %b : (tensor<5x242xf64>, tensor<5x242xf64>) -> (tensor<5x242xf64>, tensor<5x242xf64>)
  return %y#0, %y#1 : tensor<5x242xf64>, tensor<5x242xf64>
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
// CHECK-NOT:     keratin.dot_general
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
// CHECK:         %[[PAIRS:.*]] = keratin.reshape %[[X]] : (tensor<3x96xf32>) -> tensor<3x48x2xf32>
// CHECK:         keratin.delay %[[PAIRS]]
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
// CHECK:         keratin.dot_general
// CHECK:         keratin.transpose %{{.*}} permutation = [1, 2, 0] : (tensor<2x1x48xf32>) -> tensor<1x48x2xf32>
func.func @real_parts_alone_take_half_the_length(%a: tensor<96xf32>, %b: tensor<96xf32>) -> tensor<96xf32> {
  %y:2 = keratin.fft %a, %b : (tensor<96xf32>, tensor<96xf32>) -> (tensor<96xf32>, tensor<96xf32>)
  return %y#0 : tensor<96xf32>
}
