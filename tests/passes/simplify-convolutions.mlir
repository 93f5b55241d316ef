// RUN: keratin-opt %s --keratin-canonicalize | FileCheck %s

// CHECK-LABEL: func.func @one_tap_is_a_contraction
// CHECK-SAME:    (%[[X:[^:]*]]: tensor<2x5x6x3xf32>, %[[W:[^:]*]]: tensor<1x1x3x8xf32>)
// CHECK:         %[[M:.*]] = keratin.reshape %[[W]] : (tensor<1x1x3x8xf32>) -> tensor<3x8xf32>
// CHECK:         %[[Y:.*]] = keratin.dot_general %[[X]], %[[M]] batch = [] x [] contract = [3] x [0]
// CHECK:         return %[[Y]]
func.func @one_tap_is_a_contraction(%x: tensor<2x5x6x3xf32>, %w: tensor<1x1x3x8xf32>) -> tensor<2x5x6x8xf32> {
  %y = keratin.convolution %x, %w dims = "b01c,01cf->b01f" strides = [1, 1] low = <0, 0> x_dilation = [1, 1] dilation = [1, 1] reversed = [false, true]
      : (tensor<2x5x6x3xf32>, tensor<1x1x3x8xf32>) -> tensor<2x5x6x8xf32>
  return %y : tensor<2x5x6x8xf32>
}

// CHECK-LABEL: func.func @one_tap_of_unknown_sizes
// CHECK:         keratin.dot_general
// CHECK-NOT:     keratin.convolution
func.func @one_tap_of_unknown_sizes(%x: tensor<?x?x3xf32, #keratin.dims<d0, d1, 3>>, %w: tensor<1x3x8xf32>)
    -> tensor<?x?x8xf32, #keratin.dims<d0, d1, 8>> {
  %y = keratin.convolution %x, %w dims = "b0c,0cf->b0f" strides = [1] low = <0> x_dilation = [1] dilation = [1] reversed = [false]
      : (tensor<?x?x3xf32, #keratin.dims<d0, d1, 3>>, tensor<1x3x8xf32>) -> tensor<?x?x8xf32, #keratin.dims<d0, d1, 8>>
  return %y : tensor<?x?x8xf32, #keratin.dims<d0, d1, 8>>
}

// The gradient of such a filter: one output along each window, which meets all of x.
// CHECK-LABEL: func.func @windows_as_large_as_x_are_depth
// CHECK:         keratin.dot_general %{{.*}}, %{{.*}} batch = [] x [] contract = [0, 1, 2] x [0, 1, 2]
// CHECK-SAME:      -> tensor<3x8xf32>
// CHECK-NOT:     keratin.convolution
func.func @windows_as_large_as_x_are_depth(%x: tensor<2x5x6x3xf32>, %dy: tensor<2x5x6x8xf32>) -> tensor<1x1x3x8xf32> {
  %w = keratin.convolution %x, %dy dims = "c01b,c01f->01bf" strides = [1, 1] low = <0, 0> x_dilation = [1, 1] dilation = [1, 1] reversed = [false, false]
      : (tensor<2x5x6x3xf32>, tensor<2x5x6x8xf32>) -> tensor<1x1x3x8xf32>
  return %w : tensor<1x1x3x8xf32>
}

// CHECK-LABEL: func.func @channels_first
// CHECK:         keratin.dot_general
// CHECK-NOT:     keratin.convolution
func.func @channels_first(%x: tensor<3x5x6xf32>, %w: tensor<1x1x3x8xf32>) -> tensor<8x5x6xf32> {
  %y = keratin.convolution %x, %w dims = "c01,01cf->f01" strides = [1, 1] low = <0, 0> x_dilation = [1, 1] dilation = [1, 1] reversed = [false, false]
      : (tensor<3x5x6xf32>, tensor<1x1x3x8xf32>) -> tensor<8x5x6xf32>
  return %y : tensor<8x5x6xf32>
}

// CHECK-LABEL: func.func @strides_need_copies
// CHECK:         keratin.convolution
func.func @strides_need_copies(%x: tensor<2x5x6x3xf32>, %w: tensor<1x1x3x8xf32>) -> tensor<2x3x3x8xf32> {
  %y = keratin.convolution %x, %w dims = "b01c,01cf->b01f" strides = [2, 2] low = <0, 0> x_dilation = [1, 1] dilation = [1, 1] reversed = [false, false]
      : (tensor<2x5x6x3xf32>, tensor<1x1x3x8xf32>) -> tensor<2x3x3x8xf32>
  return %y : tensor<2x3x3x8xf32>
}

// CHECK-LABEL: func.func @padding_is_no_contraction
// CHECK:         keratin.convolution
func.func @padding_is_no_contraction(%x: tensor<2x5x3xf32>, %w: tensor<1x3x8xf32>) -> tensor<2x6x8xf32> {
  %y = keratin.convolution %x, %w dims = "b0c,0cf->b0f" strides = [1] low = <1> x_dilation = [1] dilation = [1] reversed = [false]
      : (tensor<2x5x3xf32>, tensor<1x3x8xf32>) -> tensor<2x6x8xf32>
  return %y : tensor<2x6x8xf32>
}

// CHECK-LABEL: func.func @groups_stay
// CHECK:         keratin.convolution
func.func @groups_stay(%x: tensor<2x5x4x3xf32>, %w: tensor<1x4x3x8xf32>) -> tensor<2x5x4x8xf32> {
  %y = keratin.convolution %x, %w dims = "b0gc,0gcf->b0gf" strides = [1] low = <0> x_dilation = [1] dilation = [1] reversed = [false]
      : (tensor<2x5x4x3xf32>, tensor<1x4x3x8xf32>) -> tensor<2x5x4x8xf32>
  return %y : tensor<2x5x4x8xf32>
}

// CHECK-LABEL: func.func @windows_over_one_element_are_dropped
// CHECK:         keratin.reshape %{{.*}} : (tensor<2x9x1x3xf32>) -> tensor<2x9x3xf32>
// CHECK:         keratin.convolution %{{.*}}, %{{.*}} dims = "b0c,0cf->b0f" strides = [2] low = <1>
// CHECK:         keratin.reshape %{{.*}} : (tensor<2x5x8xf32>) -> tensor<2x5x1x8xf32>
func.func @windows_over_one_element_are_dropped(%x: tensor<2x9x1x3xf32>, %w: tensor<3x1x3x8xf32>) -> tensor<2x5x1x8xf32> {
  %y = keratin.convolution %x, %w dims = "b01c,01cf->b01f" strides = [2, 1] low = <1, 0> x_dilation = [1, 1] dilation = [1, 1] reversed = [false, false]
      : (tensor<2x9x1x3xf32>, tensor<3x1x3x8xf32>) -> tensor<2x5x1x8xf32>
  return %y : tensor<2x5x1x8xf32>
}
