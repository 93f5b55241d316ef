// RUN: keratin-opt %s --keratin-differentiate | FileCheck %s --check-prefix=GRAD
// RUN: keratin-opt %s --keratin-differentiate | keratin-check --compiled | FileCheck %s --check-prefix=VALUE

// GRAD-LABEL: func.func @main
// GRAD-SAME:    %[[X:[^:]*]]: tensor<4xf32>
// GRAD:         keratin.lgamma %[[X]]
// GRAD:         keratin.digamma %[[X]]
// VALUE: result #0: tensor<4xf32> [inf, 0.572365, 0, 12.8018]
// VALUE: result #1: tensor<4xf32> [-inf, -1.96351, 0.422784, 2.25175]
func.func @main(%x: tensor<4xf32> {check.value = dense<[0.0, 0.5, 2.0, 10.0]> : tensor<4xf32>}) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = keratin.lgamma %x : (tensor<4xf32>) -> tensor<4xf32>
  %g = keratin.gradients %y wrt %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y, %g : tensor<4xf32>, tensor<4xf32>
}
