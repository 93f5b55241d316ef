// With AVX2 instructions read constants of which there are more than registers as vectors from memory, each from a place of its own;
// few stay in registers. AVX-512 has instructions that broadcast a number in memory.
// RUN: keratin-dump %s --stage=asm --target=x86_64-linux-gnu --mcpu=x86-64-v3 | FileCheck %s
// RUN: keratin-dump %s --stage=llvm --target=x86_64-linux-gnu --mcpu=x86-64-v3 | FileCheck %s --check-prefix=PLACES
// RUN: keratin-dump %s --stage=llvm --target=x86_64-linux-gnu --mcpu=x86-64-v4 | FileCheck %s --check-prefix=WIDE
// RUN: keratin-dump %s --stage=llvm --target=x86_64-linux-gnu --mcpu=x86-64-v2 | FileCheck %s --check-prefix=WIDE
// RUN: keratin-check %s --compiled --function=many --most=9.9e-4

// WIDE-NOT: @constant

// CHECK-LABEL: keratin.many.kernel_0:
// CHECK:         vfmadd213ps {{.*}}(%rip), %ymm
// CHECK:         vfmadd213ps {{.*}}(%rip), %ymm
// PLACES-LABEL: define internal void @keratin.many.kernel_0
// PLACES:         load <8 x float>, ptr @constant
// PLACES:       define
func.func @many(%x: tensor<128xf32>) -> tensor<128xf32> attributes {check.seed = 1 : i64} {
  %0 = keratin.exp %x : (tensor<128xf32>) -> tensor<128xf32>
  return %0 : tensor<128xf32>
}

// PLACES-LABEL: define internal void @keratin.few.kernel_0
// PLACES-NOT:     @constant
// PLACES:       define
func.func @few(%x: tensor<128xf32>) -> tensor<128xf32> {
  %0 = keratin.constant dense<3.0> : tensor<128xf32>
  %1 = keratin.constant dense<5.0> : tensor<128xf32>
  %2 = keratin.mul %x, %0 : (tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32>
  %3 = keratin.sub %2, %1 : (tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32>
  return %3 : tensor<128xf32>
}
