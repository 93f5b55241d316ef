// RUN: keratin-opt %s --keratin-form-kernels --keratin-plan-memory="space=device alignment=256" --keratin-build-host-program="resident-work=1000000" | FileCheck %s
// RUN: keratin-opt %s --keratin-form-kernels --keratin-plan-memory="space=device alignment=256" --keratin-build-host-program | FileCheck %s --check-prefix=NONE

// Loops that a device does by itself: what they need of the host is nothing, and their kernels are short. If the device cannot, there are none.

// NONE-NOT: resident

// The number of a step goes to no memory of the host's.

// CHECK-LABEL: host.program of @numbered {
// CHECK:         host.loop resident {
// CHECK:           scf.for %[[T:.*]] = %{{.*}} to %{{.*}} step
// CHECK-NOT:         host.staging
// CHECK:             host.write %[[T]] to %[[N:.*]]
// CHECK-NOT:         host.send
// CHECK:             host.launch kernel 0({{.*}}%[[N]]{{.*}})
func.func @numbered(%x: tensor<4xi64> {keratin.kind = "input"}) -> (tensor<4xi64> {keratin.kind = "output"}) {
  %y = keratin.scan length = #keratin.dims<d0> init(%x) over() with() : (tensor<4xi64>) -> tensor<4xi64> {
  ^bb0(%t: tensor<i64>, %s: tensor<4xi64>):
    %0 = keratin.broadcast %t dims = [] : (tensor<i64>) -> tensor<4xi64>
    %1 = keratin.add %s, %0 : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
    keratin.yield %1 : tensor<4xi64>
  }
  return %y : tensor<4xi64>
}

// The device reads the condition.

// CHECK-LABEL: host.program of @until {
// CHECK:         host.loop resident {
// CHECK:           scf.while
// CHECK-NOT:         host.fetch
// CHECK:             host.read %{{.*}} : i1
// CHECK:             scf.condition
func.func @until(%x: tensor<f32> {keratin.kind = "input"}, %go: tensor<i1> {keratin.kind = "input"}) -> (tensor<f32> {keratin.kind = "output"}) {
  %y:3 = keratin.while init(%go, %x) with() : (tensor<i1>, tensor<f32>) -> (tensor<i1>, tensor<f32>, tensor<i64>) {
  ^bb0(%t: tensor<i64>, %flag: tensor<i1>, %s: tensor<f32>):
    %0 = keratin.sin %s : (tensor<f32>) -> tensor<f32>
    %least = keratin.constant dense<0.5> : tensor<f32>
    %more = keratin.compare gt %0, %least : (tensor<f32>, tensor<f32>) -> tensor<i1>
    keratin.yield %more, %0 : tensor<i1>, tensor<f32>
  }
  return %y#1 : tensor<f32>
}

// What prints is the host's; a loop inside of it is not.

// CHECK-LABEL: host.program of @printed {
// CHECK:         host.loop {
// CHECK:           host.loop resident {
// CHECK-NOT:       host.loop
// CHECK:           host.call "print"
func.func @printed(%x: tensor<4xf32> {keratin.kind = "input"}) -> (tensor<4xf32> {keratin.kind = "output"}) {
  %y = keratin.scan length = #keratin.dims<3> init(%x) over() with() : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<4xf32>):
    %0 = keratin.scan length = #keratin.dims<5> init(%s) over() with() : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%u: tensor<i64>, %r: tensor<4xf32>):
      %1 = keratin.sin %r : (tensor<4xf32>) -> tensor<4xf32>
      keratin.yield %1 : tensor<4xf32>
    }
    %2 = keratin.print "s" %0 : tensor<4xf32>
    keratin.yield %2 : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// A million multiplications in a kernel are worth a launch.

// CHECK-LABEL: host.program of @long {
// CHECK:         host.loop {
func.func @long(%x: tensor<100x100xf32> {keratin.kind = "input"}) -> (tensor<100x100xf32> {keratin.kind = "output"}) {
  %y = keratin.scan length = #keratin.dims<3> init(%x) over() with() : (tensor<100x100xf32>) -> tensor<100x100xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<100x100xf32>):
    %0 = keratin.dot_general %s, %s batch = [] x [] contract = [1] x [0] : (tensor<100x100xf32>, tensor<100x100xf32>) -> tensor<100x100xf32>
    keratin.yield %0 : tensor<100x100xf32>
  }
  return %y : tensor<100x100xf32>
}
