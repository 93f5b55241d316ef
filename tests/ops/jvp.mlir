// RUN: keratin-opt %s --keratin-differentiate | keratin-check | FileCheck %s
// RUN: keratin-opt %s --keratin-differentiate | keratin-check --compiled | FileCheck %s

// y = x^3 along v: 3 x^2 v, and along v once more 6 x v^2.
// CHECK: result #0: tensor<3xf32> [3, 0, 54]
// CHECK: result #1: tensor<3xf32> [6, 0, 72]
// The gradient of the sum of these by x, forwards and backwards: 6 v^2.
// CHECK: result #2: tensor<3xf32> [6, 6, 24]
// CHECK: result #3: tensor<3xf32> [6, 6, 24]
func.func @main(%x: tensor<3xf32> {check.value = dense<[1.0, 0.0, 3.0]> : tensor<3xf32>},
                %v: tensor<3xf32> {check.value = dense<[1.0, 1.0, 2.0]> : tensor<3xf32>})
    -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %square = keratin.mul %x, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %y = keratin.mul %square, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %t = keratin.jvp of %y wrt %x along %v : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %tt = keratin.jvp of %t wrt %x along %v : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %one = keratin.constant dense<1.0> : tensor<f32>
  %ones = keratin.broadcast %one dims = [] : (tensor<f32>) -> tensor<3xf32>
  %g = keratin.gradients %tt wrt %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %p = keratin.vjp of %tt wrt %x along %ones : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %t, %tt, %g, %p : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}
