// RUN: keratin-opt %s --keratin-differentiate --cse | FileCheck %s --check-prefix=GRAD
// RUN: keratin-opt %s --keratin-differentiate | keratin-check | FileCheck %s --check-prefix=VALUE

// A matrix product needs no transpose: dy b^T and a^T dy.
// GRAD-LABEL: func.func @main
// GRAD-SAME:    %[[A:[^:]*]]: tensor<2x3xf32>{{.*}}, %[[B:[^:]*]]: tensor<3x4xf32>
// GRAD-NOT:     keratin.transpose
// GRAD:         %[[DA:.*]] = keratin.dot_general %[[DY:.*]], %[[B]] batch = [] x [] contract = [1] x [1]
// GRAD:         %[[DB:.*]] = keratin.dot_general %[[A]], %[[DY]] batch = [] x [] contract = [0] x [0]
// GRAD:         return %[[DA]], %[[DB]]
// VALUE:      result #0: tensor<2x3xf32> {{\[}}[8, 8, 8]
// VALUE:      result #1: tensor<3x4xf32> {{\[}}[6, 6, 6, 6]
func.func @main(%a: tensor<2x3xf32> {check.value = dense<3.0> : tensor<2x3xf32>},
                %b: tensor<3x4xf32> {check.value = dense<2.0> : tensor<3x4xf32>}) -> (tensor<2x3xf32>, tensor<3x4xf32>) {
  %y = keratin.dot_general %a, %b batch = [] x [] contract = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %g:2 = keratin.gradients %y wrt %a, %b : (tensor<2x4xf32>, tensor<2x3xf32>, tensor<3x4xf32>) -> (tensor<2x3xf32>, tensor<3x4xf32>)
  return %g#0, %g#1 : tensor<2x3xf32>, tensor<3x4xf32>
}

// Contracted dimensions come back in the order of the other operand, and are put in place.
// GRAD-LABEL: func.func @contracted_crossed
// GRAD:         %[[DA:.*]] = keratin.dot_general {{.*}} batch = [] x [] contract = [1] x [1] {{.*}} -> tensor<2x5x3xf32>
// GRAD:         keratin.transpose %[[DA]] permutation = [0, 2, 1] : (tensor<2x5x3xf32>) -> tensor<2x3x5xf32>
func.func @contracted_crossed(%a: tensor<2x3x5xf32>, %b: tensor<5x7x3xf32>) -> tensor<2x3x5xf32> {
  %y = keratin.dot_general %a, %b batch = [] x [] contract = [1, 2] x [2, 0] : (tensor<2x3x5xf32>, tensor<5x7x3xf32>) -> tensor<2x7xf32>
  %g = keratin.gradients %y wrt %a : (tensor<2x7xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  return %g : tensor<2x3x5xf32>
}
