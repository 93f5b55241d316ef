// RUN: keratin-opt %s --keratin-differentiate | FileCheck %s --check-prefix=GRAD
// RUN: keratin-opt %s --keratin-differentiate | keratin-check --compiled | FileCheck %s --check-prefix=VALUE

// Neither the function nor its gradient overflows.
// GRAD-LABEL: func.func @main
// GRAD:         keratin.cumlogsumexp %{{.*}} {axis = 0 : i64}
// GRAD:         keratin.linear_recurrence %{{.*}}, %{{.*}} {axis = 0 : i64, reverse}
// VALUE: result #0: tensor<4xf32> [-inf, 1, 1.69315, 1.69315]
// VALUE: result #1: tensor<4xf32> [0, 2, 1, 0]
func.func @main(%x: tensor<4xf32> {check.value = dense<[0xFF800000, 1.0, 1.0, -1000.0]> : tensor<4xf32>})
    -> (tensor<4xf32>, tensor<4xf32>) {
  %y = keratin.cumlogsumexp %x {axis = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %g = keratin.gradients %y wrt %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y, %g : tensor<4xf32>, tensor<4xf32>
}
