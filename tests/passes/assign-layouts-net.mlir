// RUN: keratin-opt %s --keratin-pipeline=stop-after=simplified | FileCheck %s

// A net on channels-first images, each function with its own transposes at both ends: convolution,
// bias, relu, pooling, convolution. One transpose is left at each end.
// CHECK-LABEL: func.func @net
// CHECK:         %[[X:.*]] = keratin.transpose %arg0 permutation = [0, 2, 3, 1]
// CHECK-NOT:     keratin.transpose
// CHECK:         keratin.convolution %[[X]]
// CHECK-NOT:     keratin.transpose
// CHECK:         keratin.window_max
// CHECK-NOT:     keratin.transpose
// CHECK:         %[[Y:.*]] = keratin.convolution
// CHECK-NOT:     keratin.transpose
// CHECK:         %[[Z:.*]] = keratin.maximum %[[Y]]
// CHECK-NEXT:    %[[R:.*]] = keratin.transpose %[[Z]] permutation = [0, 3, 1, 2]
// CHECK-NEXT:    return %[[R]]
func.func @net(%x: tensor<?x3x32x32xf32, #keratin.dims<d0, 3, 32, 32>> {keratin.kind = "input"},
               %w: tensor<3x3x3x16xf32> {keratin.kind = "variable"}, %b: tensor<16xf32> {keratin.kind = "variable"},
               %v: tensor<3x3x16x8xf32> {keratin.kind = "variable"}) -> tensor<?x8x16x16xf32, #keratin.dims<d0, 8, 16, 16>> {
  %zero = keratin.constant dense<0.0> : tensor<f32>
  %0 = keratin.transpose %x permutation = [0, 2, 3, 1] : (tensor<?x3x32x32xf32, #keratin.dims<d0, 3, 32, 32>>) -> tensor<?x32x32x3xf32, #keratin.dims<d0, 32, 32, 3>>
  %1 = keratin.convolution %0, %w dims = "b01c,01cf->b01f" strides = [1, 1] low = <1, 1> x_dilation = [1, 1] dilation = [1, 1] reversed = [false, false]
      : (tensor<?x32x32x3xf32, #keratin.dims<d0, 32, 32, 3>>, tensor<3x3x3x16xf32>) -> tensor<?x32x32x16xf32, #keratin.dims<d0, 32, 32, 16>>
  %2 = keratin.transpose %1 permutation = [0, 3, 1, 2] : (tensor<?x32x32x16xf32, #keratin.dims<d0, 32, 32, 16>>) -> tensor<?x16x32x32xf32, #keratin.dims<d0, 16, 32, 32>>
  %3 = keratin.broadcast %b dims = [1] : (tensor<16xf32>) -> tensor<?x16x32x32xf32, #keratin.dims<d0, 16, 32, 32>>
  %4 = keratin.add %2, %3 : (tensor<?x16x32x32xf32, #keratin.dims<d0, 16, 32, 32>>, tensor<?x16x32x32xf32, #keratin.dims<d0, 16, 32, 32>>) -> tensor<?x16x32x32xf32, #keratin.dims<d0, 16, 32, 32>>
  %5 = keratin.broadcast %zero dims = [] : (tensor<f32>) -> tensor<?x16x32x32xf32, #keratin.dims<d0, 16, 32, 32>>
  %6 = keratin.maximum %4, %5 : (tensor<?x16x32x32xf32, #keratin.dims<d0, 16, 32, 32>>, tensor<?x16x32x32xf32, #keratin.dims<d0, 16, 32, 32>>) -> tensor<?x16x32x32xf32, #keratin.dims<d0, 16, 32, 32>>
  %7 = keratin.transpose %6 permutation = [0, 2, 3, 1] : (tensor<?x16x32x32xf32, #keratin.dims<d0, 16, 32, 32>>) -> tensor<?x32x32x16xf32, #keratin.dims<d0, 32, 32, 16>>
  %8 = keratin.window_max %7 window = [1, 2, 2, 1] strides = [1, 2, 2, 1] low = <0, 0, 0, 0> : (tensor<?x32x32x16xf32, #keratin.dims<d0, 32, 32, 16>>) -> tensor<?x16x16x16xf32, #keratin.dims<d0, 16, 16, 16>>
  %9 = keratin.transpose %8 permutation = [0, 3, 1, 2] : (tensor<?x16x16x16xf32, #keratin.dims<d0, 16, 16, 16>>) -> tensor<?x16x16x16xf32, #keratin.dims<d0, 16, 16, 16>>
  %10 = keratin.transpose %9 permutation = [0, 2, 3, 1] : (tensor<?x16x16x16xf32, #keratin.dims<d0, 16, 16, 16>>) -> tensor<?x16x16x16xf32, #keratin.dims<d0, 16, 16, 16>>
  %11 = keratin.convolution %10, %v dims = "b01c,01cf->b01f" strides = [1, 1] low = <1, 1> x_dilation = [1, 1] dilation = [1, 1] reversed = [false, false]
      : (tensor<?x16x16x16xf32, #keratin.dims<d0, 16, 16, 16>>, tensor<3x3x16x8xf32>) -> tensor<?x16x16x8xf32, #keratin.dims<d0, 16, 16, 8>>
  %12 = keratin.transpose %11 permutation = [0, 3, 1, 2] : (tensor<?x16x16x8xf32, #keratin.dims<d0, 16, 16, 8>>) -> tensor<?x8x16x16xf32, #keratin.dims<d0, 8, 16, 16>>
  %13 = keratin.broadcast %zero dims = [] : (tensor<f32>) -> tensor<?x8x16x16xf32, #keratin.dims<d0, 8, 16, 16>>
  %14 = keratin.maximum %12, %13 : (tensor<?x8x16x16xf32, #keratin.dims<d0, 8, 16, 16>>, tensor<?x8x16x16xf32, #keratin.dims<d0, 8, 16, 16>>) -> tensor<?x8x16x16xf32, #keratin.dims<d0, 8, 16, 16>>
  return %14 : tensor<?x8x16x16xf32, #keratin.dims<d0, 8, 16, 16>>
}

// The same, trained: what flows back is channels last too, and the parameters' gradients need no
// transpose.
// CHECK-LABEL: func.func @train
// CHECK:         keratin.transpose %arg0 permutation = [0, 2, 3, 1]
// CHECK-NOT:     keratin.transpose
// CHECK:         keratin.window_scatter
// CHECK-NOT:     keratin.transpose
// CHECK:         return
func.func @train(%x: tensor<?x3x32x32xf32, #keratin.dims<d0, 3, 32, 32>> {keratin.kind = "input"},
               %w: tensor<3x3x3x16xf32> {keratin.kind = "variable"}, %b: tensor<16xf32> {keratin.kind = "variable"},
               %v: tensor<3x3x16x8xf32> {keratin.kind = "variable"}) -> (tensor<3x3x3x16xf32>, tensor<16xf32>, tensor<3x3x16x8xf32>) {
  %zero = keratin.constant dense<0.0> : tensor<f32>
  %0 = keratin.transpose %x permutation = [0, 2, 3, 1] : (tensor<?x3x32x32xf32, #keratin.dims<d0, 3, 32, 32>>) -> tensor<?x32x32x3xf32, #keratin.dims<d0, 32, 32, 3>>
  %1 = keratin.convolution %0, %w dims = "b01c,01cf->b01f" strides = [1, 1] low = <1, 1> x_dilation = [1, 1] dilation = [1, 1] reversed = [false, false]
      : (tensor<?x32x32x3xf32, #keratin.dims<d0, 32, 32, 3>>, tensor<3x3x3x16xf32>) -> tensor<?x32x32x16xf32, #keratin.dims<d0, 32, 32, 16>>
  %2 = keratin.transpose %1 permutation = [0, 3, 1, 2] : (tensor<?x32x32x16xf32, #keratin.dims<d0, 32, 32, 16>>) -> tensor<?x16x32x32xf32, #keratin.dims<d0, 16, 32, 32>>
  %3 = keratin.broadcast %b dims = [1] : (tensor<16xf32>) -> tensor<?x16x32x32xf32, #keratin.dims<d0, 16, 32, 32>>
  %4 = keratin.add %2, %3 : (tensor<?x16x32x32xf32, #keratin.dims<d0, 16, 32, 32>>, tensor<?x16x32x32xf32, #keratin.dims<d0, 16, 32, 32>>) -> tensor<?x16x32x32xf32, #keratin.dims<d0, 16, 32, 32>>
  %5 = keratin.broadcast %zero dims = [] : (tensor<f32>) -> tensor<?x16x32x32xf32, #keratin.dims<d0, 16, 32, 32>>
  %6 = keratin.maximum %4, %5 : (tensor<?x16x32x32xf32, #keratin.dims<d0, 16, 32, 32>>, tensor<?x16x32x32xf32, #keratin.dims<d0, 16, 32, 32>>) -> tensor<?x16x32x32xf32, #keratin.dims<d0, 16, 32, 32>>
  %7 = keratin.transpose %6 permutation = [0, 2, 3, 1] : (tensor<?x16x32x32xf32, #keratin.dims<d0, 16, 32, 32>>) -> tensor<?x32x32x16xf32, #keratin.dims<d0, 32, 32, 16>>
  %8 = keratin.window_max %7 window = [1, 2, 2, 1] strides = [1, 2, 2, 1] low = <0, 0, 0, 0> : (tensor<?x32x32x16xf32, #keratin.dims<d0, 32, 32, 16>>) -> tensor<?x16x16x16xf32, #keratin.dims<d0, 16, 16, 16>>
  %9 = keratin.transpose %8 permutation = [0, 3, 1, 2] : (tensor<?x16x16x16xf32, #keratin.dims<d0, 16, 16, 16>>) -> tensor<?x16x16x16xf32, #keratin.dims<d0, 16, 16, 16>>
  %10 = keratin.transpose %9 permutation = [0, 2, 3, 1] : (tensor<?x16x16x16xf32, #keratin.dims<d0, 16, 16, 16>>) -> tensor<?x16x16x16xf32, #keratin.dims<d0, 16, 16, 16>>
  %11 = keratin.convolution %10, %v dims = "b01c,01cf->b01f" strides = [1, 1] low = <1, 1> x_dilation = [1, 1] dilation = [1, 1] reversed = [false, false]
      : (tensor<?x16x16x16xf32, #keratin.dims<d0, 16, 16, 16>>, tensor<3x3x16x8xf32>) -> tensor<?x16x16x8xf32, #keratin.dims<d0, 16, 16, 8>>
  %12 = keratin.transpose %11 permutation = [0, 3, 1, 2] : (tensor<?x16x16x8xf32, #keratin.dims<d0, 16, 16, 8>>) -> tensor<?x8x16x16xf32, #keratin.dims<d0, 8, 16, 16>>
  %13 = keratin.broadcast %zero dims = [] : (tensor<f32>) -> tensor<?x8x16x16xf32, #keratin.dims<d0, 8, 16, 16>>
  %14 = keratin.maximum %12, %13 : (tensor<?x8x16x16xf32, #keratin.dims<d0, 8, 16, 16>>, tensor<?x8x16x16xf32, #keratin.dims<d0, 8, 16, 16>>) -> tensor<?x8x16x16xf32, #keratin.dims<d0, 8, 16, 16>>
  %g:3 = keratin.gradients %14 wrt %w, %b, %v : (tensor<?x8x16x16xf32, #keratin.dims<d0, 8, 16, 16>>, tensor<3x3x3x16xf32>, tensor<16xf32>, tensor<3x3x16x8xf32>)
      -> (tensor<3x3x3x16xf32>, tensor<16xf32>, tensor<3x3x16x8xf32>)
  return %g#0, %g#1, %g#2 : tensor<3x3x3x16xf32>, tensor<16xf32>, tensor<3x3x16x8xf32>
}
