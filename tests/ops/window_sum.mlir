// RUN: keratin-opt %s --keratin-differentiate --cse | FileCheck %s --check-prefix=GRAD
// RUN: keratin-opt %s --keratin-differentiate | keratin-check | FileCheck %s --check-prefix=VALUE

// Every element gives its cotangent to all windows that cover it: sums over windows again, strides
// and dilation exchanged.
// GRAD-LABEL: func.func @main
// GRAD:         keratin.window_sum %{{.*}} window = [3] strides = [1] low = <1> x_dilation = [2] : (tensor<3xf32>) -> tensor<5xf32>
// VALUE:      result #0: tensor<3xf32> [3, 9, 9]
// VALUE:      result #1: tensor<5xf32> [6, 24, 18, 36, 18]
func.func @main(%x: tensor<5xf32> {check.value = dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<5xf32>}) -> (tensor<3xf32>, tensor<5xf32>) {
  %y = keratin.window_sum %x window = [3] strides = [2] low = <1> x_dilation = [1] : (tensor<5xf32>) -> tensor<3xf32>
  %s = keratin.mul %y, %y : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %g = keratin.gradients %s wrt %x : (tensor<3xf32>, tensor<5xf32>) -> tensor<5xf32>
  return %y, %g : tensor<3xf32>, tensor<5xf32>
}

// GRAD-LABEL: func.func @unknown
// GRAD:         keratin.window_sum %{{.*}} window = [1, 3] strides = [1, 2] low = <0, -1*d1 + 2> x_dilation = [1, 1]
func.func @unknown(%x: tensor<2x?xf32, #keratin.dims<2, d0>>, %n: tensor<?xf32, #keratin.dims<d1>>) -> tensor<2x?xf32, #keratin.dims<2, d0>> {
  %y = keratin.window_sum %x window = [1, 3] strides = [1, 1] low = <0, d1> x_dilation = [1, 2] : (tensor<2x?xf32, #keratin.dims<2, d0>>) -> tensor<2x9xf32>
  %g = keratin.gradients %y wrt %x : (tensor<2x9xf32>, tensor<2x?xf32, #keratin.dims<2, d0>>) -> tensor<2x?xf32, #keratin.dims<2, d0>>
  return %g : tensor<2x?xf32, #keratin.dims<2, d0>>
}
