// RUN: keratin-opt %s --keratin-differentiate --cse | FileCheck %s --check-prefix=GRAD
// RUN: keratin-opt %s --keratin-differentiate | keratin-check | FileCheck %s --check-prefix=VALUE
// RUN: keratin-opt %s --keratin-differentiate | keratin-check --compiled | FileCheck %s --check-prefix=VALUE

// GRAD-LABEL: func.func @main
// GRAD:         keratin.reverse %{{.*}} axes = [0, 1] : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
// GRAD:         %[[G:.*]] = keratin.reverse %{{.*}} axes = [0, 1]
// GRAD:         return %{{.*}}, %[[G]]
// VALUE:      result #0: tensor<2x3xf32> {{\[}}[6, 5, 4], [3, 2, 1]]
// VALUE:      result #1: tensor<2x3xf32> {{\[}}[60, 50, 40], [30, 20, 10]]
func.func @main(%x: tensor<?x3xf32, #keratin.dims<d0, 3>> {check.value = dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>},
                %w: tensor<?x3xf32, #keratin.dims<d0, 3>> {check.value = dense<[[10.0, 20.0, 30.0], [40.0, 50.0, 60.0]]> : tensor<2x3xf32>})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<?x3xf32, #keratin.dims<d0, 3>>) {
  %y = keratin.reverse %x axes = [0, 1] : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  %z = keratin.mul %y, %w : (tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  %g = keratin.gradients %z wrt %x : (tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y, %g : tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<?x3xf32, #keratin.dims<d0, 3>>
}
