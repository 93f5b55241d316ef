// RUN: keratin-check %s --compiled | FileCheck %s

// Without elements there is nothing to read: results are empty, zero, or what the rest of the operands make them.

// CHECK:      result #0: tensor<0xf32> []
// CHECK:      result #1: tensor<0x3xf32> []
// CHECK:      result #2: tensor<4x3xf32> {{\[}}[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]]
// CHECK:      result #3: tensor<3x3xf32> {{\[}}[0, 0, 0], [0, 0, 0], [0, 0, 0]]
// CHECK:      result #4: tensor<0x0xf32> []
// CHECK:      result #5: tensor<0xf32> []
// CHECK:      result #6: tensor<2xf32> [0, 0]
// CHECK:      result #7: tensor<3xf32> [1, 1, 1]
// CHECK:      result #8: tensor<0x3xf32> []
func.func @main(%x: tensor<0xf32>, %y: tensor<0x3xf32>, %i: tensor<0xi32>, %z: tensor<3x0xf32>) -> (tensor<0xf32>, tensor<0x3xf32>, tensor<4x3xf32>, tensor<3x3xf32>, tensor<0x0xf32>, tensor<0xf32>, tensor<2xf32>, tensor<3xf32>, tensor<0x3xf32>) {
  %0 = keratin.cumsum %x {axis = 0 : i64} : (tensor<0xf32>) -> tensor<0xf32>
  %1 = keratin.gather %y, %i : (tensor<0x3xf32>, tensor<0xi32>) -> tensor<0x3xf32>
  %2 = keratin.scatter_add %i, %y : (tensor<0xi32>, tensor<0x3xf32>) -> tensor<4x3xf32>
  %3 = keratin.dot_general %z, %y batch = [] x [] contract = [1] x [0] : (tensor<3x0xf32>, tensor<0x3xf32>) -> tensor<3x3xf32>
  %4 = keratin.dot_general %y, %z batch = [] x [] contract = [1] x [0] : (tensor<0x3xf32>, tensor<3x0xf32>) -> tensor<0x0xf32>
  %5 = keratin.reverse %x axes = [0] : (tensor<0xf32>) -> tensor<0xf32>
  %6 = keratin.pad %x low = <1> interior = [3] : (tensor<0xf32>) -> tensor<2xf32>
  %8 = keratin.constant dense<1.0> : tensor<3xf32>
  %7 = keratin.concatenate %x, %8 {axis = 0 : i64} : (tensor<0xf32>, tensor<3xf32>) -> tensor<3xf32>
  %9 = keratin.linear_recurrence %y, %y {axis = 0 : i64} : (tensor<0x3xf32>, tensor<0x3xf32>) -> tensor<0x3xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %9 : tensor<0xf32>, tensor<0x3xf32>, tensor<4x3xf32>, tensor<3x3xf32>, tensor<0x0xf32>, tensor<0xf32>, tensor<2xf32>, tensor<3xf32>, tensor<0x3xf32>
}
