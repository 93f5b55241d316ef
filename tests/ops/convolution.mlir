// RUN: keratin-opt %s --keratin-differentiate --cse | FileCheck %s --check-prefix=GRAD
// RUN: keratin-opt %s --keratin-differentiate | keratin-check | FileCheck %s --check-prefix=VALUE

// Both gradients are convolutions: strides and dilations change places, and the filter is walked
// from its end.
// GRAD-LABEL: func.func @main
// GRAD-SAME:    %[[X:[^:]*]]: tensor<1x6x1xf32>{{.*}}, %[[W:[^:]*]]: tensor<4x1x1xf32>
// GRAD:         keratin.convolution %[[DY:.*]], %[[W]] dims = "b0c,0fc->b0f" strides = [1] low = <2> x_dilation = [2] dilation = [1] reversed = [true]
// GRAD-SAME:      -> tensor<1x6x1xf32>
// GRAD:         keratin.convolution %[[X]], %[[DY]] dims = "c0b,c0f->0bf" strides = [1] low = <1> x_dilation = [1] dilation = [2] reversed = [false]
// GRAD-SAME:      -> tensor<4x1x1xf32>
// VALUE:      result #0: tensor<1x3x1xf32> {{\[\[\[}}3210], [5432], [654]]]
// VALUE:      result #1: tensor<1x6x1xf32> {{\[\[\[}}10], [101], [1010], [101], [1010], [100]]]
// VALUE:      result #2: tensor<4x1x1xf32> {{\[\[\[}}6]], {{\[\[}}9]], {{\[\[}}12]], {{\[\[}}8]]]
func.func @main(%x: tensor<1x6x1xf32> {check.value = dense<[[[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]]]> : tensor<1x6x1xf32>},
                %w: tensor<4x1x1xf32> {check.value = dense<[[[1.0]], [[10.0]], [[100.0]], [[1000.0]]]> : tensor<4x1x1xf32>})
    -> (tensor<1x3x1xf32>, tensor<1x6x1xf32>, tensor<4x1x1xf32>) {
  %y = keratin.convolution %x, %w dims = "b0c,0cf->b0f" strides = [2] low = <1> x_dilation = [1] dilation = [1] reversed = [false] : (tensor<1x6x1xf32>, tensor<4x1x1xf32>) -> tensor<1x3x1xf32>
  %g:2 = keratin.gradients %y wrt %x, %w : (tensor<1x3x1xf32>, tensor<1x6x1xf32>, tensor<4x1x1xf32>) -> (tensor<1x6x1xf32>, tensor<4x1x1xf32>)
  return %y, %g#0, %g#1 : tensor<1x3x1xf32>, tensor<1x6x1xf32>, tensor<4x1x1xf32>
}

// Groups stay groups, and what is not there is not needed.
// GRAD-LABEL: func.func @depthwise
// GRAD:         keratin.convolution {{.*}} dims = "b01gc,01gc->b01g"
// GRAD:         keratin.convolution {{.*}} dims = "c01g,c01gf->01gf"
func.func @depthwise(%x: tensor<2x5x5x3xf32>, %w: tensor<3x3x3x2xf32>) -> (tensor<2x5x5x3xf32>, tensor<3x3x3x2xf32>) {
  %y = keratin.convolution %x, %w dims = "b01g,01gf->b01gf" strides = [1, 1] low = <1, 1> x_dilation = [1, 1] dilation = [1, 1] reversed = [false, false]
      : (tensor<2x5x5x3xf32>, tensor<3x3x3x2xf32>) -> tensor<2x5x5x3x2xf32>
  %g:2 = keratin.gradients %y wrt %x, %w : (tensor<2x5x5x3x2xf32>, tensor<2x5x5x3xf32>, tensor<3x3x3x2xf32>) -> (tensor<2x5x5x3xf32>, tensor<3x3x3x2xf32>)
  return %g#0, %g#1 : tensor<2x5x5x3xf32>, tensor<3x3x3x2xf32>
}

// Unknown sizes: the filter's size is the one of dy, and low paddings are formulas.
// GRAD-LABEL: func.func @unknown
// GRAD:         keratin.convolution {{.*}} dims = "b0c,0fc->b0f" strides = [3] low = <d0 - 3> x_dilation = [2] dilation = [1] reversed = [false]
// GRAD:         %[[DW:.*]] = keratin.convolution {{.*}} dims = "c0b,c0f->0bf" strides = [1] low = <2> x_dilation = [3] dilation = [2]
// GRAD:         keratin.reverse %[[DW]] axes = [0]
func.func @unknown(%x: tensor<2x?x1xf32, #keratin.dims<2, d1, 1>>, %w: tensor<?x1x2xf32, #keratin.dims<d0, 1, 2>>)
    -> (tensor<2x?x1xf32, #keratin.dims<2, d1, 1>>, tensor<?x1x2xf32, #keratin.dims<d0, 1, 2>>) {
  %y = keratin.convolution %x, %w dims = "b0c,0cf->b0f" strides = [2] low = <2> x_dilation = [3] dilation = [1] reversed = [true]
      : (tensor<2x?x1xf32, #keratin.dims<2, d1, 1>>, tensor<?x1x2xf32, #keratin.dims<d0, 1, 2>>) -> tensor<2x7x2xf32>
  %g:2 = keratin.gradients %y wrt %x, %w : (tensor<2x7x2xf32>, tensor<2x?x1xf32, #keratin.dims<2, d1, 1>>, tensor<?x1x2xf32, #keratin.dims<d0, 1, 2>>)
      -> (tensor<2x?x1xf32, #keratin.dims<2, d1, 1>>, tensor<?x1x2xf32, #keratin.dims<d0, 1, 2>>)
  return %g#0, %g#1 : tensor<2x?x1xf32, #keratin.dims<2, d1, 1>>, tensor<?x1x2xf32, #keratin.dims<d0, 1, 2>>
}
