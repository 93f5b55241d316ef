// RUN: keratin-opt %s --keratin-fold-constants | FileCheck %s
// RUN: keratin-opt %s --keratin-fold-constants=max-bytes=8 | FileCheck %s --check-prefix=SMALL

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
