// Softplus and its gradient, the logistic function, have one exponential in a kernel.
// RUN: keratin-dump %s --stage=asm --target=x86_64-linux-gnu --mcpu=x86-64-v4 | FileCheck %s

// CHECK:     vscalefps
// CHECK-NOT: vscalefps
func.func @main(%x: tensor<16xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<16xf32> {keratin.kind = "output", keratin.name = "gradient"},
        tensor<16xf32> {keratin.kind = "output", keratin.name = "product"}) {
  %0 = keratin.softplus %x : (tensor<16xf32>) -> tensor<16xf32>
  %1 = keratin.logistic %x : (tensor<16xf32>) -> tensor<16xf32>
  %2 = keratin.mul %0, %1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  return %1, %2 : tensor<16xf32>, tensor<16xf32>
}
