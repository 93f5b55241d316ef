// RUN: keratin-check %s | FileCheck %s
// RUN: keratin-check %s --compiled | FileCheck %s
// RUN: keratin-check %s --compiled --mcpu=x86-64-v2 | FileCheck %s

// Powers that leave the range are not subtracted from each other, and equal ones are 0.
// CHECK: result #0: tensor<4xf64> [1.72616e+280, -1.72616e+280, 5.20922e-115, -inf]
// CHECK: result #1: tensor<4xf32> [{{inf|1.72615e\+280}}, {{-inf|-1.72615e\+280}}, {{.*}}, -inf]
func.func @main(%s: tensor<4xf64> {check.value = dense<[649.0, 649.0, 649.0, 60001.0]> : tensor<4xf64>},
                %q: tensor<4xf64> {check.value = dense<[-0.63, -0.37, -0.5, -0.37]> : tensor<4xf64>},
                %a: tensor<4xf32> {check.value = dense<[649.0, 649.0, 649.0, 60001.0]> : tensor<4xf32>},
                %b: tensor<4xf32> {check.value = dense<[-0.63, -0.37, -0.5, -0.37]> : tensor<4xf32>})
    -> (tensor<4xf64>, tensor<4xf32>) {
  %y = keratin.zeta %s, %q : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %z = keratin.zeta %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y, %z : tensor<4xf64>, tensor<4xf32>
}
