// A number that is repeated keeps no loops apart, in whatever shape a kernel has it: the mean's divisor here, which has that of a row.
// RUN: keratin-dump %s --stage=kernels | FileCheck %s
// RUN: keratin-check %s --compiled --most=9.9e-6
// CHECK: nest: reduced 420, kept 24

func.func @main(%x: tensor<3x14x10x24xf32>) -> (tensor<3x14x10x24xf32>, tensor<24xf32>) attributes {check.seed = 5 : i64} {
  %n = keratin.constant dense<420.0> : tensor<f32>
  %s = keratin.reduce_sum %x axes = [0, 1, 2] : (tensor<3x14x10x24xf32>) -> tensor<24xf32>
  %nb = keratin.broadcast %n dims = [] : (tensor<f32>) -> tensor<24xf32>
  %m = keratin.div %s, %nb : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
  %mb = keratin.broadcast %m dims = [3] : (tensor<24xf32>) -> tensor<3x14x10x24xf32>
  %y = keratin.sub %x, %mb : (tensor<3x14x10x24xf32>, tensor<3x14x10x24xf32>) -> tensor<3x14x10x24xf32>
  return %y, %m : tensor<3x14x10x24xf32>, tensor<24xf32>
}
