// RUN: keratin-opt %s --keratin-differentiate --cse | FileCheck %s --check-prefix=GRAD
// RUN: keratin-opt %s --keratin-differentiate | keratin-check | FileCheck %s --check-prefix=VALUE
// RUN: keratin-opt %s --keratin-differentiate | keratin-check --compiled | FileCheck %s --check-prefix=VALUE

// The gradient runs the other way.
// GRAD-LABEL: func.func @main
// GRAD:         keratin.cumsum %{{.*}} {axis = 1 : i64} : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
// GRAD:         keratin.cumsum %{{.*}} {axis = 1 : i64, exclusive, reverse}
// GRAD:         %[[G:.*]] = keratin.cumsum %{{.*}} {axis = 1 : i64, reverse}
// GRAD:         return %{{.*}}, %{{.*}}, %[[G]]
// VALUE:      result #0: tensor<2x3xf32> {{\[}}[1, 3, 6], [4, 9, 15]]
// VALUE:      result #1: tensor<2x3xf32> {{\[}}[5, 3, 0], [11, 6, 0]]
// VALUE:      result #2: tensor<2x3xf32> {{\[}}[3, 2, 1], [3, 2, 1]]
func.func @main(%x: tensor<?x3xf32, #keratin.dims<d0, 3>> {check.value = dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<?x3xf32, #keratin.dims<d0, 3>>) {
  %y = keratin.cumsum %x {axis = 1 : i64} : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  %e = keratin.cumsum %x {axis = 1 : i64, exclusive, reverse} : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  %g = keratin.gradients %y wrt %x : (tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y, %e, %g : tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<?x3xf32, #keratin.dims<d0, 3>>
}
