// RUN: keratin-check %s --compiled | FileCheck %s

// Stages that are under way along rows of their own, of no rows, where an index of what moves would be divided by an empty size.

// CHECK: result #0: tensor<17x3x0x17xf32> []
func.func @main(%t: tensor<?xf32, #keratin.dims<d0>> {check.value = dense<0.0> : tensor<0xf32>}, %x: tensor<17x3x2x17xf32> {check.value = dense<0.5> : tensor<17x3x2x17xf32>}) -> (tensor<17x3x?x17xf32, #keratin.dims<17, 3, d0, 17>>) {
  %x1 = keratin.slice %x starts = <0, 0, 0, 0> strides = [1, 1, 1, 1] : (tensor<17x3x2x17xf32>) -> tensor<17x3x?x17xf32, #keratin.dims<17, 3, d0, 17>>
  %m = keratin.reduce_max %x1 axes = [3] : (tensor<17x3x?x17xf32, #keratin.dims<17, 3, d0, 17>>) -> tensor<17x3x?xf32, #keratin.dims<17, 3, d0>>
  %b = keratin.broadcast %m dims = [0, 1, 2] : (tensor<17x3x?xf32, #keratin.dims<17, 3, d0>>) -> tensor<17x3x?x17xf32, #keratin.dims<17, 3, d0, 17>>
  %d = keratin.sub %x1, %b : (tensor<17x3x?x17xf32, #keratin.dims<17, 3, d0, 17>>, tensor<17x3x?x17xf32, #keratin.dims<17, 3, d0, 17>>) -> tensor<17x3x?x17xf32, #keratin.dims<17, 3, d0, 17>>
  %e = keratin.exp %d : (tensor<17x3x?x17xf32, #keratin.dims<17, 3, d0, 17>>) -> tensor<17x3x?x17xf32, #keratin.dims<17, 3, d0, 17>>
  %s = keratin.reduce_sum %e axes = [3] : (tensor<17x3x?x17xf32, #keratin.dims<17, 3, d0, 17>>) -> tensor<17x3x?xf32, #keratin.dims<17, 3, d0>>
  %sb = keratin.broadcast %s dims = [0, 1, 2] : (tensor<17x3x?xf32, #keratin.dims<17, 3, d0>>) -> tensor<17x3x?x17xf32, #keratin.dims<17, 3, d0, 17>>
  %y = keratin.div %e, %sb : (tensor<17x3x?x17xf32, #keratin.dims<17, 3, d0, 17>>, tensor<17x3x?x17xf32, #keratin.dims<17, 3, d0, 17>>) -> tensor<17x3x?x17xf32, #keratin.dims<17, 3, d0, 17>>
  return %y : tensor<17x3x?x17xf32, #keratin.dims<17, 3, d0, 17>>
}
