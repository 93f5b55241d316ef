// RUN: keratin-opt %s --keratin-differentiate | FileCheck %s --check-prefix=GRAD
// RUN: keratin-opt %s --keratin-differentiate | keratin-check --compiled | FileCheck %s --check-prefix=VALUE

// The gradient is shared among ties.
// GRAD-LABEL: func.func @main
// GRAD:         %[[Y:.*]] = keratin.scatter_max
// GRAD:         keratin.gather %[[Y]]
// GRAD:         keratin.scatter_add
// VALUE: result #0: tensor<4xf32> [5, -inf, 2, nan]
// VALUE: result #1: tensor<4xf32> [1, inf, 2, nan]
// VALUE: result #2: tensor<6xf32> [0, 0.5, 1, 0, 0, 0.5]
func.func @main(%i: tensor<6xi64> {check.value = dense<[0, 0, 2, 3, 3, 0]> : tensor<6xi64>},
                %u: tensor<6xf32> {check.value = dense<[1.0, 5.0, 2.0, 0x7FC00000, 1.0, 5.0]> : tensor<6xf32>})
    -> (tensor<4xf32>, tensor<4xf32>, tensor<6xf32>) {
  %y = keratin.scatter_max %i, %u : (tensor<6xi64>, tensor<6xf32>) -> tensor<4xf32>
  %z = keratin.scatter_min %i, %u : (tensor<6xi64>, tensor<6xf32>) -> tensor<4xf32>
  %g = keratin.gradients %y wrt %u : (tensor<4xf32>, tensor<6xf32>) -> tensor<6xf32>
  return %y, %z, %g : tensor<4xf32>, tensor<4xf32>, tensor<6xf32>
}
