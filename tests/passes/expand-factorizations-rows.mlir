// RUN: keratin-opt %s --keratin-expand-factorizations=rows-at-once=8 --cse | FileCheck %s
// RUN: keratin-check %s --function=rows_at_once --compiled | FileCheck %s --check-prefix=VALUE

// Steps of eight rows, and what is left over without a loop.
// CHECK-LABEL: func.func @rows_at_once
// CHECK-COUNT-1: keratin.scan length = <2> {{.*}} : (tensor<16x20xf64>)
// CHECK:         keratin.dot_general %{{.*}}, %{{.*}} batch = [] x [] contract = [0] x [0] : (tensor<16x4xf64>, tensor<16x4xf64>)
// CHECK-NOT:     keratin.scan
// CHECK:         keratin.scan length = <2> {{.*}} : (tensor<16x2xf64>, tensor<2x16x8xf64>)
// CHECK:         keratin.dot_general %{{.*}}, %{{.*}} batch = [] x [] contract = [1] x [0] : (tensor<4x16xf64>, tensor<16x2xf64>)
// CHECK-NOT:     keratin.scan
// VALUE:       result #0: tensor<20x20xf64> {{.*}}1.41421,
func.func @rows_at_once(%x: tensor<20x20xf64> {check.value = dense<1.0> : tensor<20x20xf64>},
                        %b: tensor<20x2xf64> {check.value = dense<1.0> : tensor<20x2xf64>}) -> (tensor<20x20xf64>, tensor<20x2xf64>) {
  %i = keratin.iota {axis = 0 : i64} : tensor<20x20xi64>
  %j = keratin.iota {axis = 1 : i64} : tensor<20x20xi64>
  %is = keratin.compare eq %i, %j : (tensor<20x20xi64>, tensor<20x20xi64>) -> tensor<20x20xi1>
  %unit = keratin.cast %is : (tensor<20x20xi1>) -> tensor<20x20xf64>
  %a = keratin.add %x, %unit : (tensor<20x20xf64>, tensor<20x20xf64>) -> tensor<20x20xf64>
  %l = keratin.cholesky %a : (tensor<20x20xf64>) -> tensor<20x20xf64>
  %y = keratin.triangular_solve %l, %b {lower} : (tensor<20x20xf64>, tensor<20x2xf64>) -> tensor<20x2xf64>
  return %l, %y : tensor<20x20xf64>, tensor<20x2xf64>
}

// Of several matrices each row is a step.
// CHECK-LABEL: func.func @each_row_of_a_batch
// CHECK:         keratin.scan length = <16>
func.func @each_row_of_a_batch(%x: tensor<2x16x16xf32>) -> tensor<2x16x16xf32> {
  %y = keratin.cholesky %x : (tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
  return %y : tensor<2x16x16xf32>
}
