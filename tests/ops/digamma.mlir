// RUN: keratin-opt %s --keratin-differentiate | FileCheck %s --check-prefix=GRAD
// RUN: keratin-opt %s --keratin-differentiate | keratin-check --compiled | FileCheck %s --check-prefix=VALUE

// GRAD-LABEL: func.func @main
// GRAD-SAME:    %[[X:[^:]*]]: tensor<4xf32>
// GRAD:         keratin.digamma %[[X]]
// GRAD:         keratin.zeta %{{.*}}, %[[X]]
// VALUE: result #0: tensor<4xf32> [-0.577216, 0.03649, nan, -inf]
// VALUE: result #1: tensor<4xf32> [1.64493, 8.93
func.func @main(%x: tensor<4xf32> {check.value = dense<[1.0, -0.5, -2.0, 0.0]> : tensor<4xf32>}) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = keratin.digamma %x : (tensor<4xf32>) -> tensor<4xf32>
  %g = keratin.gradients %y wrt %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y, %g : tensor<4xf32>, tensor<4xf32>
}
