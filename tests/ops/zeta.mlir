// RUN: keratin-opt %s --keratin-differentiate | FileCheck %s --check-prefix=GRAD
// RUN: keratin-opt %s --keratin-differentiate | keratin-check --compiled | FileCheck %s --check-prefix=VALUE

// GRAD-LABEL: func.func @main
// GRAD-SAME:    %[[S:[^:]*]]: tensor<6xf32>
// GRAD-SAME:    %[[Q:[^:]*]]: tensor<6xf32>
// GRAD:         keratin.zeta %[[S]], %[[Q]]
// GRAD:         %[[NEXT:.*]] = keratin.add %[[S]]
// GRAD:         keratin.zeta %[[NEXT]], %[[Q]]
// VALUE: result #0: tensor<6xf32> [1.64493, 9.69088, inf, nan, inf, nan]
// VALUE: result #1: tensor<6xf32> [-2.40411,
func.func @main(%s: tensor<6xf32> {check.value = dense<[2.0, 3.0, 1.0, 0.5, 2.0, 2.5]> : tensor<6xf32>},
                %q: tensor<6xf32> {check.value = dense<[1.0, 0.476221, 2.0, 2.0, -3.0, -0.5]> : tensor<6xf32>})
    -> (tensor<6xf32>, tensor<6xf32>) {
  %y = keratin.zeta %s, %q : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  %g = keratin.gradients %y wrt %q : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  return %y, %g : tensor<6xf32>, tensor<6xf32>
}
