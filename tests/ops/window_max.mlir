// RUN: keratin-opt %s --keratin-differentiate --cse | FileCheck %s --check-prefix=GRAD
// RUN: keratin-opt %s --keratin-differentiate | keratin-check | FileCheck %s --check-prefix=VALUE

// The gradient goes to the first of the largest; a window beside the tensor has none.
// GRAD-LABEL: func.func @main
// GRAD-SAME:    %[[X:[^:]*]]: tensor<2x4xf32>
// GRAD:         keratin.window_scatter %[[X]], %{{.*}} window = [2, 2] strides = [1, 2] low = <0, 1> : (tensor<2x4xf32>, tensor<2x3xf32>) -> tensor<2x4xf32>
// VALUE:      result #0: tensor<2x3xf32> {{\[\[}}4, 4, 5], [4, 3, 5]]
// VALUE:      result #1: tensor<2x4xf32> {{\[\[}}0, 1, 0, 0], [2, 0, 1, 2]]
// VALUE:      result #2: tensor<2xi8> [9, -128]
// VALUE:      result #3: tensor<3xf32> [nan, 2, -inf]
func.func @main(%x: tensor<2x4xf32> {check.value = dense<[[1.0, 4.0, 4.0, -1.0], [4.0, 2.0, 3.0, 5.0]]> : tensor<2x4xf32>},
                %i: tensor<2xi8> {check.value = dense<[-3, 9]> : tensor<2xi8>},
                %n: tensor<3xf32> {check.value = dense<[1.0, 0x7FC00000, 2.0]> : tensor<3xf32>})
    -> (tensor<2x3xf32>, tensor<2x4xf32>, tensor<2xi8>, tensor<3xf32>) {
  %y = keratin.window_max %x window = [2, 2] strides = [1, 2] low = <0, 1> : (tensor<2x4xf32>) -> tensor<2x3xf32>
  %g = keratin.gradients %y wrt %x : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %m = keratin.window_max %i window = [2] strides = [2] low = <0> : (tensor<2xi8>) -> tensor<2xi8>
  %o = keratin.window_max %n window = [2] strides = [1] low = <-1> : (tensor<3xf32>) -> tensor<3xf32>
  return %y, %g, %m, %o : tensor<2x3xf32>, tensor<2x4xf32>, tensor<2xi8>, tensor<3xf32>
}
