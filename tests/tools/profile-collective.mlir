// RUN: keratin-run %s --random --quiet --profile=%t.json
// RUN: FileCheck %s < %t.json

// A profile shows what ranks do together twice: its start, and how long the call waits for it.

// CHECK: "name":{{ *}}"all_reduce"
// CHECK: "name":{{ *}}"cumsum"
// CHECK: "name":{{ *}}"all_reduce"
// CHECK: "name":{{ *}}"cumsum"
func.func @f(%x: tensor<8x4xf32> {keratin.kind = "input"}, %z: tensor<8xf32> {keratin.kind = "input"})
    -> (tensor<4xf32> {keratin.kind = "output"}, tensor<8xf32> {keratin.kind = "output"}) {
  %share = keratin.reduce_sum %x axes = [0] : (tensor<8x4xf32>) -> tensor<4xf32>
  %whole = keratin.all_reduce sum %share : tensor<4xf32>
  %y = keratin.cumsum %whole {axis = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %b = keratin.cumsum %z {axis = 0 : i64} : (tensor<8xf32>) -> tensor<8xf32>
  return %y, %b : tensor<4xf32>, tensor<8xf32>
}
