// RUN: keratin-check %s --compiled --function=rnn --symbol=0=0,1,2,7 --most=9.9e-6
// RUN: keratin-check %s --compiled --function=rnn_last --symbol=0=0,1,2,7 --most=9.9e-6
// RUN: keratin-check %s --compiled --function=swap --symbol=0=0,1,2,7 --most=9.9e-6
// RUN: keratin-check %s --compiled --function=nested --symbol=0=0,1,2,7 --symbol=1=5 --most=9.9e-6
// RUN: keratin-check %s --compiled --function=branch --symbol=0=0,1,2,7 --most=9.9e-6
// RUN: keratin-check %s --compiled --function=loop_in_branch --symbol=0=0,1,2,7 --most=9.9e-6
// RUN: keratin-check %s --compiled --function=update --symbol=0=0,1,2,7 --most=9.9e-6
// RUN: keratin-check %s --compiled --function=indices --symbol=0=0,1,2,7 --most=9.9e-6
// RUN: keratin-check %s --compiled --function=prints | FileCheck %s --check-prefix=PRINTS
// RUN: not keratin-check %s --compiled --function=indices --symbol=0=11 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: keratin-opt %s --keratin-pipeline --keratin-check-memory-plan | FileCheck %s --check-prefix=PLAN
// RUN: not keratin-check %s --compiled --function=fewer_steps --symbol=0=2 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: keratin-check %s --compiled --function=fewer_steps --symbol=0=3 --most=9.9e-6
// RUN: not keratin-run %s --function=fewer_steps --random --size=d0=2 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: keratin-compile %s --emit=plan --function=nested | FileCheck %s --check-prefix=REPORT
// RUN: keratin-compile %s --emit=plan --function=branch | FileCheck %s --check-prefix=BRANCHES
// RUN: keratin-dump %s --format=stats --function=nested --size=d0=3 --size=d1=10 | FileCheck %s --check-prefix=STATS
// RUN: keratin-compile %s --emit=llvm --function=rnn --mcpu=x86-64-v3 | FileCheck %s --check-prefix=CODE

// Loops and branches, compiled and interpreted, with no, one and several steps.

// The interpreter's, then the compiled code's.
// PRINTS:      step 0
// PRINTS-NEXT: step 1
// PRINTS-NEXT: step 2
// PRINTS-NEXT: step 0
// PRINTS-NEXT: step 1
// PRINTS-NEXT: step 2
// PRINTS-NOT:  step
// RANGE: error: gather: {{.*}}loops.mlir


// two buffers: a contraction of the state
// REPORT:      arena         128 bytes
// REPORT-NEXT: live at most  8 bytes, first at kernels 0 to 1 of 2
// REPORT:      128    0       inside scan of {{.*}} loops.mlir:{{[0-9]+}}  0-1      #
// REPORT:      loop of kernels 0 to 1, scan of {{.*}} loops.mlir:{{[0-9]+}}: input_0_dim0 steps of 2 kernels, 128 bytes inside
// REPORT-NEXT:   state 0: 4 bytes, in two buffers
// REPORT-NEXT:   stack 0: 4 bytes a step, 128 bytes (= 4*input_0_dim0) in all
// REPORT-NEXT:   stack 1: 128 bytes (= 4*input_0_dim1) a step, 4096 bytes (= 4*input_0_dim0*input_0_dim1) in all
// REPORT:        4      {{[0-9]+}} {{ *}}scan of {{.*}}, result 1 loops.mlir:{{[0-9]+}} {{ *}}0-1      ##
// REPORT:        4      {{[0-9]+}} {{ *}}state 0 loops.mlir:{{[0-9]+}} {{ *}}0-1      ##
// REPORT:        loop of kernel 0, scan of {{.*}} loops.mlir:{{[0-9]+}}: input_0_dim1 steps of 1 kernels, 0 bytes inside
// REPORT-NEXT:     state 0: 4 bytes, in place
// REPORT-NEXT:     state 1: 4 bytes, in stack 0

// BRANCHES:    branches of kernels {{[0-9]}} to {{[0-9]}}, if of {{.*}} loops.mlir:{{[0-9]+}}: {{[0-9]}} or 2 kernels, 128 bytes inside

// Five operations on scalars, and a product after each row.
// STATS: FLOPs           153 = 5*input_0_dim0*input_0_dim1 + input_0_dim0
// STATS: kernel
// STATS: 0-1  153 {{.*}} scan of

// What stays the same from step to step is stored before the loop.
// CODE-LABEL: define internal void @keratin.rnn.loop_0(
// CODE:         load ptr
// CODE:         alloca [4 x i64]
// CODE:         store ptr
// CODE:         br label
// CODE:         phi i64
// CODE:         phi ptr
// CODE-COUNT-3: store ptr
// CODE-NOT:     store
// CODE:         call void @keratin.rnn.kernel_0(

// A state that is stacked lives in its stack: no copy, no buffer.
// PLAN-LABEL: func.func @rnn(
// PLAN-SAME:    keratin.memories = [#keratin.memory<host, 0>]
// PLAN:         keratin.scan {{.*}}keratin.places = [#keratin.place<returned 0>, #keratin.place<returned 1>], keratin.states = [#keratin.place<stack 0>]}
// PLAN:           keratin.kernel({{.*}} {keratin.places = [#keratin.place<returned 1>]
func.func @rnn(%h: tensor<2x4xf32>, %x: tensor<?x2x4xf32, #keratin.dims<d0, 2, 4>>, %u: tensor<4x4xf32>) -> (tensor<2x4xf32>, tensor<?x2x4xf32, #keratin.dims<d0, 2, 4>>) {
  %last, %all = keratin.scan length = #keratin.dims<d0> init(%h) over(%x) with(%u) : (tensor<2x4xf32>, tensor<?x2x4xf32, #keratin.dims<d0, 2, 4>>, tensor<4x4xf32>) -> (tensor<2x4xf32>, tensor<?x2x4xf32, #keratin.dims<d0, 2, 4>>) {
  ^bb0(%t: tensor<i64>, %s: tensor<2x4xf32>, %e: tensor<2x4xf32>, %w: tensor<4x4xf32>):
    %0 = keratin.dot_general %s, %w batch = [] x [] contract = [1] x [0] : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
    %1 = keratin.add %0, %e : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %2 = keratin.tanh %1 : (tensor<2x4xf32>) -> tensor<2x4xf32>
    keratin.yield %2, %2 : tensor<2x4xf32>, tensor<2x4xf32>
  }
  return %last, %all : tensor<2x4xf32>, tensor<?x2x4xf32, #keratin.dims<d0, 2, 4>>
}
// the same without stack: two buffers
// A contraction of the state: steps read one buffer and write another.
// PLAN-LABEL: func.func @rnn_last(
// PLAN-SAME:    keratin.memories = [#keratin.memory<host, 128>]
// PLAN:         keratin.scan {{.*}}keratin.places = [#keratin.place<arena, 0>], {{.*}} keratin.states = [#keratin.place<arena, 64>]
// PLAN:           keratin.kernel({{.*}} {keratin.places = [#keratin.place<returned 0>]
func.func @rnn_last(%h: tensor<2x4xf32>, %x: tensor<?x2x4xf32, #keratin.dims<d0, 2, 4>>, %u: tensor<4x4xf32>) -> tensor<2x4xf32> {
  %last = keratin.scan length = #keratin.dims<d0> reverse init(%h) over(%x) with(%u) : (tensor<2x4xf32>, tensor<?x2x4xf32, #keratin.dims<d0, 2, 4>>, tensor<4x4xf32>) -> tensor<2x4xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<2x4xf32>, %e: tensor<2x4xf32>, %w: tensor<4x4xf32>):
    %0 = keratin.dot_general %s, %w batch = [] x [] contract = [1] x [0] : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
    %1 = keratin.add %0, %e : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %2 = keratin.tanh %1 : (tensor<2x4xf32>) -> tensor<2x4xf32>
    keratin.yield %2 : tensor<2x4xf32>
  }
  %neg = keratin.neg %last : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %neg : tensor<2x4xf32>
}
// states change places; one is stacked unchanged; step number
func.func @swap(%a: tensor<3xf32>, %b: tensor<3xf32>, %i: tensor<i64>, %x: tensor<?xf32, #keratin.dims<d0>>) -> (tensor<3xf32>, tensor<3xf32>, tensor<i64>, tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<?xi64, #keratin.dims<d0>>) {
  %r:5 = keratin.scan length = #keratin.dims<d0> reverse init(%a, %b, %i) over() with() : (tensor<3xf32>, tensor<3xf32>, tensor<i64>) -> (tensor<3xf32>, tensor<3xf32>, tensor<i64>, tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<?xi64, #keratin.dims<d0>>) {
  ^bb0(%t: tensor<i64>, %s: tensor<3xf32>, %u: tensor<3xf32>, %n: tensor<i64>):
    %0 = keratin.add %n, %t : (tensor<i64>, tensor<i64>) -> tensor<i64>
    keratin.yield %u, %s, %0, %s, %t : tensor<3xf32>, tensor<3xf32>, tensor<i64>, tensor<3xf32>, tensor<i64>
  }
  return %r#0, %r#1, %r#2, %r#3, %r#4 : tensor<3xf32>, tensor<3xf32>, tensor<i64>, tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<?xi64, #keratin.dims<d0>>
}
// a loop in a loop: rows of a matrix, then its columns
// PLAN-LABEL: func.func @nested(
// PLAN:         keratin.scan {{.*}} keratin.states = [#keratin.place<arena, {{[0-9]+}}>]
// PLAN:           keratin.scan {{.*}}keratin.places = [#keratin.place<returned 0>, #keratin.place<arena, {{[0-9]+}}>, #keratin.place<returned 2>], {{.*}}keratin.states = [#keratin.place<result>, #keratin.place<stack 0>]
func.func @nested(%x: tensor<?x?xf32, #keratin.dims<d0, d1>>, %c: tensor<f32>) -> (tensor<f32>, tensor<?xf32, #keratin.dims<d0>>, tensor<?x?xf32, #keratin.dims<d0, d1>>) {
  %r:3 = keratin.scan length = #keratin.dims<d0> init(%c) over(%x) with(%c) : (tensor<f32>, tensor<?x?xf32, #keratin.dims<d0, d1>>, tensor<f32>) -> (tensor<f32>, tensor<?xf32, #keratin.dims<d0>>, tensor<?x?xf32, #keratin.dims<d0, d1>>) {
  ^bb0(%t: tensor<i64>, %s: tensor<f32>, %row: tensor<?xf32, #keratin.dims<d1>>, %k: tensor<f32>):
    %q:3 = keratin.scan length = #keratin.dims<d1> init(%s, %k) over(%row) with(%k, %s) : (tensor<f32>, tensor<f32>, tensor<?xf32, #keratin.dims<d1>>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<?xf32, #keratin.dims<d1>>) {
    ^bb0(%t2: tensor<i64>, %s2: tensor<f32>, %p: tensor<f32>, %e: tensor<f32>, %k2: tensor<f32>, %s3: tensor<f32>):
      %0 = keratin.mul %s2, %k2 : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %1 = keratin.add %0, %e : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %2 = keratin.sub %1, %s3 : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %3 = keratin.sin %2 : (tensor<f32>) -> tensor<f32>
      %4 = keratin.add %p, %3 : (tensor<f32>, tensor<f32>) -> tensor<f32>
      keratin.yield %3, %4, %4 : tensor<f32>, tensor<f32>, tensor<f32>
    }
    %5 = keratin.mul %q#1, %s : (tensor<f32>, tensor<f32>) -> tensor<f32>
    keratin.yield %q#0, %5, %q#2 : tensor<f32>, tensor<f32>, tensor<?xf32, #keratin.dims<d1>>
  }
  return %r#0, %r#1, %r#2 : tensor<f32>, tensor<?xf32, #keratin.dims<d0>>, tensor<?x?xf32, #keratin.dims<d0, d1>>
}
// a branch in a loop, with constants and captures returned as they are
func.func @branch(%x: tensor<?x3xf32, #keratin.dims<d0, 3>>, %c: tensor<3xf32>) -> (tensor<3xf32>, tensor<?x3xf32, #keratin.dims<d0, 3>>) {
  %r:2 = keratin.scan length = #keratin.dims<d0> init(%c) over(%x) with(%c) : (tensor<3xf32>, tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<3xf32>) -> (tensor<3xf32>, tensor<?x3xf32, #keratin.dims<d0, 3>>) {
  ^bb0(%t: tensor<i64>, %s: tensor<3xf32>, %e: tensor<3xf32>, %k: tensor<3xf32>):
    %sum = keratin.reduce_sum %e axes = [0] : (tensor<3xf32>) -> tensor<f32>
    %zero = keratin.constant dense<0.0> : tensor<f32>
    %pos = keratin.compare gt %sum, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %q:2 = keratin.if %pos with(%s, %e, %k) : (tensor<i1>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
    ^bb0(%a: tensor<3xf32>, %b: tensor<3xf32>, %d: tensor<3xf32>):
      %0 = keratin.mul %a, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
      %1 = keratin.transpose %0 permutation = [0] : (tensor<3xf32>) -> tensor<3xf32>
      %2 = keratin.cumsum %1 {axis = 0 : i64} : (tensor<3xf32>) -> tensor<3xf32>
      %3 = keratin.sin %2 : (tensor<3xf32>) -> tensor<3xf32>
      keratin.yield %3, %d : tensor<3xf32>, tensor<3xf32>
    } else {
    ^bb0(%a: tensor<3xf32>, %b: tensor<3xf32>, %d: tensor<3xf32>):
      %two = keratin.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
      keratin.yield %two, %two : tensor<3xf32>, tensor<3xf32>
    }
    keratin.yield %q#0, %q#1 : tensor<3xf32>, tensor<3xf32>
  }
  return %r#0, %r#1 : tensor<3xf32>, tensor<?x3xf32, #keratin.dims<d0, 3>>
}
// a loop in a branch, and a branch whose results are outputs
func.func @loop_in_branch(%x: tensor<?x3xf32, #keratin.dims<d0, 3>>, %c: tensor<3xf32>, %p: tensor<i1>) -> (tensor<3xf32>, tensor<3xf32>) {
  %q:2 = keratin.if %p with(%x, %c) : (tensor<i1>, tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  ^bb0(%a: tensor<?x3xf32, #keratin.dims<d0, 3>>, %b: tensor<3xf32>):
    %n = keratin.neg %a : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
    %r:2 = keratin.scan length = #keratin.dims<d0> init(%b) over(%n, %a) with() : (tensor<3xf32>, tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<?x3xf32, #keratin.dims<d0, 3>>) -> (tensor<3xf32>, tensor<?x3xf32, #keratin.dims<d0, 3>>) {
    ^bb0(%t: tensor<i64>, %s: tensor<3xf32>, %e: tensor<3xf32>, %e2: tensor<3xf32>):
      %0 = keratin.mul %s, %e : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
      %1 = keratin.cumsum %e2 {axis = 0 : i64} : (tensor<3xf32>) -> tensor<3xf32>
      %2 = keratin.sub %0, %1 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
      %3 = keratin.sin %2 : (tensor<3xf32>) -> tensor<3xf32>
      keratin.yield %3, %1 : tensor<3xf32>, tensor<3xf32>
    }
    %4 = keratin.reduce_sum %r#1 axes = [0] : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<3xf32>
    keratin.yield %r#0, %4 : tensor<3xf32>, tensor<3xf32>
  } else {
  ^bb0(%a: tensor<?x3xf32, #keratin.dims<d0, 3>>, %b: tensor<3xf32>):
    %0 = keratin.exp %b : (tensor<3xf32>) -> tensor<3xf32>
    keratin.yield %b, %0 : tensor<3xf32>, tensor<3xf32>
  }
  return %q#0, %q#1 : tensor<3xf32>, tensor<3xf32>
}
// a variable changed by a loop in place
// The variable itself is changed by each step.
// PLAN-LABEL: func.func @update(
// PLAN-SAME:    keratin.memories = [#keratin.memory<host, 0>]
// PLAN:         keratin.scan {{.*}}keratin.places = [#keratin.place<variable 0, over 0>], keratin.states = [#keratin.place<result>]
func.func @update(%x: tensor<?x4xf32, #keratin.dims<d0, 4>> {keratin.kind = "input", keratin.name = "x"}, %v: tensor<4xf32> {keratin.kind = "variable", keratin.name = "v"}) -> (tensor<4xf32> {keratin.kind = "update", keratin.variable = 0 : i64}) {
  %r = keratin.scan length = #keratin.dims<d0> init(%v) over(%x) with() : (tensor<4xf32>, tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<4xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<4xf32>, %e: tensor<4xf32>):
    %0 = keratin.mul %s, %e : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = keratin.add %0, %s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %1 : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
// indices that are read in a loop, by step number
// PLAN-LABEL: func.func @indices(
// PLAN:         keratin.scan {{.*}} keratin.step = #keratin.place<arena, 0>}
func.func @indices(%x: tensor<10x4xf32>, %i: tensor<?xi64, #keratin.dims<d0>>, %c: tensor<4xf32>) -> (tensor<4xf32>, tensor<?x4xf32, #keratin.dims<d0, 4>>) {
  %r:2 = keratin.scan length = #keratin.dims<d0> init(%c) over(%i) with(%x) : (tensor<4xf32>, tensor<?xi64, #keratin.dims<d0>>, tensor<10x4xf32>) -> (tensor<4xf32>, tensor<?x4xf32, #keratin.dims<d0, 4>>) {
  ^bb0(%t: tensor<i64>, %s: tensor<4xf32>, %j: tensor<i64>, %all: tensor<10x4xf32>):
    %row = keratin.gather %all, %t : (tensor<10x4xf32>, tensor<i64>) -> tensor<4xf32>
    %1 = keratin.maximum %row, %s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %1, %row : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<?x4xf32, #keratin.dims<d0, 4>>
}

func.func @prints(%x: tensor<3xf32>) -> tensor<3xf32> {
  %r = keratin.scan length = #keratin.dims<3> init() over(%x) with() : (tensor<3xf32>) -> tensor<3xf32> {
  ^bb0(%t: tensor<i64>, %e: tensor<f32>):
    %0 = keratin.print "step" %t : tensor<i64>
    %1 = keratin.exp %e : (tensor<f32>) -> tensor<f32>
    keratin.yield %1 : tensor<f32>
  }
  return %r : tensor<3xf32>
}

// NEGATIVE: scan: the number of steps x_dim0 - 3 is {{.*}}loops.mlir:[[@LINE+2]]
func.func @fewer_steps(%h: tensor<8xf32> {keratin.kind = "input", keratin.name = "h"}, %x: tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "input", keratin.name = "x"}) -> (tensor<8xf32> {keratin.kind = "output"}) {
  %last = keratin.scan length = #keratin.dims<d0 - 3> init(%h) over() with() : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<8xf32>):
    %0 = keratin.mul %s, %s : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    keratin.yield %0 : tensor<8xf32>
  }
  return %last : tensor<8xf32>
}
