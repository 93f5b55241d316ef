// RUN: keratin-opt %s --keratin-form-kernels --keratin-schedule --keratin-plan-memory --keratin-build-host-program | FileCheck %s
// RUN: keratin-opt %s --keratin-form-kernels --keratin-schedule --keratin-plan-memory=space=device --keratin-build-host-program | FileCheck %s --check-prefix=DEVICE

// A message starts when what it sends is there, and is waited for where its result is needed, which is behind all that does not need it. Until then nothing else has the memory of what it sends and receives.

// CHECK-LABEL: host.program of @beside_what_does_not_need_it {
// CHECK:         %[[SHARE:.*]] = host.at %{{.*}}, <0>
// CHECK-NEXT:    host.launch kernel 0(%{{.*}}) -> (%[[SHARE]]) on 0 {name = "reduce_sum"}
// CHECK-NEXT:    %[[WHOLE:.*]] = host.at %{{.*}}, <0>
// CHECK-NEXT:    host.start_collective kernel 1(%[[SHARE]]) -> (%[[WHOLE]]) on 0 {name = "all_reduce"}
// CHECK:         %[[OTHER:.*]] = host.at %{{.*}}, <64>
// CHECK-NEXT:    host.launch kernel 2(%{{.*}}) -> (%[[OTHER]]) on 0 {name = "cumsum"}
// CHECK:         host.launch kernel 3(%[[OTHER]]) -> ({{.*}}) on 0 {name = "cumsum"}
// CHECK-NEXT:    host.wait_collective kernel 1
// CHECK:         host.launch kernel 4(%[[WHOLE]])
// On a device it is the same: what is sent and received lies there, and the runtime knows the way.
// DEVICE-LABEL: host.program of @beside_what_does_not_need_it {
// DEVICE-NOT:    host.fetch
// DEVICE:        host.start_collective kernel 1(%{{.*}}) -> (%[[WHOLE:.*]]) on 0
// DEVICE-NOT:    host.wait_collective
// DEVICE:        host.launch kernel 3(
// DEVICE-NEXT:   host.wait_collective kernel 1
// DEVICE:        host.launch kernel 4(%[[WHOLE]])
func.func @beside_what_does_not_need_it(%x: tensor<8x4xf32> {keratin.kind = "input"}, %z: tensor<8xf32> {keratin.kind = "input"})
    -> (tensor<4xf32> {keratin.kind = "output"}, tensor<8xf32> {keratin.kind = "output"}) {
  %a = keratin.cumsum %z {axis = 0 : i64} : (tensor<8xf32>) -> tensor<8xf32>
  %b = keratin.cumsum %a {axis = 0 : i64} : (tensor<8xf32>) -> tensor<8xf32>
  %share = keratin.reduce_sum %x axes = [0] : (tensor<8x4xf32>) -> tensor<4xf32>
  %whole = keratin.all_reduce sum %share : tensor<4xf32>
  %y = keratin.cumsum %whole {axis = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return %y, %b : tensor<4xf32>, tensor<8xf32>
}

// What the first message needs comes first; nothing is written in place before all are over.

// CHECK-LABEL: host.program of @two_messages {
// CHECK:         host.start_collective kernel 1(
// CHECK:         host.launch kernel 2({{.*}}) on 0 {name = "cumsum"}
// CHECK:         host.launch kernel 3({{.*}}) on 0 {name = "reduce_sum"}
// CHECK:         host.start_collective kernel 4(
// CHECK:         host.wait_collective kernel 1
// CHECK:         host.wait_collective kernel 4
// CHECK:         host.check
// CHECK-NOT:     host.wait_collective
// CHECK:         host.launch kernel 5(
func.func @two_messages(%x: tensor<8x4xf32> {keratin.kind = "input"}, %v: tensor<4xf32> {keratin.kind = "variable"}, %w: tensor<4xf32> {keratin.kind = "variable"})
    -> (tensor<4xf32> {keratin.kind = "update", keratin.variable = 0 : i64}, tensor<4xf32> {keratin.kind = "update", keratin.variable = 1 : i64}) {
  %c = keratin.cumsum %x {axis = 0 : i64} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %f = keratin.reduce_sum %x axes = [0] : (tensor<8x4xf32>) -> tensor<4xf32>
  %g = keratin.reduce_sum %c axes = [0] : (tensor<8x4xf32>) -> tensor<4xf32>
  %first = keratin.all_reduce sum %f : tensor<4xf32>
  %second = keratin.all_reduce sum %g : tensor<4xf32>
  %n = keratin.sub %v, %second : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %o = keratin.sub %w, %first : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %n, %o : tensor<4xf32>, tensor<4xf32>
}

// The messages of a step are waited for in it.

// CHECK-LABEL: host.program of @in_a_loop {
// CHECK:         scf.for
// CHECK:           host.start_collective kernel 1(
// CHECK-NEXT:      host.wait_collective kernel 1
// CHECK:           scf.yield
// CHECK:         host.start_collective kernel 2(
// CHECK-NEXT:    host.wait_collective kernel 2
func.func @in_a_loop(%x: tensor<8x4xf32> {keratin.kind = "input"}, %s: tensor<4xf32> {keratin.kind = "input"})
    -> (tensor<4xf32> {keratin.kind = "output"}, tensor<4xf32> {keratin.kind = "output"}) {
  %f = keratin.reduce_sum %x axes = [0] : (tensor<8x4xf32>) -> tensor<4xf32>
  %whole = keratin.all_reduce sum %f : tensor<4xf32>
  %last = keratin.scan length = <3> init(%s) over() with() : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%t: tensor<i64>, %state: tensor<4xf32>):
    %next = keratin.all_reduce sum %state : tensor<4xf32>
    keratin.yield %next : tensor<4xf32>
  }
  return %whole, %last : tensor<4xf32>, tensor<4xf32>
}

// In a step, too, what does not need the message stands beside it, and what it sends and receives is not where that writes.

// CHECK-LABEL: host.program of @beside_kernels_of_a_step {
// CHECK:         %[[SHARE:.*]] = host.at %{{.*}}, <0>
// CHECK-NEXT:    %[[WHOLE:.*]] = host.at %{{.*}}, <0>
// CHECK:         scf.for
// CHECK:           host.launch kernel 0({{.*}}) -> (%[[SHARE]]) on 0 {name = "mul"}
// CHECK-NEXT:      host.start_collective kernel 1(%[[SHARE]]) -> (%[[WHOLE]])
// CHECK-NEXT:      host.launch kernel 2({{.*}}) on 0 {name = "cumsum"}
// CHECK-NEXT:      host.wait_collective kernel 1
// CHECK-NEXT:      host.launch kernel 3(%[[WHOLE]])
func.func @beside_kernels_of_a_step(%x: tensor<3x4xf32> {keratin.kind = "input"}, %s: tensor<4xf32> {keratin.kind = "input"}, %v: tensor<8xf32> {keratin.kind = "input"})
    -> (tensor<4xf32> {keratin.kind = "output"}, tensor<8xf32> {keratin.kind = "output"}) {
  %last, %other = keratin.scan length = <3> init(%s, %v) over(%x) with() : (tensor<4xf32>, tensor<8xf32>, tensor<3x4xf32>) -> (tensor<4xf32>, tensor<8xf32>) {
  ^bb0(%t: tensor<i64>, %state: tensor<4xf32>, %beside: tensor<8xf32>, %row: tensor<4xf32>):
    %share = keratin.mul %state, %row : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %whole = keratin.all_reduce sum %share : tensor<4xf32>
    %next = keratin.cumsum %whole {axis = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
    %moved = keratin.cumsum %beside {axis = 0 : i64} : (tensor<8xf32>) -> tensor<8xf32>
    keratin.yield %next, %moved : tensor<4xf32>, tensor<8xf32>
  }
  return %last, %other : tensor<4xf32>, tensor<8xf32>
}

// Whether there is another step is asked of all ranks, and known before it begins.

// CHECK-LABEL: host.program of @while_any_rank_goes_on {
// CHECK:         scf.while
// CHECK:           host.start_collective kernel [[MORE:[0-9]+]](
// CHECK:           host.wait_collective kernel [[MORE]]
// CHECK:           scf.yield
func.func @while_any_rank_goes_on(%s: tensor<f32> {keratin.kind = "input"}) -> (tensor<f32> {keratin.kind = "output"}, tensor<i64> {keratin.kind = "output"}) {
  %true = keratin.constant dense<true> : tensor<i1>
  %y:3 = keratin.while init(%true, %s) with() : (tensor<i1>, tensor<f32>) -> (tensor<i1>, tensor<f32>, tensor<i64>) {
  ^bb0(%t: tensor<i64>, %flag: tensor<i1>, %x: tensor<f32>):
    %half = keratin.constant dense<0.5> : tensor<f32>
    %n = keratin.mul %x, %half : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %own = keratin.compare gt %n, %half : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %more = keratin.all_reduce sum %own : tensor<i1>
    keratin.yield %more, %n : tensor<i1>, tensor<f32>
  }
  return %y#1, %y#2 : tensor<f32>, tensor<i64>
}

// The host itself needs a size.

// CHECK-LABEL: host.program of @of_a_size {
// CHECK:         host.start_collective kernel 1(%{{.*}}) -> (%[[N:.*]]) on 0
// CHECK-NEXT:    host.wait_collective kernel 1
// CHECK:         host.read %[[N]] : i64
func.func @of_a_size(%m: tensor<8xi64> {keratin.kind = "input"}) -> (tensor<?xi64, #keratin.dims<d3>> {keratin.kind = "output"}) {
  %own = keratin.reduce_sum %m axes = [0] : (tensor<8xi64>) -> tensor<i64>
  %n = keratin.all_reduce sum %own : tensor<i64>
  keratin.define_size 3 %n at_most <8> : tensor<i64>
  %i = keratin.iota {axis = 0 : i64} : tensor<?xi64, #keratin.dims<d3>>
  return %i : tensor<?xi64, #keratin.dims<d3>>
}
