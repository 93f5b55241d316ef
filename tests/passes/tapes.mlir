// RUN: keratin-compile %s --emit=plan --function=root | FileCheck %s --check-prefix=REPORT
// RUN: keratin-opt %s --keratin-pipeline --keratin-check-memory-plan | FileCheck %s --check-prefix=PLAN

// A loop that ends when it likes, and the gradient of its gradient: what its steps keep is a tape, and what the
// gradients keep of each step lies in an arena that is asked for when the number of steps is known.

// REPORT:      arena         256 bytes
// REPORT:      in the call   16 bytes a step of a tape
// REPORT-NEXT: in the call   64*floordiv(computed_size + 1, 2) + 128 bytes
// REPORT:      loop of kernel 0, while of {{.*}} tapes.mlir:{{[0-9]+}}: computed_size steps of 1 kernels
// REPORT-NEXT:   state 0: 1 bytes, in place
// REPORT-NEXT:   state 1: 16 bytes, in two buffers
// REPORT-NEXT:   stack 0: 16 bytes a step, in a tape that grows
// REPORT:        stack 0: 16 bytes a step, 512 bytes (= 16*computed_size) in all

// PLAN-LABEL: func.func @root
// PLAN-SAME:    keratin.memories = [#keratin.memory<host, 256>, #keratin.memory<host, 16, step of d0>, #keratin.memory<host, 64*floordiv(d0 + 1, 2) + 128, after d0>]
// PLAN:         %[[W:.*]]:4 = keratin.while length = <d0>
// PLAN-SAME:      #keratin.place<memory 1, 0>]
// PLAN:         keratin.define_size 0 %[[W]]#2 : tensor<i64>
// PLAN:         keratin.scan length = <d0> reverse
func.func @root(%a: tensor<4xf32> {keratin.kind = "input", keratin.name = "a"}) -> (tensor<4xf32> {keratin.kind = "output", keratin.name = "g"}) {
  %true = keratin.constant dense<true> : tensor<i1>
  %y:3 = keratin.while init(%true, %a) with(%a) : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> (tensor<i1>, tensor<4xf32>, tensor<i64>) {
  ^bb0(%t: tensor<i64>, %flag: tensor<i1>, %x: tensor<4xf32>, %c: tensor<4xf32>):
    %half = keratin.constant dense<0.5> : tensor<4xf32>
    %least = keratin.constant dense<1.0e-3> : tensor<f32>
    %q = keratin.div %c, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %s = keratin.add %x, %q : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %n = keratin.mul %s, %half : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %d = keratin.sub %x, %n : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %far = keratin.reduce_max %d axes = [0] : (tensor<4xf32>) -> tensor<f32>
    %more = keratin.compare gt %far, %least : (tensor<f32>, tensor<f32>) -> tensor<i1>
    keratin.yield %more, %n : tensor<i1>, tensor<4xf32>
  }
  %sum = keratin.reduce_sum %y#1 axes = [0] : (tensor<4xf32>) -> tensor<f32>
  %g = keratin.gradients %sum wrt %a : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %gs = keratin.reduce_sum %g axes = [0] : (tensor<4xf32>) -> tensor<f32>
  %h = keratin.gradients %gs wrt %a : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  return %h : tensor<4xf32>
}

// What is returned twice is copied, behind the definition of the size that the same loop computes.
// PLAN-LABEL: func.func @copied_behind_the_size
// PLAN:         %[[W:.*]]:2 = keratin.while length = <d3>
// PLAN:         keratin.define_size 3 %[[W]]#1 : tensor<i64>
// PLAN-NEXT:    keratin.kernel(%[[W]]#0)
func.func @copied_behind_the_size(%go: tensor<i1> {keratin.kind = "input", keratin.name = "go"})
    -> (tensor<i1> {keratin.kind = "output", keratin.name = "a"}, tensor<i1> {keratin.kind = "output", keratin.name = "b"}) {
  %y:2 = keratin.while length = <d3> init(%go) with() : (tensor<i1>) -> (tensor<i1>, tensor<i64>) {
  ^bb0(%t: tensor<i64>, %flag: tensor<i1>):
    %most = keratin.constant dense<9> : tensor<i64>
    %again = keratin.compare lt %t, %most : (tensor<i64>, tensor<i64>) -> tensor<i1>
    keratin.yield %again : tensor<i1>
  }
  return %y#0, %y#0 : tensor<i1>, tensor<i1>
}
