// A number that is rounded to a narrow type is stored as it is, not rounded again.
// RUN: keratin-dump %s --stage=llvm --target=x86_64-linux-gnu --mcpu=x86-64-v4 | FileCheck %s
// RUN: keratin-check %s --compiled --most=0
func.func @main(%x: tensor<16xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<16xbf16> {keratin.kind = "output", keratin.name = "y"}) {
  // CHECK:     load <16 x float>
  // CHECK:     fcmp uno <16 x float>
  // CHECK-NOT: fcmp uno
  // CHECK:     store <16 x i16>
  %0 = keratin.cast %x : (tensor<16xf32>) -> tensor<16xbf16>
  return %0 : tensor<16xbf16>
}
