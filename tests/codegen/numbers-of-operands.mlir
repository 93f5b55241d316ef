// A number that several of a concatenation's operands are made of is read whichever of them a vector has: the second operand's vectors must not find what the first one's lanes, of which none is left, had read.
// RUN: keratin-check %s --compiled | FileCheck %s
// RUN: keratin-check %s --compiled --mcpu=x86-64 | FileCheck %s

// CHECK: difference #0: 0.0e+00
// CHECK-NEXT: 1 kernels
func.func @main(%x: tensor<64xf32> {keratin.kind = "input"}, %y: tensor<64xf32> {keratin.kind = "input"}, %a: tensor<4xf32> {keratin.kind = "input"}) -> (tensor<128xf32> {keratin.kind = "output"}) {
  %0 = keratin.slice %a starts = <2> strides = [1] : (tensor<4xf32>) -> tensor<1xf32>
  %1 = keratin.reshape %0 : (tensor<1xf32>) -> tensor<f32>
  %2 = keratin.broadcast %1 dims = [] : (tensor<f32>) -> tensor<64xf32>
  %3 = keratin.mul %2, %x : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %4 = keratin.add %2, %y : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %5 = keratin.concatenate %3, %4 {axis = 0 : i64} : (tensor<64xf32>, tensor<64xf32>) -> tensor<128xf32>
  return %5 : tensor<128xf32>
}
