// RUN: keratin-opt %s --keratin-differentiate --cse | FileCheck %s --check-prefix=GRAD
// RUN: keratin-opt %s --keratin-differentiate | keratin-check | FileCheck %s --check-prefix=VALUE

// GRAD-LABEL: func.func @main
// GRAD-SAME:    %[[A:[^:]*]]: tensor<3xf32>{{.*}}, %[[B:[^:]*]]: tensor<3xf32>
// GRAD:         %[[Y:.*]] = keratin.linear_recurrence %[[A]], %[[B]] {axis = 0 : i64}
// GRAD:         %[[DB:.*]] = keratin.linear_recurrence %{{.*}}, %{{.*}} {axis = 0 : i64, reverse}
// GRAD:         %[[DA:.*]] = keratin.mul %[[DB]], %{{.*}}
// GRAD:         return %[[Y]], %[[DA]], %[[DB]]
// VALUE:      result #0: tensor<3xf32> [1, 3, 10]
// VALUE:      result #1: tensor<3xf32> [0, 4, 3]
// VALUE:      result #2: tensor<3xf32> [9, 4, 1]
func.func @main(%a: tensor<3xf32> {check.value = dense<[5.0, 2.0, 3.0]> : tensor<3xf32>},
                %b: tensor<3xf32> {check.value = dense<1.0> : tensor<3xf32>}) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %y = keratin.linear_recurrence %a, %b {axis = 0 : i64} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %g:2 = keratin.gradients %y wrt %a, %b : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  return %y, %g#0, %g#1 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}
