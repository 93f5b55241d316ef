// RUN: keratin-opt %s --keratin-differentiate --cse | FileCheck %s --check-prefix=GRAD
// RUN: keratin-opt %s --keratin-differentiate | keratin-check | FileCheck %s --check-prefix=VALUE
// RUN: keratin-opt %s --keratin-differentiate | keratin-check --compiled | FileCheck %s --check-prefix=VALUE

// Of the sum of the real results the gradient is the inverse transform of ones.
// GRAD-LABEL: func.func @main
// GRAD-SAME:    (%[[A:[^:]*]]: tensor<4xf32> {check.value = {{[^}]*}}}, %[[B:[^:]*]]: tensor<4xf32>
// GRAD:         keratin.fft %[[A]], %[[B]] :
// GRAD:         keratin.fft %{{.*}}, %{{.*}} {inverse}
// VALUE: result #0: tensor<4xf32> [10, -2, -2, -2]
// VALUE: result #1: tensor<4xf32> [1, 3, 1, -1]
// VALUE: result #2: tensor<4xf32> [4, 8, 12, 16]
// VALUE: result #3: tensor<4xf32> [4, 0, 0, 0]
// VALUE: result #4: tensor<4xf32> [4, 0, 0, 0]
// VALUE: result #5: tensor<4xf32> [0, 0, 0, 0]
func.func @main(%a: tensor<4xf32> {check.value = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>},
                %b: tensor<4xf32> {check.value = dense<[1.0, 0.0, 0.0, 0.0]> : tensor<4xf32>})
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %y:2 = keratin.fft %a, %b : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %x:2 = keratin.fft %y#0, %y#1 {inverse} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %g:2 = keratin.gradients %y#0 wrt %a, %b : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %y#0, %y#1, %x#0, %x#1, %g#0, %g#1 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
