// RUN: keratin-opt %s --keratin-differentiate --cse | FileCheck %s --check-prefix=GRAD
// RUN: keratin-opt %s --keratin-differentiate | keratin-check | FileCheck %s --check-prefix=VALUE
// RUN: keratin-opt %s --keratin-differentiate | keratin-check --compiled | FileCheck %s --check-prefix=VALUE

// GRAD-LABEL: func.func @main
// GRAD-SAME:    (%[[A:[^:]*]]: tensor<2x2xf32> {check.value = {{[^}]*}}}, %[[B:[^:]*]]: tensor<2x1xf32>
// GRAD:         %[[Y:.*]] = keratin.triangular_solve %[[A]], %[[B]] {lower}
// GRAD:         keratin.triangular_solve %{{.*}} {unit_diagonal}
// GRAD:         %[[DB:[^ ]*]] = keratin.triangular_solve %[[A]], %{{.*}} {lower, transposed}
// GRAD:         keratin.dot_general %[[DB]], %[[Y]]
// VALUE: result #0: tensor<2x1xf32> {{\[\[}}3], [1]]
// VALUE: result #1: tensor<2x1xf32> {{\[\[}}2.5], [1]]
// VALUE: result #2: tensor<2x1xf32> {{\[\[}}2], [1]]
// VALUE: result #3: tensor<2x1xf32> {{\[\[}}-12], [7]]
// VALUE: result #4: tensor<2x2xf32> {{\[\[}}-1.125, 0], [-0.75, -0.25]]
// VALUE: result #5: tensor<2x1xf32> {{\[\[}}0.375], [0.25]]
func.func @main(%a: tensor<2x2xf32> {check.value = dense<[[2.0, 99.0], [1.0, 4.0]]> : tensor<2x2xf32>},
                %b: tensor<2x1xf32> {check.value = dense<[[6.0], [7.0]]> : tensor<2x1xf32>},
                %c: tensor<2x2xf32> {check.value = dense<[[2.0, 1.0], [99.0, 4.0]]> : tensor<2x2xf32>},
                %d: tensor<2x1xf32> {check.value = dense<[[6.0], [4.0]]> : tensor<2x1xf32>})
    -> (tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x2xf32>, tensor<2x1xf32>) {
  %y = keratin.triangular_solve %a, %b {lower} : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  %upper = keratin.triangular_solve %c, %d : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  %e = keratin.constant dense<[[5.0], [4.0]]> : tensor<2x1xf32>
  %turned = keratin.triangular_solve %a, %e {lower, transposed} : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  %f = keratin.constant dense<[[-5.0], [7.0]]> : tensor<2x1xf32>
  %unit = keratin.triangular_solve %c, %f {unit_diagonal} : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  %g:2 = keratin.gradients %y wrt %a, %b : (tensor<2x1xf32>, tensor<2x2xf32>, tensor<2x1xf32>) -> (tensor<2x2xf32>, tensor<2x1xf32>)
  return %y, %upper, %turned, %unit, %g#0, %g#1 : tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x2xf32>, tensor<2x1xf32>
}
