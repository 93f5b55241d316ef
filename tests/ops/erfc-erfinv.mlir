// RUN: keratin-opt %s --keratin-differentiate | FileCheck %s --check-prefix=GRAD
// RUN: keratin-opt %s --keratin-differentiate | keratin-check --compiled | FileCheck %s --check-prefix=VALUE

// GRAD-LABEL: func.func @main
// GRAD-SAME:    %[[X:[^:]*]]: tensor<3xf32>
// GRAD:         keratin.erfc %[[X]]
// GRAD:         %[[I:.*]] = keratin.erfinv %[[X]]
// GRAD:         keratin.mul %[[I]], %[[I]]
// VALUE: result #0: tensor<3xf32> [1.5205, 0.157299, 2.20905e-05]
// VALUE: result #1: tensor<3xf32> [-0.476936, inf, nan]
// VALUE: result #2: tensor<3xf32> [0.233802, inf, nan]
func.func @main(%x: tensor<3xf32> {check.value = dense<[-0.5, 1.0, 3.0]> : tensor<3xf32>}) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %y = keratin.erfc %x : (tensor<3xf32>) -> tensor<3xf32>
  %z = keratin.erfinv %x : (tensor<3xf32>) -> tensor<3xf32>
  %w = keratin.add %y, %z : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %g = keratin.gradients %w wrt %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %y, %z, %g : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}
