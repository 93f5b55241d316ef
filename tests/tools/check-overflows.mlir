// --check of what overflows as it is written: log(exp(x)) is x, whatever else is in the tensor.
// RUN: keratin-run %s --random --check | FileCheck %s
// CHECK: y: float32 (6,)
// CHECK: check: 1 call agrees with the reference interpreter
func.func @f(%x: tensor<6xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<6xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %large = keratin.constant dense<[1.0e38, 0x7F800000, 100.0, -1.0e38, 0xFF800000, 0x7FC00000]> : tensor<6xf32>
  %a = keratin.abs %x : (tensor<6xf32>) -> tensor<6xf32>
  %0 = keratin.mul %a, %large : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  %1 = keratin.exp %0 : (tensor<6xf32>) -> tensor<6xf32>
  %2 = keratin.log %1 : (tensor<6xf32>) -> tensor<6xf32>
  return %2 : tensor<6xf32>
}
