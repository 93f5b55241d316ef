// Loops that the device "cuda" does by itself, of more threads than a block has: the same numbers whichever blocks come first, and the same as on the CPU where all that is
// summed has one order.
// RUN: rm -rf %t && mkdir %t
// RUN: env KERATIN_EMULATOR=counters=%t/counters keratin-run %s --function=step --device=emulated --random=3 --repeat=2 --size=d0=5 --check --save-state=%t/state | FileCheck %s
// RUN: FileCheck %s --check-prefix=COUNTERS < %t/counters
// RUN: env KERATIN_EMULATOR=seed=7 keratin-run %s --function=step --device=emulated --random=3 --repeat=2 --size=d0=5 --check --save-state=%t/seeded | FileCheck %s
// RUN: cmp %t/state %t/seeded
// RUN: keratin-run %s --function=step --random=3 --repeat=2 --size=d0=5 --save-state=%t/host
// RUN: cmp %t/state %t/host

// The first step that fails say which line it was, and nothing is updated.
// RUN: env KERATIN_EMULATOR=seed=3 %{exits} 1 keratin-run %s --function=fails --device=emulated --random=3 2>&1 | FileCheck %s --check-prefix=FAILS

// A condition that the device reads.
// RUN: env KERATIN_EMULATOR=seed=3,counters=%t/until keratin-run %s --function=until --device=emulated --random=3 --check | FileCheck %s --check-prefix=UNTIL
// RUN: FileCheck %s --check-prefix=UNTIL-COUNTERS < %t/until

// Products whose depth blocks share: all units in a grid as large as they are many, and several units a block where fewer blocks are resident.
// RUN: env KERATIN_EMULATOR=seed=7,counters=%t/shares keratin-run %s --function=shares --device=emulated --random=3 --repeat=2 --check --save-state=%t/shared | FileCheck %s
// RUN: FileCheck %s --check-prefix=SHARES < %t/shares
// RUN: env KERATIN_EMULATOR=multiprocessors=1,seed=5,counters=%t/few keratin-run %s --function=shares --device=emulated --random=3 --repeat=2 --check --save-state=%t/few_blocks | FileCheck %s
// RUN: FileCheck %s --check-prefix=FEW < %t/few
// RUN: cmp %t/shared %t/few_blocks

// Blocks of fewer threads than the loop's that sort, and random bits that threads make together.
// RUN: env KERATIN_EMULATOR=seed=7,counters=%t/sorts keratin-run %s --function=sorts --device=emulated --random=3 --repeat=2 --check | FileCheck %s
// RUN: env KERATIN_EMULATOR=multiprocessors=1,seed=5 keratin-run %s --function=sorts --device=emulated --random=3 --repeat=2 --check | FileCheck %s
// RUN: FileCheck %s --check-prefix=SORTS < %t/sorts

// CHECK: check: 2 calls agree with the reference interpreter
// The loop and its gradient, a launch each in each of two calls, of several blocks.
// COUNTERS-DAG: resident_0", "counters": {"launches": 2, "blocks": 18,
// COUNTERS-DAG: resident_1", "counters": {"launches": 2, "blocks": 18,
func.func @step(%h: tensor<96x96xf32> {keratin.kind = "input", keratin.name = "h"},
                %x: tensor<?x96x96xf32, #keratin.dims<d0, 96, 96>> {keratin.kind = "input", keratin.name = "x"},
                %w: tensor<96x96xf32> {keratin.kind = "variable", keratin.name = "w", keratin.initial = dense<0.5> : tensor<96x96xf32>})
    -> (tensor<96x96xf32> {keratin.kind = "output", keratin.name = "y"}, tensor<96x96xf32> {keratin.kind = "update", keratin.variable = 0 : i64}) {
  %y:2 = keratin.scan length = #keratin.dims<d0> init(%h, %h) over(%x) with(%w) : (tensor<96x96xf32>, tensor<96x96xf32>, tensor<?x96x96xf32, #keratin.dims<d0, 96, 96>>, tensor<96x96xf32>) -> (tensor<96x96xf32>, tensor<96x96xf32>) {
  ^bb0(%t: tensor<i64>, %s: tensor<96x96xf32>, %r: tensor<96x96xf32>, %e: tensor<96x96xf32>, %v: tensor<96x96xf32>):
    %0 = keratin.transpose %s permutation = [1, 0] : (tensor<96x96xf32>) -> tensor<96x96xf32>
    %1 = keratin.mul %0, %v : (tensor<96x96xf32>, tensor<96x96xf32>) -> tensor<96x96xf32>
    %2 = keratin.add %1, %e : (tensor<96x96xf32>, tensor<96x96xf32>) -> tensor<96x96xf32>
    %3 = keratin.tanh %2 : (tensor<96x96xf32>) -> tensor<96x96xf32>
    keratin.yield %r, %3 : tensor<96x96xf32>, tensor<96x96xf32>
  }
  %g = keratin.gradients %y#1 wrt %w : (tensor<96x96xf32>, tensor<96x96xf32>) -> tensor<96x96xf32>
  %n = keratin.sub %w, %g : (tensor<96x96xf32>, tensor<96x96xf32>) -> tensor<96x96xf32>
  return %y#0, %n : tensor<96x96xf32>, tensor<96x96xf32>
}

// FAILS: cuda-loops.mlir:[[#@LINE+7]]: error: gather: an index is outside
func.func @fails(%x: tensor<4x800xf32> {keratin.kind = "input", keratin.name = "x"},
                 %w: tensor<800xf32> {keratin.kind = "variable", keratin.name = "v", keratin.initial = dense<0.5> : tensor<800xf32>})
    -> (tensor<800xf32> {keratin.kind = "output", keratin.name = "y"}, tensor<800xf32> {keratin.kind = "update", keratin.variable = 0 : i64}) {
  %start = keratin.constant dense<3> : tensor<i64>
  %y:2 = keratin.scan length = #keratin.dims<6> init(%w, %start) over() with(%x) : (tensor<800xf32>, tensor<i64>, tensor<4x800xf32>) -> (tensor<800xf32>, tensor<i64>) {
  ^bb0(%t: tensor<i64>, %s: tensor<800xf32>, %k: tensor<i64>, %a: tensor<4x800xf32>):
    %0 = keratin.gather %a, %k : (tensor<4x800xf32>, tensor<i64>) -> tensor<800xf32>
    %1 = keratin.add %s, %0 : (tensor<800xf32>, tensor<800xf32>) -> tensor<800xf32>
    %2 = keratin.add %k, %t : (tensor<i64>, tensor<i64>) -> tensor<i64>
    keratin.yield %1, %2 : tensor<800xf32>, tensor<i64>
  }
  %n = keratin.add %w, %y#0 : (tensor<800xf32>, tensor<800xf32>) -> tensor<800xf32>
  return %y#0, %n : tensor<800xf32>, tensor<800xf32>
}

// UNTIL: check: 1 call agrees with the reference interpreter
// UNTIL-COUNTERS: resident_0", "counters": {"launches": 1, "blocks": {{[2-9]|[1-9][0-9]+}},
func.func @until(%x: tensor<80x25xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<80x25xf32> {keratin.kind = "output", keratin.name = "y"}, tensor<i64> {keratin.kind = "output", keratin.name = "steps"}) {
  %go = keratin.constant dense<true> : tensor<i1>
  %most = keratin.constant dense<1.0> : tensor<80xf32>
  %y:4 = keratin.while init(%go, %x, %most) with() : (tensor<i1>, tensor<80x25xf32>, tensor<80xf32>) -> (tensor<i1>, tensor<80x25xf32>, tensor<80xf32>, tensor<i64>) {
  ^bb0(%t: tensor<i64>, %flag: tensor<i1>, %s: tensor<80x25xf32>, %r: tensor<80xf32>):
    %0 = keratin.sin %s : (tensor<80x25xf32>) -> tensor<80x25xf32>
    %1 = keratin.mul %0, %0 : (tensor<80x25xf32>, tensor<80x25xf32>) -> tensor<80x25xf32>
    %rows = keratin.reduce_max %1 axes = [1] : (tensor<80x25xf32>) -> tensor<80xf32>
    %2 = keratin.reduce_max %r axes = [0] : (tensor<80xf32>) -> tensor<f32>
    %least = keratin.constant dense<0.3> : tensor<f32>
    %more = keratin.compare gt %2, %least : (tensor<f32>, tensor<f32>) -> tensor<i1>
    keratin.yield %more, %0, %rows : tensor<i1>, tensor<80x25xf32>, tensor<80xf32>
  }
  return %y#1, %y#3 : tensor<80x25xf32>, tensor<i64>
}

// SHARES-DAG: resident_0", "counters": {"launches": 2, "blocks": 128,
// SHARES-DAG: resident_1", "counters": {"launches": 2, "blocks": 128,
// FEW-DAG: resident_0", "counters": {"launches": 2, "blocks": 16,
// FEW-DAG: resident_1", "counters": {"launches": 2, "blocks": 16,
func.func @shares(%h: tensor<8x256xf32> {keratin.kind = "input", keratin.name = "h"},
                  %w: tensor<256x256xf32> {keratin.kind = "variable", keratin.name = "u", keratin.initial = dense<0.01> : tensor<256x256xf32>})
    -> (tensor<8x256xf32> {keratin.kind = "output", keratin.name = "y"}, tensor<256x256xf32> {keratin.kind = "update", keratin.variable = 0 : i64}) {
  %y = keratin.scan length = #keratin.dims<3> init(%h) over() with(%w) : (tensor<8x256xf32>, tensor<256x256xf32>) -> tensor<8x256xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<8x256xf32>, %v: tensor<256x256xf32>):
    %0 = keratin.dot_general %s, %v batch = [] x [] contract = [1] x [0] : (tensor<8x256xf32>, tensor<256x256xf32>) -> tensor<8x256xf32>
    %1 = keratin.tanh %0 : (tensor<8x256xf32>) -> tensor<8x256xf32>
    keratin.yield %1 : tensor<8x256xf32>
  }
  %g = keratin.gradients %y wrt %w : (tensor<8x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %n = keratin.sub %w, %g : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  return %y, %n : tensor<8x256xf32>, tensor<256x256xf32>
}

// SORTS: resident_0", "counters": {"launches": 2, "blocks": {{[2-9]|[1-9][0-9]+}},
func.func @sorts(%x: tensor<40x192xui32> {keratin.kind = "input", keratin.name = "x"}, %draw: tensor<i64> {keratin.kind = "input", keratin.name = "draw"})
    -> (tensor<40x192xui32> {keratin.kind = "output", keratin.name = "y"}, tensor<40x5xi64> {keratin.kind = "output", keratin.name = "places"}) {
  %none = keratin.constant dense<0> : tensor<i64>
  %nowhere = keratin.broadcast %none dims = [] : (tensor<i64>) -> tensor<40x5xi64>
  %y:2 = keratin.scan length = #keratin.dims<4> init(%x, %nowhere) over() with(%draw) : (tensor<40x192xui32>, tensor<40x5xi64>, tensor<i64>) -> (tensor<40x192xui32>, tensor<40x5xi64>) {
  ^bb0(%t: tensor<i64>, %s: tensor<40x192xui32>, %p: tensor<40x5xi64>, %d: tensor<i64>):
    %number = keratin.add %t, %d : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %bits = keratin.random_bits %number {seed = 7 : i64} : (tensor<i64>) -> tensor<40x192xui32>
    %0 = keratin.xor %s, %bits : (tensor<40x192xui32>, tensor<40x192xui32>) -> tensor<40x192xui32>
    %most = keratin.reduce_sum %0 axes = [1] : (tensor<40x192xui32>) -> tensor<40xui32>
    %wide = keratin.broadcast %most dims = [0] : (tensor<40xui32>) -> tensor<40x192xui32>
    %next = keratin.add %0, %wide : (tensor<40x192xui32>, tensor<40x192xui32>) -> tensor<40x192xui32>
    %top = keratin.top_k %next : (tensor<40x192xui32>) -> tensor<40x5xi64>
    %sum = keratin.add %p, %top : (tensor<40x5xi64>, tensor<40x5xi64>) -> tensor<40x5xi64>
    keratin.yield %next, %sum : tensor<40x192xui32>, tensor<40x5xi64>
  }
  return %y#0, %y#1 : tensor<40x192xui32>, tensor<40x5xi64>
}
