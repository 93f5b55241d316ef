// RUN: keratin-opt %s --keratin-differentiate --cse | FileCheck %s --check-prefix=GRAD
// RUN: keratin-opt %s --keratin-differentiate | keratin-check | FileCheck %s --check-prefix=VALUE
// RUN: keratin-opt %s --keratin-differentiate | keratin-check --compiled | FileCheck %s --check-prefix=VALUE

// One zero before, one between neighbours, two after; the gradient takes the elements back out.
// GRAD-LABEL: func.func @main
// GRAD:         keratin.pad %{{.*}} low = <1> interior = [1] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<2*d0 + 2>>
// GRAD:         %[[G:.*]] = keratin.slice %{{.*}} starts = <1> strides = [2] : (tensor<?xf32, #keratin.dims<2*d0 + 2>>) -> tensor<?xf32, #keratin.dims<d0>>
// GRAD:         return %{{.*}}, %[[G]]
// VALUE:      result #0: tensor<8xf32> [0, 1, 0, 2, 0, 3, 0, 0]
// VALUE:      result #1: tensor<3xf32> [2, 4, 6]
func.func @main(%x: tensor<?xf32, #keratin.dims<d0>> {check.value = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>})
    -> (tensor<?xf32, #keratin.dims<2*d0 + 2>>, tensor<?xf32, #keratin.dims<d0>>) {
  %y = keratin.pad %x low = <1> interior = [1] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<2*d0 + 2>>
  %z = keratin.mul %y, %y : (tensor<?xf32, #keratin.dims<2*d0 + 2>>, tensor<?xf32, #keratin.dims<2*d0 + 2>>) -> tensor<?xf32, #keratin.dims<2*d0 + 2>>
  %g = keratin.gradients %z wrt %x : (tensor<?xf32, #keratin.dims<2*d0 + 2>>, tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  return %y, %g : tensor<?xf32, #keratin.dims<2*d0 + 2>>, tensor<?xf32, #keratin.dims<d0>>
}
