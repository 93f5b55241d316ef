// RUN: keratin-opt %s --keratin-form-kernels --keratin-plan-memory="space=device alignment=256" --keratin-build-host-program | FileCheck %s
// RUN: keratin-opt %s --keratin-form-kernels --keratin-plan-memory --keratin-build-host-program | FileCheck %s --check-prefix=HOST

// Of a function that works in the memory of a device the host program says what goes to and fro. Kernels that are launched need nothing.

// HOST-NOT: host.staging

// CHECK:         func.func @launched({{.*}}keratin.memories = [#keratin.memory<device, 256>]
// CHECK-LABEL: host.program of @launched {
// CHECK-NOT:     host.staging
// CHECK-NOT:     host.fetch
func.func @launched(%x: tensor<8x4xf32> {keratin.kind = "input"}) -> (tensor<8xf32> {keratin.kind = "output"}) {
  %0 = keratin.reduce_sum %x axes = [1] : (tensor<8x4xf32>) -> tensor<8xf32>
  %1 = keratin.cumsum %0 {axis = 0 : i64} : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// What the host does itself it does with copies; what nobody reads does not go back.

// CHECK-LABEL: host.program of @printed {
// CHECK:         %[[ALL:.*]] = host.staging <128>
// CHECK-NEXT:    %[[SOUND:.*]] = host.sound
// CHECK-NEXT:    scf.if %[[SOUND]] {
// CHECK-NEXT:      host.fetch %[[X:.*]] to %[[ALL]], <12> on 0
// CHECK-NEXT:      %[[Y:.*]] = host.at %[[ALL]], <64>
// CHECK-NEXT:      host.call "print" kernel 0(%[[ALL]]) -> (%[[Y]]) on 0
// CHECK-NEXT:      host.send %[[Y]] to %{{.*}}, <12> on 0
// CHECK-NEXT:    }
func.func @printed(%x: tensor<3xf32> {keratin.kind = "input"}) -> (tensor<3xf32> {keratin.kind = "output"}) {
  %y = keratin.print "x" %x : tensor<3xf32>
  return %y : tensor<3xf32>
}

// A scalar for the host is fetched.

// CHECK-LABEL: host.program of @computed_size {
// CHECK:         host.launch kernel 0(%{{.*}}) -> (%[[N:.*]]) on 0
// CHECK-NEXT:    %[[STAGED:.*]] = host.staging <8>
// CHECK-NEXT:    host.fetch %[[N]] to %[[STAGED]], <8> on 0
// CHECK-NEXT:    %[[VALUE:.*]] = host.read %[[STAGED]] : i64
// CHECK-NEXT:    host.define_size 3, %[[VALUE]]
func.func @computed_size(%m: tensor<8xi64> {keratin.kind = "input"}) -> (tensor<?xi64, #keratin.dims<d3>> {keratin.kind = "output"}) {
  %n = keratin.reduce_sum %m axes = [0] : (tensor<8xi64>) -> tensor<i64>
  keratin.define_size 3 %n at_most <8> : tensor<i64>
  %i = keratin.iota {axis = 0 : i64} : tensor<?xi64, #keratin.dims<d3>>
  return %i : tensor<?xi64, #keratin.dims<d3>>
}
