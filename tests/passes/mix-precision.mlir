// RUN: keratin-opt %s --split-input-file --verify-diagnostics --keratin-mix-precision | FileCheck %s

// Products are of bfloat16 numbers, and all else of float32; in bodies too, and of float32 alone.
// CHECK-LABEL: func.func @products(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<2x3xf32>, %[[W:[^:]*]]: tensor<3x3xf32>, %[[D:[^:]*]]: tensor<3x3xf64>
// CHECK-NOT:     keratin.product_dtype
// CHECK:         %[[A:.*]] = keratin.cast %[[X]] : (tensor<2x3xf32>) -> tensor<2x3xbf16>
// CHECK:         %[[B:.*]] = keratin.cast %[[W]] : (tensor<3x3xf32>) -> tensor<3x3xbf16>
// CHECK:         %[[P:.*]] = keratin.dot_general %[[A]], %[[B]] {{.*}} -> tensor<2x3xbf16>
// CHECK:         %[[Y:.*]] = keratin.cast %[[P]] : (tensor<2x3xbf16>) -> tensor<2x3xf32>
// CHECK:         keratin.tanh %[[Y]] : (tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK:         keratin.scan
// CHECK:           keratin.dot_general {{.*}} : (tensor<2x3xbf16>, tensor<3x3xbf16>) -> tensor<2x3xbf16>
// CHECK:         keratin.dot_general {{.*}} : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
func.func @products(%x: tensor<2x3xf32>, %w: tensor<3x3xf32>, %d: tensor<3x3xf64>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<3x3xf64>)
    attributes {keratin.product_dtype = "bfloat16"} {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  %y = keratin.tanh %0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %last = keratin.scan length = #keratin.dims<4> init(%y) over() with(%w) : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32> {
  ^bb0(%t: tensor<i64>, %h: tensor<2x3xf32>, %c: tensor<3x3xf32>):
    %1 = keratin.dot_general %h, %c batch = [] x [] contract = [1] x [0] : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
    keratin.yield %1 : tensor<2x3xf32>
  }
  %2 = keratin.dot_general %d, %d batch = [] x [] contract = [1] x [0] : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  return %y, %last, %2 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<3x3xf64>
}

// -----

// CHECK-LABEL: func.func @of_a_convolution(
// CHECK:         keratin.convolution {{.*}} : (tensor<1x8x2xbf16>, tensor<3x2x4xbf16>) -> tensor<1x6x4xbf16>
func.func @of_a_convolution(%x: tensor<1x8x2xf32>, %w: tensor<3x2x4xf32>) -> tensor<1x6x4xf32> attributes {keratin.product_dtype = "bfloat16"} {
  %y = keratin.convolution %x, %w dims = "b0c,0cf->b0f" strides = [1] low = <0> x_dilation = [1] dilation = [1] reversed = [false] : (tensor<1x8x2xf32>, tensor<3x2x4xf32>) -> tensor<1x6x4xf32>
  return %y : tensor<1x6x4xf32>
}

// -----

// CHECK-LABEL: func.func @that_nobody_asks_for(
// CHECK-NOT:     bf16
func.func @that_nobody_asks_for(%x: tensor<2x3xf32>, %w: tensor<3x3xf32>) -> tensor<2x3xf32> {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// expected-error @+1 {{not implemented: products in float16}}
func.func @in_another_dtype(%x: tensor<2x2xf32>) -> tensor<2x2xf32> attributes {keratin.product_dtype = "float16"} {
  %0 = keratin.dot_general %x, %x batch = [] x [] contract = [1] x [0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
