// RUN: keratin-opt %s --keratin-fold-constants | FileCheck %s
// RUN: keratin-opt %s --keratin-fold-constants=max-bytes=8 | FileCheck %s --check-prefix=SMALL
// RUN: keratin-opt %s --keratin-fold-constants | keratin-check --function=sum_at_known_places --compiled | FileCheck %s --check-prefix=VALUE

// CHECK-LABEL: func.func @chain_is_folded_and_rounded
// CHECK-NEXT:    %[[C:.*]] = keratin.constant dense<[1.000000e+00, 1.41421354, 2.000000e+00]> : tensor<3xf32>
// CHECK-NEXT:    return %[[C]]
// SMALL-LABEL: func.func @chain_is_folded_and_rounded
// SMALL:         keratin.sqrt
func.func @chain_is_folded_and_rounded() -> tensor<3xf32> {
  %0 = keratin.constant dense<[0.0, 1.0, 3.0]> : tensor<3xf32>
  %1 = keratin.constant dense<1.0> : tensor<f32>
  %2 = keratin.broadcast %1 dims = [] : (tensor<f32>) -> tensor<3xf32>
  %3 = keratin.add %0, %2 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %4 = keratin.sqrt %3 : (tensor<3xf32>) -> tensor<3xf32>
  return %4 : tensor<3xf32>
}

// CHECK-LABEL: func.func @splat_stays_scalar_and_broadcast
// CHECK-NEXT:    %[[C:.*]] = keratin.constant dense<3.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[B:.*]] = keratin.broadcast %[[C]] dims = [] : (tensor<f32>) -> tensor<2x2xf32>
// CHECK-NEXT:    return %[[B]]
func.func @splat_stays_scalar_and_broadcast() -> tensor<2x2xf32> {
  %0 = keratin.constant dense<[[1.0, 2.0], [1.0, 2.0]]> : tensor<2x2xf32>
  %1 = keratin.constant dense<[[2.0, 1.0], [2.0, 1.0]]> : tensor<2x2xf32>
  %2 = keratin.add %0, %1 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %2 : tensor<2x2xf32>
}

// CHECK-LABEL: func.func @integers_wrap
// CHECK-NEXT:    keratin.constant dense<[-128, 4]> : tensor<2xi8>
func.func @integers_wrap() -> tensor<2xi8> {
  %0 = keratin.constant dense<[127, 3]> : tensor<2xi8>
  %1 = keratin.constant dense<1> : tensor<i8>
  %2 = keratin.broadcast %1 dims = [] : (tensor<i8>) -> tensor<2xi8>
  %3 = keratin.add %0, %2 : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8>
  return %3 : tensor<2xi8>
}

// A contraction widens short integers for itself; the sum of them is a number.
// CHECK-LABEL: func.func @short_integers_of_a_contraction_stay
// CHECK-NEXT:    %[[W:.*]] = keratin.constant dense<{{.*}}> : tensor<2x2xi8>
// CHECK-NEXT:    %[[WIDE:.*]] = keratin.cast %[[W]]
// CHECK-NEXT:    %[[Y:.*]] = keratin.dot_general %arg0, %[[WIDE]]
// CHECK-NEXT:    %[[SUMS:.*]] = keratin.constant dense<[4, -2]> : tensor<2xi32>
// CHECK-NEXT:    return %[[Y]], %[[SUMS]]
func.func @short_integers_of_a_contraction_stay(%x: tensor<3x2xi32>) -> (tensor<3x2xi32>, tensor<2xi32>) {
  %0 = keratin.constant dense<[[1, 2], [3, -4]]> : tensor<2x2xi8>
  %1 = keratin.cast %0 : (tensor<2x2xi8>) -> tensor<2x2xi32>
  %2 = keratin.dot_general %x, %1 batch = [] x [] contract = [1] x [0] : (tensor<3x2xi32>, tensor<2x2xi32>) -> tensor<3x2xi32>
  %3 = keratin.reduce_sum %1 axes = [0] : (tensor<2x2xi32>) -> tensor<2xi32>
  return %2, %3 : tensor<3x2xi32>, tensor<2xi32>
}

// CHECK-LABEL: func.func @unknown_size_is_not_folded
// CHECK:         keratin.exp
func.func @unknown_size_is_not_folded(%x: tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>> {
  %0 = keratin.constant dense<1.0> : tensor<f32>
  %1 = keratin.broadcast %0 dims = [] : (tensor<f32>) -> tensor<?xf32, #keratin.dims<d0>>
  %2 = keratin.exp %1 : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  return %2 : tensor<?xf32, #keratin.dims<d0>>
}

// CHECK-LABEL: func.func @broadcast_of_scalar_stays
// CHECK:         keratin.broadcast
func.func @broadcast_of_scalar_stays() -> tensor<4xf32> {
  %0 = keratin.constant dense<1.0> : tensor<f32>
  %1 = keratin.broadcast %0 dims = [] : (tensor<f32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// The index is out of range: an error when it is called, not here.
// CHECK-LABEL: func.func @failing_op_is_left
// CHECK:         keratin.gather
func.func @failing_op_is_left() -> tensor<1xf32> {
  %0 = keratin.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %1 = keratin.constant dense<[5]> : tensor<1xi32>
  %2 = keratin.gather %0, %1 : (tensor<2xf32>, tensor<1xi32>) -> tensor<1xf32>
  return %2 : tensor<1xf32>
}

// CHECK-LABEL: func.func @print_is_not_folded
// CHECK:         keratin.print
func.func @print_is_not_folded() -> tensor<f32> {
  %0 = keratin.constant dense<1.0> : tensor<f32>
  %1 = keratin.print "x" %0 : tensor<f32>
  return %1 : tensor<f32>
}

// CHECK-LABEL: func.func @windows
// CHECK-NOT:     keratin.convolution
// CHECK-NOT:     keratin.window_max
// CHECK:         keratin.constant dense<[2.300000e+01, 3.400000e+01]> : tensor<2xf32>
func.func @windows() -> tensor<2xf32> {
  %0 = keratin.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %1 = keratin.constant dense<[10.0, 1.0]> : tensor<2xf32>
  %2 = keratin.convolution %0, %1 dims = "0,0->0" strides = [1] low = <0> x_dilation = [1] dilation = [1] reversed = [false] : (tensor<4xf32>, tensor<2xf32>) -> tensor<3xf32>
  %3 = keratin.window_max %2 window = [2] strides = [1] low = <0> : (tensor<3xf32>) -> tensor<2xf32>
  return %3 : tensor<2xf32>
}

// Each of 10,000 windows covers 10,000 elements.
// CHECK-LABEL: func.func @too_much_work_in_windows
// CHECK:         keratin.window_max
func.func @too_much_work_in_windows() -> tensor<10000xf32> {
  %0 = keratin.constant dense<1.0> : tensor<f32>
  %1 = keratin.broadcast %0 dims = [] : (tensor<f32>) -> tensor<10000xf32>
  %2 = keratin.window_max %1 window = [10000] strides = [1] low = <5000> : (tensor<10000xf32>) -> tensor<10000xf32>
  return %2 : tensor<10000xf32>
}

// Elements follow others at the same place. The last place has one, and no element 31.
// CHECK-LABEL: func.func @sum_at_known_places
// CHECK-SAME:    %[[U:[^:]*]]: tensor<31xf32>
// CHECK-NEXT:    %[[WHICH:.*]] = keratin.constant dense<{{\[\[}}0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30], [1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31]]> : tensor<2x16xi32>
// CHECK-NEXT:    %[[OWN:.*]] = keratin.gather %[[U]], %[[WHICH]] {{.*}}keratin.own_rows{{.*}} : (tensor<31xf32>, tensor<2x16xi32>) -> tensor<2x16xf32>
// CHECK-NEXT:    %[[SUM:.*]] = keratin.reduce_sum %[[OWN]] axes = [0] : (tensor<2x16xf32>) -> tensor<16xf32>
// CHECK-NEXT:    return %[[SUM]]
// VALUE:       result #0: tensor<16xf32> [3, 7, 11, 15, 19, 23, 27, 31, 35, 39, 43, 47, 51, 55, 59, 31]
func.func @sum_at_known_places(%u: tensor<31xf32> {check.value = dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0, 19.0, 20.0, 21.0, 22.0, 23.0, 24.0, 25.0, 26.0, 27.0, 28.0, 29.0, 30.0, 31.0]> : tensor<31xf32>}) -> tensor<16xf32> {
  %i = keratin.constant dense<[0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14, 15]> : tensor<31xi32>
  %0 = keratin.scatter_add %i, %u : (tensor<31xi32>, tensor<31xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// CHECK-LABEL: func.func @no_sum_where_no_element_waits
// CHECK:         keratin.scatter_add
func.func @no_sum_where_no_element_waits(%u: tensor<20xf32>) -> tensor<16xf32> {
  %i = keratin.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3]> : tensor<20xi32>
  %0 = keratin.scatter_add %i, %u : (tensor<20xi32>, tensor<20xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// CHECK-LABEL: func.func @no_sum_where_one_place_has_most
// CHECK:         keratin.scatter_add
func.func @no_sum_where_one_place_has_most(%u: tensor<6xf32>) -> tensor<16xf32> {
  %i = keratin.constant dense<[2, 2, 2, 5, 2, 2]> : tensor<6xi32>
  %0 = keratin.scatter_add %i, %u : (tensor<6xi32>, tensor<6xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// CHECK-LABEL: func.func @no_sum_at_few_places
// CHECK:         keratin.scatter_add
func.func @no_sum_at_few_places(%u: tensor<4xf32>) -> tensor<3xf32> {
  %i = keratin.constant dense<[0, 1, 2, 2]> : tensor<4xi32>
  %0 = keratin.scatter_add %i, %u : (tensor<4xi32>, tensor<4xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: func.func @no_sum_of_rows
// CHECK:         keratin.scatter_add
func.func @no_sum_of_rows(%u: tensor<16x2xf32>) -> tensor<16x2xf32> {
  %i = keratin.constant dense<[15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]> : tensor<16xi32>
  %0 = keratin.scatter_add %i, %u : (tensor<16xi32>, tensor<16x2xf32>) -> tensor<16x2xf32>
  return %0 : tensor<16x2xf32>
}

// The call fails.
// CHECK-LABEL: func.func @no_sum_at_places_outside
// CHECK:         keratin.scatter_add
func.func @no_sum_at_places_outside(%u: tensor<16xf32>) -> tensor<16xf32> {
  %i = keratin.constant dense<[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]> : tensor<16xi32>
  %0 = keratin.scatter_add %i, %u : (tensor<16xi32>, tensor<16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// CHECK-LABEL: func.func @no_sum_before_gradients
// CHECK:         keratin.scatter_add
func.func @no_sum_before_gradients(%u: tensor<16xf32>) -> tensor<16xf32> {
  %i = keratin.constant dense<[15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]> : tensor<16xi32>
  %0 = keratin.scatter_add %i, %u : (tensor<16xi32>, tensor<16xf32>) -> tensor<16xf32>
  %1 = keratin.gradients %0 wrt %u : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  return %1 : tensor<16xf32>
}
