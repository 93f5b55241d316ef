// Vectors of a long body, one function behind another, take turns: all are loaded before anything is computed of one.
// Of few elements there is one vector.
// RUN: keratin-dump %s --stage=llvm --target=x86_64-linux-gnu --mcpu=x86-64-v4 --function=long | FileCheck %s
// RUN: keratin-dump %s --stage=kernels --target=x86_64-linux-gnu --mcpu=x86-64-v4 | FileCheck %s --check-prefix=PLAN

// CHECK:         load <16 x float>
// CHECK-NOT:     {{fma|fmul}}
// CHECK-COUNT-3: load <16 x float>
// CHECK:         call <16 x float> @llvm.fma

// PLAN-LABEL: function long
// PLAN:       4 vectors side by side
func.func @long(%x: tensor<65536xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<65536xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.tanh %x : (tensor<65536xf32>) -> tensor<65536xf32>
  %1 = keratin.logistic %0 : (tensor<65536xf32>) -> tensor<65536xf32>
  return %1 : tensor<65536xf32>
}

// PLAN-LABEL: function few
// PLAN:       1 vector side by side
func.func @few(%x: tensor<4095xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<4095xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.tanh %x : (tensor<4095xf32>) -> tensor<4095xf32>
  return %0 : tensor<4095xf32>
}
