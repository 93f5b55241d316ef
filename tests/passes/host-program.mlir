// RUN: keratin-opt %s --keratin-pipeline=stop-after=host | FileCheck %s
// RUN: keratin-opt %s --keratin-pipeline --keratin-build-host-program --keratin-build-host-program | FileCheck %s

// What the host does in a call, in words: launches with the places of what kernels read and write.

// CHECK-LABEL: host.program of @step {
// CHECK-NEXT:    %[[X:.*]] = host.argument 0
// CHECK-NEXT:    %[[W:.*]] = host.argument 1
// CHECK-NEXT:    %[[ARENA:.*]] = host.memory 0
// CHECK-NEXT:    %[[Y:.*]] = host.at %[[ARENA]], <0>
// CHECK-NEXT:    host.launch kernel 0(%[[X]], %[[W]]) -> (%[[Y]]) on 0
// CHECK-NEXT:    %[[OUT:.*]] = host.result 0
// CHECK-NEXT:    host.launch kernel 1(%[[Y]]) -> (%[[OUT]]) on 0
// CHECK-NEXT:    %[[NEW:.*]] = host.argument 1
// CHECK-NEXT:    host.launch kernel 2(%[[X]], %[[Y]], %[[W]]) -> (%[[NEW]]) on 0
// CHECK-NEXT:  {{^ *[}]}}
func.func @step(%x: tensor<?x4xf32, #keratin.dims<d0, 4>> {keratin.kind = "input", keratin.name = "x"}, %w: tensor<4x2xf32> {keratin.kind = "variable", keratin.name = "w"}) -> (tensor<f32> {keratin.kind = "output"}, tensor<4x2xf32> {keratin.kind = "update", keratin.variable = 0 : i64}) {
  %y = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<?x4xf32, #keratin.dims<d0, 4>>, tensor<4x2xf32>) -> tensor<?x2xf32, #keratin.dims<d0, 2>>
  %loss = keratin.reduce_sum %y axes = [0, 1] : (tensor<?x2xf32, #keratin.dims<d0, 2>>) -> tensor<f32>
  %g = keratin.dot_general %x, %y batch = [] x [] contract = [0] x [0] : (tensor<?x4xf32, #keratin.dims<d0, 4>>, tensor<?x2xf32, #keratin.dims<d0, 2>>) -> tensor<4x2xf32>
  %n = keratin.sub %w, %g : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  return %loss, %n : tensor<f32>, tensor<4x2xf32>
}

// The variable is not written if the gather has failed.

// CHECK-LABEL: host.program of @update_behind_what_can_fail {
// CHECK:         host.launch kernel 0(
// CHECK:         host.check
// CHECK:         host.launch kernel 1(
func.func @update_behind_what_can_fail(%x: tensor<9xf32> {keratin.kind = "input", keratin.name = "x"}, %i: tensor<4xi64> {keratin.kind = "input", keratin.name = "i"}, %w: tensor<9xf32> {keratin.kind = "variable", keratin.name = "w"}) -> (tensor<4xf32> {keratin.kind = "output"}, tensor<9xf32> {keratin.kind = "update", keratin.variable = 0 : i64}) {
  %y = keratin.gather %x, %i : (tensor<9xf32>, tensor<4xi64>) -> tensor<4xf32>
  %n = keratin.add %w, %x : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xf32>
  return %y, %n : tensor<4xf32>, tensor<9xf32>
}

// Nothing fails: nothing is checked.

// CHECK-LABEL: host.program of @print {
// CHECK-NOT:     host.check
// CHECK:         host.call "print" kernel 0(%{{.*}}) -> (%{{.*}}) on 0
func.func @print(%x: tensor<3xf32> {keratin.kind = "input", keratin.name = "x"}) -> (tensor<3xf32> {keratin.kind = "output"}) {
  %y = keratin.print "x" %x : tensor<3xf32>
  return %y : tensor<3xf32>
}

// The host reads the size that a kernel has computed, and what has it comes behind.

// CHECK-LABEL: host.program of @computed_size {
// CHECK:         host.launch kernel 0(%{{.*}}) -> (%[[N:.*]]) on 0
// CHECK-NEXT:    %[[VALUE:.*]] = host.read %[[N]] : i64
// CHECK-NEXT:    %[[SOUND:.*]] = host.define_size 3, %[[VALUE]]
// CHECK-NEXT:    host.end_unless %[[SOUND]]
// CHECK:         host.launch kernel 1() -> (%{{.*}}) after <d3> on 0
func.func @computed_size(%m: tensor<8xi64> {keratin.kind = "input", keratin.name = "m"}) -> (tensor<?xi64, #keratin.dims<d3>> {keratin.kind = "output"}) {
  %n = keratin.reduce_sum %m axes = [0] : (tensor<8xi64>) -> tensor<i64>
  keratin.define_size 3 %n at_most <8> : tensor<i64>
  %i = keratin.iota {axis = 0 : i64} : tensor<?xi64, #keratin.dims<d3>>
  return %i : tensor<?xi64, #keratin.dims<d3>>
}

// CHECK-LABEL: host.program of @branches {
// CHECK:         %[[C:.*]] = host.read %{{.*}} : i1
// CHECK:         scf.if %[[C]] {
// CHECK-NEXT:      host.launch kernel 0(%[[X:.*]]) -> (%[[Y:.*]]) on 0
// CHECK-NEXT:    } else {
// CHECK-NEXT:      host.launch kernel 1(%[[X]]) -> (%[[Y]]) on 0
// CHECK-NEXT:    {{^ *[}]}}
func.func @branches(%c: tensor<i1> {keratin.kind = "input", keratin.name = "c"}, %x: tensor<4x4xf32> {keratin.kind = "input", keratin.name = "x"}) -> (tensor<4x4xf32> {keratin.kind = "output"}) {
  %y = keratin.if %c with(%x) : (tensor<i1>, tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%a: tensor<4x4xf32>):
    %0 = keratin.dot_general %a, %a batch = [] x [] contract = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    keratin.yield %0 : tensor<4x4xf32>
  } else {
  ^bb0(%a: tensor<4x4xf32>):
    %0 = keratin.cumsum %a {axis = 0 : i64} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    keratin.yield %0 : tensor<4x4xf32>
  }
  return %y : tensor<4x4xf32>
}

// The state and a second buffer take turns: which of them is first follows from the number of steps. Without a step the
// init is copied.

// CHECK-LABEL: host.program of @two_buffers {
// CHECK:         host.loop {
// CHECK:           %[[ODD:.*]] = arith.cmpi ne
// CHECK-NEXT:      %[[FIRST:.*]] = arith.select %[[ODD]], %[[RESULT:.*]], %[[SECOND:.*]] : !host.place
// CHECK-NEXT:      %[[OTHER:.*]] = arith.select %[[ODD]], %[[SECOND]], %[[RESULT]] : !host.place
// CHECK:           %[[LOOP:.*]]:3 = scf.for %[[T:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[LAST:.*]] = %[[INIT:.*]], %[[NEXT:.*]] = %[[FIRST]], %[[THEN:.*]] = %[[OTHER]])
// CHECK-NEXT:        %[[ROW:.*]] = host.element %{{.*}}[%[[T]]], <16>
// CHECK-NEXT:        host.launch kernel 0(%[[LAST]], %{{.*}}, %[[ROW]]) -> (%[[NEXT]]) on 0
// CHECK-NEXT:        scf.yield %[[NEXT]], %[[THEN]], %[[NEXT]]
// CHECK:           %[[NONE:.*]] = arith.cmpi sle
// CHECK-NEXT:      scf.if %[[NONE]] {
// CHECK-NEXT:        host.copy %[[LOOP]]#0 to %[[RESULT]], <16> on 0
func.func @two_buffers(%h: tensor<4xf32> {keratin.kind = "input", keratin.name = "h"}, %x: tensor<?x4xf32, #keratin.dims<d0, 4>> {keratin.kind = "input", keratin.name = "x"}, %u: tensor<4x4xf32> {keratin.kind = "input", keratin.name = "u"}) -> (tensor<4xf32> {keratin.kind = "output"}) {
  %y = keratin.scan length = #keratin.dims<d0> init(%h) over(%x) with(%u) : (tensor<4xf32>, tensor<?x4xf32, #keratin.dims<d0, 4>>, tensor<4x4xf32>) -> tensor<4xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<4xf32>, %e: tensor<4xf32>, %w: tensor<4x4xf32>):
    %0 = keratin.dot_general %s, %w batch = [] x [] contract = [0] x [0] : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4xf32>
    %1 = keratin.add %0, %e : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %1 : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// A loop that ends when it likes: its flag is read before each step, and there is room in the tape before the step writes to it.

// CHECK-LABEL: host.program of @tape {
// CHECK:         scf.while
// CHECK:           host.read %{{.*}} : i1
// CHECK:           host.grow_tapes 5, %{{.*}}
// CHECK:         } do {
// CHECK:           %[[TAPE:.*]] = host.memory 1
// CHECK-NEXT:      %[[ELEMENT:.*]] = host.element %[[TAPE]][%{{.*}}], <8>
// CHECK:         host.write %{{.*}} to %[[COUNT:.*]]
// CHECK:         %[[STEPS:.*]] = host.read %[[COUNT]] : i64
// CHECK-NEXT:    %[[SOUND:.*]] = host.define_size 5, %[[STEPS]]
// CHECK-NEXT:    host.end_unless %[[SOUND]]
// CHECK:         host.launch kernel {{[0-9]+}}({{.*}}) -> ({{.*}}) after <d5> on 0
func.func @tape(%x: tensor<2xf32> {keratin.kind = "input", keratin.name = "x"}, %go: tensor<i1> {keratin.kind = "input", keratin.name = "go"}) -> (tensor<2xf32> {keratin.kind = "output"}) {
  %y:4 = keratin.while length = <d5> init(%go, %x) with() : (tensor<i1>, tensor<2xf32>) -> (tensor<i1>, tensor<2xf32>, tensor<i64>, tensor<?x2xf32, #keratin.dims<d5, 2>>) {
  ^bb0(%t: tensor<i64>, %flag: tensor<i1>, %s: tensor<2xf32>):
    %0 = keratin.sin %s : (tensor<2xf32>) -> tensor<2xf32>
    %1 = keratin.reduce_sum %0 axes = [0] : (tensor<2xf32>) -> tensor<f32>
    %least = keratin.constant dense<0.5> : tensor<f32>
    %more = keratin.compare gt %1, %least : (tensor<f32>, tensor<f32>) -> tensor<i1>
    keratin.yield %more, %0, %s : tensor<i1>, tensor<2xf32>, tensor<2xf32>
  }
  %sum = keratin.reduce_sum %y#3 axes = [0] : (tensor<?x2xf32, #keratin.dims<d5, 2>>) -> tensor<2xf32>
  return %sum : tensor<2xf32>
}

// A size of each step: what has it is left out where the value is not allowed, and no further step is made.

// CHECK-LABEL: host.program of @size_of_a_step {
// CHECK:         scf.for
// CHECK:           host.write %[[T:.*]] to %[[NUMBER:.*]]
// CHECK:           %[[GOOD:.*]] = host.sound
// CHECK-NEXT:      scf.if %[[GOOD]] {
// CHECK:             %[[VALUE:.*]] = host.read %{{.*}} : i64
// CHECK-NEXT:        %[[SOUND:.*]] = host.define_size 0, %[[VALUE]]
// CHECK-NEXT:        scf.if %[[SOUND]] {
// CHECK:               host.launch kernel {{.*}} after <d0> on 0
func.func @size_of_a_step(%x: tensor<3x3xf64> {keratin.kind = "input", keratin.name = "x"}, %h: tensor<f64> {keratin.kind = "input", keratin.name = "h"}) -> (tensor<f64> {keratin.kind = "output"}) {
  %y = keratin.scan length = <3> init(%h) over(%x) with() : (tensor<f64>, tensor<3x3xf64>) -> tensor<f64> {
  ^bb0(%t: tensor<i64>, %s: tensor<f64>, %e: tensor<3xf64>):
    %part = keratin.truncate %e, %t axis = 0 : (tensor<3xf64>, tensor<i64>) -> tensor<?xf64, #keratin.dims<d0>>
    %c = keratin.reduce_sum %part axes = [0] : (tensor<?xf64, #keratin.dims<d0>>) -> tensor<f64>
    %n = keratin.add %c, %s : (tensor<f64>, tensor<f64>) -> tensor<f64>
    keratin.yield %n : tensor<f64>
  }
  return %y : tensor<f64>
}

// What is made of a variable that the function does not update is made where that was written.

// CHECK-LABEL: host.program of @prepared {
// CHECK:         %[[MUST:.*]] = host.must_prepare
// CHECK:         %[[W:.*]] = host.argument 1
// CHECK:         %[[ARENA:.*]] = host.memory 0
// CHECK:         %[[E:.*]] = host.at %[[ARENA]], <0>
// CHECK:         %[[KEPT:.*]] = host.memory 1
// CHECK:         %[[S:.*]] = host.at %[[KEPT]], <0>
// CHECK:         scf.if %[[MUST]] {
// CHECK-NEXT:      host.launch kernel 0(%[[W]]) -> (%[[E]]) on 0
// CHECK-NEXT:      host.launch kernel 1(%[[E]]) -> (%[[S]]) on 0 {name = "cumsum"}
// CHECK-NEXT:    }
// CHECK:         host.launch kernel 2(%[[S]],
func.func @prepared(%x: tensor<4x8xf32> {keratin.kind = "input", keratin.name = "x"}, %w: tensor<8x4xf32> {keratin.kind = "variable", keratin.name = "w"}) -> (tensor<4x8xf32> {keratin.kind = "output"}) {
  %e = keratin.exp %w : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %s = keratin.cumsum %e {axis = 0 : i64} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %t = keratin.transpose %s permutation = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %y = keratin.mul %x, %t : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
