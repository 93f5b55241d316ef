// RUN: keratin-opt %s --keratin-differentiate --cse | FileCheck %s --check-prefix=GRAD
// RUN: keratin-opt %s --keratin-define-sizes --keratin-differentiate --keratin-eliminate-common-subexpressions | FileCheck %s --check-prefix=DEFINED
// RUN: keratin-opt %s --keratin-differentiate | keratin-check | FileCheck %s --check-prefix=VALUE
// RUN: keratin-opt %s --keratin-define-sizes --keratin-differentiate | keratin-check | FileCheck %s --check-prefix=VALUE
// RUN: keratin-opt %s --keratin-differentiate | keratin-check --compiled | FileCheck %s --check-prefix=VALUE

// The size is computed, a second one from the first, and ones of the size that no value carries.

// GRAD-LABEL: func.func @main
// GRAD-SAME:    %[[X:[^:]*]]: tensor<4x2xf32>
// GRAD:         %[[N:.*]] = keratin.reduce_sum
// GRAD:         %[[Y:.*]] = keratin.truncate %[[X]], %[[N]] axis = 0 : (tensor<4x2xf32>, tensor<i64>) -> tensor<?x2xf32, #keratin.dims<d3, 2>>
// GRAD:         keratin.pad %{{.*}} low = <0, 0> interior = [0, 0] : (tensor<?x2xf32, #keratin.dims<d3, 2>>) -> tensor<4x2xf32>

// DEFINED-LABEL: func.func @main
// DEFINED:         %[[N:.*]] = keratin.reduce_sum
// DEFINED-NEXT:    keratin.define_size 3 %[[N]] at_most <4> : tensor<i64>
// DEFINED-NEXT:    keratin.slice %{{.*}} starts = <0, 0> strides = [1, 1] : (tensor<4x2xf32>) -> tensor<?x2xf32, #keratin.dims<d3, 2>>
// DEFINED:         keratin.define_size 4 %{{.*}} at_most <d3> : tensor<i64>

// VALUE:      result #0: tensor<3x2xf32> {{\[}}[1, 4], [9, 16], [25, 36]]
// VALUE:      result #1: tensor<2x2xf32> {{\[}}[1, 4], [9, 16]]
// VALUE:      result #2: tensor<4x2xf32> {{\[}}[2, 4], [6, 8], [10, 12], [0, 0]]
// VALUE:      result #3: tensor<6xf32> [0, 1, 2, 3, 4, 5]
func.func @main(%x: tensor<4x2xf32> {check.value = dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf32>},
                %m: tensor<4xi64> {check.value = dense<[1, 0, 1, 1]> : tensor<4xi64>})
    -> (tensor<?x2xf32, #keratin.dims<d3, 2>>, tensor<?x2xf32, #keratin.dims<d4, 2>>, tensor<4x2xf32>, tensor<?xf32, #keratin.dims<2*d3>>) {
  %n = keratin.reduce_sum %m axes = [0] : (tensor<4xi64>) -> tensor<i64>
  %y = keratin.truncate %x, %n axis = 0 : (tensor<4x2xf32>, tensor<i64>) -> tensor<?x2xf32, #keratin.dims<d3, 2>>
  %z = keratin.mul %y, %y : (tensor<?x2xf32, #keratin.dims<d3, 2>>, tensor<?x2xf32, #keratin.dims<d3, 2>>) -> tensor<?x2xf32, #keratin.dims<d3, 2>>
  %one = keratin.constant dense<1> : tensor<i64>
  %fewer = keratin.sub %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %w = keratin.truncate %z, %fewer axis = 0 : (tensor<?x2xf32, #keratin.dims<d3, 2>>, tensor<i64>) -> tensor<?x2xf32, #keratin.dims<d4, 2>>
  %g = keratin.gradients %z wrt %x : (tensor<?x2xf32, #keratin.dims<d3, 2>>, tensor<4x2xf32>) -> tensor<4x2xf32>
  %i = keratin.iota {axis = 0 : i64} : tensor<?xf32, #keratin.dims<2*d3>>
  return %z, %w, %g, %i : tensor<?x2xf32, #keratin.dims<d3, 2>>, tensor<?x2xf32, #keratin.dims<d4, 2>>, tensor<4x2xf32>, tensor<?xf32, #keratin.dims<2*d3>>
}
