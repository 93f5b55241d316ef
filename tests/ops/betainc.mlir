// RUN: keratin-opt %s --keratin-differentiate | FileCheck %s --check-prefix=GRAD
// RUN: keratin-opt %s --keratin-differentiate | keratin-check --compiled | FileCheck %s --check-prefix=VALUE

// GRAD-LABEL: func.func @main
// GRAD:         keratin.betainc
// GRAD:         keratin.beta_sample_gradient {{.*}} : (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>)
// VALUE: result #0: tensor<4xf32> [0.5248, 0.999522, 0, nan]
// VALUE: result #1: tensor<4xf32> [1.728, 0.0097828, 0, nan]
// VALUE: result #2: tensor<4xf32> [-0.240869, -0.00151717, 0, nan]
// VALUE: result #3: tensor<4xf32> [0.156344, 0.000822493, 0, nan]
func.func @main(%a: tensor<4xf32> {check.value = dense<[2.0, 0.5, 3.0, 1.0]> : tensor<4xf32>},
                %b: tensor<4xf32> {check.value = dense<[3.0, 4.0, 2.0, 1.0]> : tensor<4xf32>},
                %x: tensor<4xf32> {check.value = dense<[0.4, 0.8, 0.0, 1.5]> : tensor<4xf32>})
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %y = keratin.betainc %a, %b, %x : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %dx = keratin.gradients %y wrt %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %da = keratin.gradients %y wrt %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %db = keratin.gradients %y wrt %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y, %dx, %da, %db : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
