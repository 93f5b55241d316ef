// RUN: keratin-opt %s --keratin-canonicalize | FileCheck %s
// RUN: keratin-opt %s --keratin-canonicalize --keratin-canonicalize | FileCheck %s
// RUN: keratin-run %s --function=shuffle --random --check --quiet
// RUN: keratin-run %s --function=groups_with_an_activation --random --check --quiet

// Channels of images are shuffled where they lie, behind all others.
// CHECK-LABEL: func.func @shuffle
// CHECK-SAME:  (%[[X:.*]]: tensor<2x5x7x12xf32>
// CHECK:         %[[A:.*]] = keratin.reshape %[[X]] : {{.*}} -> tensor<2x5x7x4x3xf32>
// CHECK-NEXT:    %[[B:.*]] = keratin.transpose %[[A]] permutation = [0, 1, 2, 4, 3]
// CHECK-NEXT:    %[[C:.*]] = keratin.reshape %[[B]] : {{.*}} -> tensor<2x5x7x12xf32>
// CHECK-NEXT:    return %[[C]]
func.func @shuffle(%x: tensor<2x5x7x12xf32>) -> tensor<2x5x7x12xf32> {
  %0 = keratin.transpose %x permutation = [0, 3, 1, 2] : (tensor<2x5x7x12xf32>) -> tensor<2x12x5x7xf32>
  %1 = keratin.reshape %0 : (tensor<2x12x5x7xf32>) -> tensor<2x4x3x5x7xf32>
  %2 = keratin.transpose %1 permutation = [0, 2, 1, 3, 4] : (tensor<2x4x3x5x7xf32>) -> tensor<2x3x4x5x7xf32>
  %3 = keratin.reshape %2 : (tensor<2x3x4x5x7xf32>) -> tensor<2x12x5x7xf32>
  %4 = keratin.transpose %3 permutation = [0, 2, 3, 1] : (tensor<2x12x5x7xf32>) -> tensor<2x5x7x12xf32>
  return %4 : tensor<2x5x7x12xf32>
}

// Each pixel four times, of sizes that the call knows.
// CHECK-LABEL: func.func @repeated_pixels
// CHECK-NOT:     keratin.transpose
// CHECK:         return
func.func @repeated_pixels(%x: tensor<?x?x?x3xf32, #keratin.dims<d0, d1, d2, 3>>) -> tensor<?x?x?x3xf32, #keratin.dims<d0, 2*d1, 2*d2, 3>> {
  %0 = keratin.transpose %x permutation = [0, 3, 1, 2] : (tensor<?x?x?x3xf32, #keratin.dims<d0, d1, d2, 3>>) -> tensor<?x3x?x?xf32, #keratin.dims<d0, 3, d1, d2>>
  %1 = keratin.broadcast %0 dims = [0, 1, 2, 4] : (tensor<?x3x?x?xf32, #keratin.dims<d0, 3, d1, d2>>) -> tensor<?x3x?x2x?xf32, #keratin.dims<d0, 3, d1, 2, d2>>
  %2 = keratin.reshape %1 : (tensor<?x3x?x2x?xf32, #keratin.dims<d0, 3, d1, 2, d2>>) -> tensor<?x3x?x?xf32, #keratin.dims<d0, 3, 2*d1, d2>>
  %3 = keratin.broadcast %2 dims = [0, 1, 2, 3] : (tensor<?x3x?x?xf32, #keratin.dims<d0, 3, 2*d1, d2>>) -> tensor<?x3x?x?x2xf32, #keratin.dims<d0, 3, 2*d1, d2, 2>>
  %4 = keratin.reshape %3 : (tensor<?x3x?x?x2xf32, #keratin.dims<d0, 3, 2*d1, d2, 2>>) -> tensor<?x3x?x?xf32, #keratin.dims<d0, 3, 2*d1, 2*d2>>
  %5 = keratin.transpose %4 permutation = [0, 2, 3, 1] : (tensor<?x3x?x?xf32, #keratin.dims<d0, 3, 2*d1, 2*d2>>) -> tensor<?x?x?x3xf32, #keratin.dims<d0, 2*d1, 2*d2, 3>>
  return %5 : tensor<?x?x?x3xf32, #keratin.dims<d0, 2*d1, 2*d2, 3>>
}

// Rows of two dimensions that lie apart are one only behind the transpose.
// CHECK-LABEL: func.func @no_move_where_the_transpose_brings_together
// CHECK:         keratin.transpose
// CHECK-NEXT:    keratin.reshape
// CHECK-NEXT:    return
func.func @no_move_where_the_transpose_brings_together(%x: tensor<2x4x3x5xf32>) -> tensor<2x3x20xf32> {
  %0 = keratin.transpose %x permutation = [0, 2, 1, 3] : (tensor<2x4x3x5xf32>) -> tensor<2x3x4x5xf32>
  %1 = keratin.reshape %0 : (tensor<2x3x4x5xf32>) -> tensor<2x3x20xf32>
  return %1 : tensor<2x3x20xf32>
}

// 6 channels do not become 2 by what a transpose leaves side by side.
// CHECK-LABEL: func.func @no_move_where_sizes_mix
// CHECK:         keratin.transpose
// CHECK-NEXT:    keratin.reshape
// CHECK-NEXT:    return
func.func @no_move_where_sizes_mix(%x: tensor<4x6xf32>) -> tensor<8x3xf32> {
  %0 = keratin.transpose %x permutation = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %1 = keratin.reshape %0 : (tensor<6x4xf32>) -> tensor<8x3xf32>
  return %1 : tensor<8x3xf32>
}

// CHECK-LABEL: func.func @no_move_where_the_transpose_is_needed
// CHECK:         %[[T:.*]] = keratin.transpose
// CHECK-NEXT:    keratin.reshape %[[T]]
func.func @no_move_where_the_transpose_is_needed(%x: tensor<4x6xf32>) -> (tensor<6x4xf32>, tensor<2x3x4xf32>) {
  %0 = keratin.transpose %x permutation = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %1 = keratin.reshape %0 : (tensor<6x4xf32>) -> tensor<2x3x4xf32>
  return %0, %1 : tensor<6x4xf32>, tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @groups_with_an_activation
// CHECK:         %[[Y:.*]] = keratin.convolution
// CHECK-NOT:     keratin.reshape %[[Y]]
// CHECK:         keratin.add %[[Y]]
// CHECK:         %[[M:.*]] = keratin.maximum
// CHECK-NEXT:    keratin.reshape %[[M]]
func.func @groups_with_an_activation(%x: tensor<1x8x8x2x3xf32>, %w: tensor<3x3x2x3x4xf32>, %b: tensor<8xf32>) -> tensor<1x8x8x8xf32> {
  %0 = keratin.convolution %x, %w dims = "b01gc,01gcf->b01gf" strides = [1, 1] low = <1, 1> x_dilation = [1, 1] dilation = [1, 1] reversed = [false, false] : (tensor<1x8x8x2x3xf32>, tensor<3x3x2x3x4xf32>) -> tensor<1x8x8x2x4xf32>
  %1 = keratin.reshape %0 : (tensor<1x8x8x2x4xf32>) -> tensor<1x8x8x8xf32>
  %2 = keratin.broadcast %b dims = [3] : (tensor<8xf32>) -> tensor<1x8x8x8xf32>
  %3 = keratin.add %1, %2 : (tensor<1x8x8x8xf32>, tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
  %z = keratin.constant dense<0.0> : tensor<f32>
  %4 = keratin.broadcast %z dims = [] : (tensor<f32>) -> tensor<1x8x8x8xf32>
  %5 = keratin.maximum %3, %4 : (tensor<1x8x8x8xf32>, tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
  return %5 : tensor<1x8x8x8xf32>
}
