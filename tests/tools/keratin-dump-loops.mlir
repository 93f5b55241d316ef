// Loops and branches stand among the kernels of a function, with what is in them.

// RUN: keratin-dump %s > %t.mlir && keratin-opt --mlir-print-debuginfo %t.mlir | diff - %t.mlir

// RUN: keratin-dump %s --format=json | python3 -m json.tool | FileCheck %s --check-prefix=JSON
// JSON:      "flops_formula": "2*x_dim0"
// JSON:      "kind": "argument",
// JSON-NEXT: "name": "step"
// JSON:      "name": "state 0"
// JSON:      "operands": [
// JSON-NEXT:   [[#H:]]
// JSON:      "region": "body of %0:2"
// JSON:      "name": "element 0"
// JSON:      "op": "keratin.tanh"
// JSON:      "region": "body of %0:2 / first branch of %1"
// JSON:      "op": "keratin.if"
// JSON:      "op": "keratin.scan"
// JSON:      "kind": "loop"

// RUN: keratin-dump %s --format=stats --stage=input | FileCheck %s --check-prefix=STATS
// STATS: ops{{ +}}4, loops and branches 1
// STATS: FLOPs{{ +}}64 = 2*x_dim0

// RUN: keratin-dump %s --format=dot | FileCheck %s --check-prefix=DOT
// DOT: label="loop\nscan"
// DOT: body of %0:2 / first branch of %1

// RUN: keratin-dump %S/../ops/while.mlir --function=collatz --format=dot | FileCheck %s --check-prefix=WHILE
// WHILE: label="loop\nwhile"
// WHILE: state 2

// RUN: keratin-dump %s --format=html | FileCheck %s --check-prefix=HTML
// HTML: "in":"body of %0:2 / first branch of %1"
// HTML: "kind":"loop"
func.func @sums(%x: tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "input", keratin.name = "x"},
                %h: tensor<f32> {keratin.kind = "input", keratin.name = "h"}, %p: tensor<i1> {keratin.kind = "input", keratin.name = "p"})
    -> (tensor<f32> {keratin.kind = "output"}, tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "output"}) {
  %y:2 = keratin.scan length = <d0> init(%h) over(%x) with(%p)
      : (tensor<f32>, tensor<?xf32, #keratin.dims<d0>>, tensor<i1>) -> (tensor<f32>, tensor<?xf32, #keratin.dims<d0>>) {
  ^bb0(%t: tensor<i64>, %s: tensor<f32>, %e: tensor<f32>, %c: tensor<i1>):
    %z = keratin.if %c with(%e) : (tensor<i1>, tensor<f32>) -> tensor<f32> {
    ^bb0(%a: tensor<f32>):
      %0 = keratin.tanh %a : (tensor<f32>) -> tensor<f32>
      keratin.yield %0 : tensor<f32>
    } else {
    ^bb0(%a: tensor<f32>):
      keratin.yield %a : tensor<f32>
    }
    %n = keratin.add %s, %z : (tensor<f32>, tensor<f32>) -> tensor<f32>
    keratin.yield %n, %s : tensor<f32>, tensor<f32>
  }
  return %y#0, %y#1 : tensor<f32>, tensor<?xf32, #keratin.dims<d0>>
}
