// RUN: keratin-opt %s --keratin-differentiate | FileCheck %s --check-prefix=GRAD
// RUN: keratin-opt %s --keratin-differentiate | keratin-check --compiled | FileCheck %s --check-prefix=VALUE

// GRAD-LABEL: func.func @main
// GRAD:         keratin.cummax %{{.*}} {axis = 0 : i64}
// GRAD:         keratin.cummin %{{.*}} {axis = 0 : i64, reverse}
// GRAD:         keratin.linear_recurrence %{{.*}}, %{{.*}} {axis = 0 : i64, reverse}
// GRAD:         keratin.linear_recurrence %{{.*}}, %{{.*}} {axis = 0 : i64}
// VALUE: result #0: tensor<6xf32> [1, 3, 3, 3, 4, nan]
// VALUE: result #1: tensor<6xf32> [nan, nan, nan, nan, nan, nan]
// VALUE: result #2: tensor<6xf32> [1, 3, 0, 0, 1, 1]
// VALUE: result #3: tensor<6xf32> [0, 0, 0, 0, 0, 6]
func.func @main(%x: tensor<6xf32> {check.value = dense<[1.0, 3.0, 2.0, 3.0, 4.0, 0x7FC00000]> : tensor<6xf32>})
    -> (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) {
  %y = keratin.cummax %x {axis = 0 : i64} : (tensor<6xf32>) -> tensor<6xf32>
  %z = keratin.cummin %x {axis = 0 : i64, reverse} : (tensor<6xf32>) -> tensor<6xf32>
  %g = keratin.gradients %y wrt %x : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  %h = keratin.gradients %z wrt %x : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  return %y, %z, %g, %h : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
}
