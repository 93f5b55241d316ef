// RUN: keratin-opt %s --keratin-differentiate | FileCheck %s --check-prefix=GRAD
// RUN: keratin-opt %s --keratin-differentiate | keratin-check --compiled | FileCheck %s --check-prefix=VALUE

// GRAD-LABEL: func.func @main
// GRAD-SAME:    %[[A:[^:]*]]: tensor<5xf32>
// GRAD-SAME:    %[[X:[^:]*]]: tensor<5xf32>
// GRAD:         keratin.igamma %[[A]], %[[X]]
// GRAD:         keratin.gamma_sample_gradient {{.*}} : (tensor<5xf64>, tensor<5xf64>)
// VALUE: result #0: tensor<5xf32> [0.632121, 0.442175, 0.513299, 0, nan]
// VALUE: result #1: tensor<5xf32> [0.367879, 0.557825, 0.486701, 1, nan]
// VALUE: result #2: tensor<5xf32> [0.367879, 0.334695, 0.039861, 0, nan]
// VALUE: result #3: tensor<5xf32> [-0.43173, -0.313489, -0.0399275, 0, nan]
func.func @main(%a: tensor<5xf32> {check.value = dense<[1.0, 2.0, 100.0, 3.0, -1.0]> : tensor<5xf32>},
                %x: tensor<5xf32> {check.value = dense<[1.0, 1.5, 100.0, 0.0, 1.0]> : tensor<5xf32>})
    -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) {
  %y = keratin.igamma %a, %x : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  %z = keratin.igammac %a, %x : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  %dx = keratin.gradients %y wrt %x : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  %da = keratin.gradients %y wrt %a : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  return %y, %z, %dx, %da : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}
