// RUN: keratin-opt %s --keratin-differentiate --cse | FileCheck %s --check-prefix=GRAD
// RUN: keratin-opt %s --keratin-differentiate | keratin-check | FileCheck %s --check-prefix=VALUE
// RUN: keratin-opt %s --keratin-differentiate | keratin-check --compiled | FileCheck %s --check-prefix=VALUE

// GRAD-LABEL: func.func @main
// GRAD-SAME:    %[[X:[^:]*]]: tensor<?x3xf32, #keratin.dims<d0, 3>>{{.*}}, %[[S:[^:]*]]: tensor<i64>
// GRAD:         keratin.dynamic_slice %[[X]], %[[S]], %{{.*}} : (tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<i64>, tensor<i64>) -> tensor<2x2xf32>
// GRAD:         %[[G:.*]] = keratin.dynamic_unslice %{{.*}}, %[[S]], %{{.*}} : (tensor<2x2xf32>, tensor<i64>, tensor<i64>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
// GRAD:         return %{{.*}}, %[[G]]
// VALUE:      result #0: tensor<2x2xf32> {{\[}}[5, 6], [8, 9]]
// VALUE:      result #1: tensor<3x3xf32> {{\[}}[0, 0, 0], [0, 10, 12], [0, 16, 18]]
func.func @main(%x: tensor<?x3xf32, #keratin.dims<d0, 3>> {check.value = dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]> : tensor<3x3xf32>},
                %s: tensor<i64> {check.value = dense<1> : tensor<i64>}) -> (tensor<2x2xf32>, tensor<?x3xf32, #keratin.dims<d0, 3>>) {
  %one = keratin.constant dense<1> : tensor<i64>
  %y = keratin.dynamic_slice %x, %s, %one : (tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<i64>, tensor<i64>) -> tensor<2x2xf32>
  %z = keratin.mul %y, %y : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %g = keratin.gradients %z wrt %x : (tensor<2x2xf32>, tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y, %g : tensor<2x2xf32>, tensor<?x3xf32, #keratin.dims<d0, 3>>
}
