// RUN: keratin-opt %s --keratin-differentiate --cse | FileCheck %s --check-prefix=GRAD
// RUN: keratin-opt %s --keratin-differentiate | keratin-check | FileCheck %s --check-prefix=VALUE

// GRAD-LABEL: func.func @main
// GRAD-SAME:    %[[X:[^:]*]]: tensor<?xf32, #keratin.dims<d0>>
// GRAD-NOT:     keratin.div
// GRAD:         %[[PADDED:.*]] = keratin.pad %[[X]] low = <0> interior = [0] {{.*}} -> tensor<?xf32, #keratin.dims<d0 + 1>>
// GRAD:         %[[NEXT:.*]] = keratin.slice %[[PADDED]] starts = <1> strides = [1] {{.*}} -> tensor<?xf32, #keratin.dims<d0>>
// GRAD:         %[[SUM:.*]] = keratin.linear_recurrence %[[NEXT]], %{{.*}} {axis = 0 : i64, reverse}
// GRAD:         %[[BEFORE:.*]] = keratin.cumprod %[[X]] {axis = 0 : i64, exclusive}
// GRAD:         %[[G:.*]] = keratin.mul %[[BEFORE]], %[[SUM]]
// GRAD:         return %[[G]]
// VALUE:      result #0: tensor<3xf32> [1, 8, 0]
func.func @main(%x: tensor<?xf32, #keratin.dims<d0>> {check.value = dense<[2.0, 0.0, 3.0]> : tensor<3xf32>}) -> tensor<?xf32, #keratin.dims<d0>> {
  %y = keratin.cumprod %x {axis = 0 : i64} : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  %g = keratin.gradients %y wrt %x : (tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  return %g : tensor<?xf32, #keratin.dims<d0>>
}
