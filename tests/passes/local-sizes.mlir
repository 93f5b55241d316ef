// RUN: keratin-opt %s --keratin-define-sizes --keratin-differentiate --keratin-define-sizes | FileCheck %s --check-prefix=GRAD
// RUN: keratin-opt %s --keratin-pipeline --keratin-check-memory-plan | FileCheck %s --check-prefix=PLAN
// RUN: keratin-compile %s --emit=plan --function=grow | FileCheck %s --check-prefix=REPORT
// RUN: keratin-opt %s --keratin-define-sizes --keratin-hoist-invariants --keratin-merge-loops | FileCheck %s --check-prefix=MOVE
// RUN: keratin-opt %s --keratin-differentiate | keratin-check --function=parts | FileCheck %s --check-prefix=PARTS
// RUN: keratin-opt %s --keratin-differentiate | keratin-check --function=parts --compiled | FileCheck %s --check-prefix=PARTS
// RUN: keratin-opt %s --keratin-differentiate | keratin-check --function=grow | FileCheck %s --check-prefix=GROW
// RUN: keratin-opt %s --keratin-differentiate | keratin-check --function=grow --compiled | FileCheck %s --check-prefix=GROW
// RUN: not keratin-check %s --function=too_many 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not keratin-check %s --function=too_many --compiled 2>&1 | FileCheck %s --check-prefix=COMPILED

// The gradient of a step whose size differs from step to step makes again what has that size: the loop keeps the
// state, and both bodies have a symbol of their own.
// PARTS:     result #0: tensor<f64> 13
// PARTS:     result #1: tensor<3x3xf64> {{\[}}[0, 0, 0], [5, 0, 0], [2, 2, 0]]
// GRAD-LABEL: func.func @parts
// GRAD:         keratin.scan length = <3> init(%{{.*}}) over(%{{.*}}) with() : (tensor<f64>, tensor<3x3xf64>) -> (tensor<f64>, tensor<3xf64>)
// GRAD:           keratin.define_size 0 %{{.*}} at_most <3> : tensor<i64>
// GRAD:           keratin.yield %{{.*}}, %{{.*}} : tensor<f64>, tensor<f64>
// GRAD:         keratin.scan length = <3> reverse init(
// GRAD:           keratin.define_size 1 %{{.*}} at_most <3> : tensor<i64>
// GRAD:           keratin.pad %{{.*}} low = <0> interior = [0] : (tensor<?xf64, #keratin.dims<d1>>) -> tensor<3xf64>

// Memory for the most that each can be; nothing in the plan depends on the size.
// PLAN-LABEL: func.func @parts
// PLAN-SAME:    keratin.memories = [#keratin.memory<host, {{[0-9]+}}>]
// PLAN:         keratin.scan
// PLAN:           keratin.define_size 0
// PLAN:           keratin.kernel(

// What has the size, or computes it, stays in its loop though it depends on captures only.
// MOVE-LABEL: func.func @parts
// MOVE-NOT:     keratin.define_size
// MOVE:         keratin.scan
// MOVE:           keratin.define_size 0
func.func @parts(%x: tensor<3x3xf64> {check.value = dense<[[1.0, 2.0, 3.0], [1.0, 5.0, 6.0], [2.0, 3.0, 9.0]]> : tensor<3x3xf64>}) -> (tensor<f64>, tensor<3x3xf64>) {
  %one = keratin.constant dense<1.0> : tensor<f64>
  %y = keratin.scan length = <3> init(%one) over(%x) with() : (tensor<f64>, tensor<3x3xf64>) -> tensor<f64> {
  ^bb0(%t: tensor<i64>, %s: tensor<f64>, %e: tensor<3xf64>):
    %part = keratin.truncate %e, %t axis = 0 : (tensor<3xf64>, tensor<i64>) -> tensor<?xf64, #keratin.dims<d0>>
    %all = keratin.broadcast %s dims = [] : (tensor<f64>) -> tensor<?xf64, #keratin.dims<d0>>
    %z = keratin.mul %part, %all : (tensor<?xf64, #keratin.dims<d0>>, tensor<?xf64, #keratin.dims<d0>>) -> tensor<?xf64, #keratin.dims<d0>>
    %c = keratin.reduce_sum %z axes = [0] : (tensor<?xf64, #keratin.dims<d0>>) -> tensor<f64>
    %two = keratin.constant dense<2> : tensor<i64>
    %last = keratin.compare eq %t, %two : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %add = keratin.add %c, %s : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %more = keratin.constant dense<3.0> : tensor<f64>
    %plus = keratin.add %c, %more : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %n = keratin.select %last, %plus, %add : (tensor<i1>, tensor<f64>, tensor<f64>) -> tensor<f64>
    keratin.yield %n : tensor<f64>
  }
  %g = keratin.gradients %y wrt %x : (tensor<f64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  return %y, %g : tensor<f64>, tensor<3x3xf64>
}

// A loop in a step, as long as it likes: the outer loop keeps the state before it, the gradient of the step runs it again
// with a tape. Its own run keeps nothing.
// GROW:      result #0: tensor<2xf64> [64, 64]
// GROW:      result #1: tensor<2xf64> [128, 128]
// GRAD-LABEL: func.func @grow
// GRAD:         keratin.scan length = <2> init(
// GRAD:           %{{.*}}:3 = keratin.while init(
// GRAD-NOT:       keratin.define_size
// GRAD:         keratin.scan length = <2> reverse
// GRAD:           %[[W:.*]]:4 = keratin.while length = <d0> init(
// GRAD:           keratin.define_size 0 %[[W]]#2 : tensor<i64>
// GRAD:           keratin.scan length = <d0> reverse init({{.*}}) over(%[[W]]#3)
// PLAN-LABEL: func.func @grow
// PLAN-SAME:    keratin.memories = [#keratin.memory<host, {{[0-9]+}}>, #keratin.memory<host, 16, step of d0>]
// REPORT:      in the call   16 bytes a step of a tape
func.func @grow(%x: tensor<2xf64> {keratin.kind = "input", keratin.name = "x", check.value = dense<1.0> : tensor<2xf64>}) -> (tensor<2xf64> {keratin.kind = "output"}, tensor<2xf64> {keratin.kind = "output"}) {
  %y = keratin.scan length = <2> init(%x) over() with() : (tensor<2xf64>) -> tensor<2xf64> {
  ^bb0(%t: tensor<i64>, %s: tensor<2xf64>):
    %true = keratin.constant dense<true> : tensor<i1>
    %w:3 = keratin.while init(%true, %s) with(%t) : (tensor<i1>, tensor<2xf64>, tensor<i64>) -> (tensor<i1>, tensor<2xf64>, tensor<i64>) {
    ^bb0(%n: tensor<i64>, %flag: tensor<i1>, %v: tensor<2xf64>, %limit: tensor<i64>):
      %m = keratin.mul %v, %v : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
      %h = keratin.constant dense<2.0> : tensor<2xf64>
      %d = keratin.mul %v, %h : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
      %first = keratin.constant dense<0> : tensor<i64>
      %is = keratin.compare eq %n, %first : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %b = keratin.broadcast %is dims = [] : (tensor<i1>) -> tensor<2xi1>
      %next = keratin.select %b, %d, %m : (tensor<2xi1>, tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
      %again = keratin.compare lt %n, %limit : (tensor<i64>, tensor<i64>) -> tensor<i1>
      keratin.yield %again, %next : tensor<i1>, tensor<2xf64>
    }
    keratin.yield %w#1 : tensor<2xf64>
  }
  %four = keratin.constant dense<4.0> : tensor<2xf64>
  %z = keratin.mul %y, %four : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %sum = keratin.reduce_sum %z axes = [0] : (tensor<2xf64>) -> tensor<f64>
  %g = keratin.gradients %sum wrt %x : (tensor<f64>, tensor<2xf64>) -> tensor<2xf64>
  return %z, %g : tensor<2xf64>, tensor<2xf64>
}

// The rest of a step is left out where a size is wrong, and so are the steps behind it.
// MANY:          truncate: the size 2 is outside [0, 1]; at {{.*}}local-sizes.mlir:[[#]]
// MANY-NEXT:     seen 0
// MANY-NEXT:     seen 1
// MANY-NOT:      seen
// COMPILED-NOT:  seen {{[23]}}
// COMPILED:      truncate: the size is outside of the tensor; at {{.*}}local-sizes.mlir:[[#]]: found 2; needed 0 to 1
// COMPILED-NOT:  seen {{[23]}}
func.func @too_many(%x: tensor<1xf32>) -> tensor<4xi64> {
  %y = keratin.scan length = <4> init() over() with(%x) : (tensor<1xf32>) -> tensor<4xi64> {
  ^bb0(%t: tensor<i64>, %c: tensor<1xf32>):
    %part = keratin.truncate %c, %t axis = 0 : (tensor<1xf32>, tensor<i64>) -> tensor<?xf32, #keratin.dims<d0>>
    %n = keratin.dim %part {axis = 0 : i64} : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<i64>
    %p = keratin.print "seen" %n : tensor<i64>
    keratin.yield %p : tensor<i64>
  }
  return %y : tensor<4xi64>
}

// What a branch hands on as it was given is copied behind a size that is there from the start.
// PLAN-LABEL: func.func @copied_behind_a_given_size
// PLAN:         } else {
// PLAN:           keratin.define_size 0 %{{.*}} at_most <8> : tensor<i64>
// PLAN-NEXT:      keratin.kernel(
func.func @copied_behind_a_given_size(%p: tensor<i1>, %x: tensor<8xf32>, %y: tensor<f32>, %n: tensor<i64>) -> tensor<f32> {
  %0 = keratin.if %p with(%x, %y, %n) : (tensor<i1>, tensor<8xf32>, tensor<f32>, tensor<i64>) -> tensor<f32> {
  ^bb0(%a: tensor<8xf32>, %b: tensor<f32>, %m: tensor<i64>):
    %s = keratin.reduce_sum %a axes = [0] : (tensor<8xf32>) -> tensor<f32>
    keratin.yield %s : tensor<f32>
  } else {
  ^bb0(%a: tensor<8xf32>, %b: tensor<f32>, %m: tensor<i64>):
    %part = keratin.truncate %a, %m axis = 0 : (tensor<8xf32>, tensor<i64>) -> tensor<?xf32, #keratin.dims<d0>>
    keratin.yield %b : tensor<f32>
  }
  return %0 : tensor<f32>
}
