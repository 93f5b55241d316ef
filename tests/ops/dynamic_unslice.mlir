// RUN: keratin-opt %s --keratin-differentiate --cse | FileCheck %s --check-prefix=GRAD
// RUN: keratin-opt %s --keratin-differentiate | keratin-check | FileCheck %s --check-prefix=VALUE
// RUN: keratin-opt %s --keratin-differentiate | keratin-check --compiled | FileCheck %s --check-prefix=VALUE

// GRAD-LABEL: func.func @main
// GRAD-SAME:    %[[X:[^:]*]]: tensor<2xf32>{{.*}}, %[[S:[^:]*]]: tensor<i32>
// GRAD:         keratin.dynamic_unslice %[[X]], %[[S]] : (tensor<2xf32>, tensor<i32>) -> tensor<5xf32>
// GRAD:         %[[G:.*]] = keratin.dynamic_slice %{{.*}}, %[[S]] : (tensor<5xf32>, tensor<i32>) -> tensor<2xf32>
// GRAD:         return %{{.*}}, %[[G]]
// VALUE:      result #0: tensor<5xf32> [0, 0, 0, 1, 2]
// VALUE:      result #1: tensor<2xf32> [2, 4]
func.func @main(%x: tensor<2xf32> {check.value = dense<[1.0, 2.0]> : tensor<2xf32>},
                %s: tensor<i32> {check.value = dense<3> : tensor<i32>}) -> (tensor<5xf32>, tensor<2xf32>) {
  %y = keratin.dynamic_unslice %x, %s : (tensor<2xf32>, tensor<i32>) -> tensor<5xf32>
  %z = keratin.mul %y, %y : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  %g = keratin.gradients %z wrt %x : (tensor<5xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %y, %g : tensor<5xf32>, tensor<2xf32>
}
