// RUN: keratin-opt %s --keratin-differentiate --cse | FileCheck %s --check-prefix=GRAD
// RUN: keratin-opt %s --keratin-differentiate | keratin-check | FileCheck %s --check-prefix=VALUE
// RUN: keratin-opt %s --keratin-differentiate | keratin-check --compiled | FileCheck %s --check-prefix=VALUE

// The gradient of tan is made of its value; those of atan and erf of the operand.
// GRAD-LABEL: func.func @main
// GRAD-SAME:    %[[X:[^:]*]]: tensor<4xf32>
// GRAD:         %[[TAN:.*]] = keratin.tan %[[X]]
// GRAD:         %[[ATAN:.*]] = keratin.atan %[[X]]
// GRAD:         %[[ERF:.*]] = keratin.erf %[[X]]
// GRAD-DAG:     keratin.mul %[[TAN]], %[[TAN]]
// GRAD-DAG:     keratin.mul %[[X]], %[[X]]
// GRAD:         return
// VALUE:      result #0: tensor<4xf32> [-1.55741, 0, 3.64268e-38, nan]
// VALUE:      result #1: tensor<4xf32> [-0.785398, 0, 3.64268e-38, 1.5708]
// VALUE:      result #2: tensor<4xf32> [-0.842701, 0, 4.11032e-38, 1]
// VALUE:      result #3: tensor<4xf32> [3.42552, 1, 1, nan]
// VALUE:      result #4: tensor<4xf32> [0.5, 1, 1, 0]
// VALUE:      result #5: tensor<4xf32> [0.41510{{[78]}}, 1.12838, 1.12838, 0]
func.func @main(%x: tensor<4xf32> {check.value = dense<[-1.0, 0.0, 3.64268e-38, 0x7F800000]> : tensor<4xf32>})
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = keratin.tan %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = keratin.atan %x : (tensor<4xf32>) -> tensor<4xf32>
  %2 = keratin.erf %x : (tensor<4xf32>) -> tensor<4xf32>
  %3 = keratin.gradients %0 wrt %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = keratin.gradients %1 wrt %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %5 = keratin.gradients %2 wrt %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
