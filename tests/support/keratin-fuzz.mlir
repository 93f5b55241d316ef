// keratin-fuzz on a graph that is kept.
// RUN: keratin-fuzz --check-numbers --replay=%s | FileCheck %s
// CHECK: passes

// The rows of the product are sums of products beyond all numbers, of either sign: NaN in the interpreter, the infinity that came
// first where a machine fuses products into sums. Both blame the product.
func.func @main(%x: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input"}) -> (tensor<?x?xf32, #keratin.dims<d0, d0>> {keratin.kind = "output"})
    attributes {check.seed = 1 : i64, check.calls = [array<i64: 0, 8>, array<i64: 0, 1>]} {
  %s = keratin.reduce_sum %x axes = [0, 1] : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<f32>
  %b = keratin.broadcast %s dims = [] : (tensor<f32>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  %i = keratin.iota {axis = 1 : i64} : tensor<?x3xf32, #keratin.dims<d0, 3>>
  %c = keratin.cos %i : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  %y = keratin.mul %c, %b : (tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  %z = keratin.sub %x, %b : (tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  %0 = keratin.dot_general %z, %y batch = [] x [] contract = [1] x [1]
      : (tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x?xf32, #keratin.dims<d0, d0>>
  return %0 : tensor<?x?xf32, #keratin.dims<d0, d0>>
}
