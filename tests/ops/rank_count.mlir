// RUN: keratin-opt %s | keratin-opt | FileCheck %s
// RUN: keratin-check %s | FileCheck %s --check-prefix=VALUE
// RUN: keratin-check %s --compiled | FileCheck %s --check-prefix=VALUE
// RUN: keratin-opt %s --keratin-pipeline=stop-after=host | FileCheck %s --check-prefix=HOST

// Of one rank; tests/execution/RankOpsTest.cpp has several. Kernels are given it as a size, and nobody waits for a message.
// CHECK-LABEL:  func.func @main
// CHECK:        keratin.rank_count : tensor<i64>
// CHECK:        keratin.rank_count along "model" : tensor<i64>
// VALUE:        result #0: tensor<i64> 1
// VALUE:        result #1: tensor<2xi64> [6, 8]
// HOST:         keratin.rank_count {keratin.size = #keratin.dims<d0>}
// HOST:         keratin.rank_count along "model" {keratin.size = #keratin.dims<d1>}
// HOST-NOT:     host.start_collective
func.func @main(%x: tensor<2xi64> {check.value = dense<[5, 7]> : tensor<2xi64>}) -> (tensor<i64>, tensor<2xi64>) {
  %all = keratin.rank_count : tensor<i64>
  %along = keratin.rank_count along "model" : tensor<i64>
  %counts = keratin.broadcast %along dims = [] : (tensor<i64>) -> tensor<2xi64>
  %y = keratin.add %x, %counts : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  return %all, %y : tensor<i64>, tensor<2xi64>
}
