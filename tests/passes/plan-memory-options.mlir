// RUN: keratin-opt %s --keratin-plan-memory=alignment=256 --keratin-check-memory-plan=alignment=256 | FileCheck %s
// RUN: keratin-opt %s --keratin-plan-memory=space=device | FileCheck %s --check-prefix=DEVICE
// RUN: not keratin-opt %s --keratin-plan-memory=alignment=48 2>&1 | FileCheck %s --check-prefix=ODD
// RUN: not keratin-opt %s --keratin-plan-memory=space=cloud 2>&1 | FileCheck %s --check-prefix=CLOUD
// RUN: not keratin-opt %s --keratin-plan-memory --keratin-check-memory-plan=alignment=256 2>&1 | FileCheck %s --check-prefix=CLOSE

// Buffers begin where the target wants them, in its space.

// ODD:    keratin-plan-memory needs an alignment that is a power of two, and host or device as the space; found 48 and 'host'
// CLOUD:  found 64 and 'cloud'
// CLOSE:  a result has no offset that is a multiple of 256

// CHECK:       keratin.memories = [#keratin.memory<host, 512>]
// CHECK:       keratin.places = [#keratin.place<arena, 0>, #keratin.place<arena, 256>]
// DEVICE:      keratin.memories = [#keratin.memory<device, 128>]
// DEVICE:      keratin.places = [#keratin.place<arena, 0>, #keratin.place<arena, 64>]
func.func @two_buffers(%x: tensor<8xf32> {keratin.kind = "input"}) -> (tensor<f32> {keratin.kind = "output"}) {
  %a, %b = keratin.kernel (%x) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  ^bb0(%p: tensor<8xf32>):
    %0 = keratin.tanh %p : (tensor<8xf32>) -> tensor<8xf32>
    %1 = keratin.exp %p : (tensor<8xf32>) -> tensor<8xf32>
    keratin.yield %0, %1 : tensor<8xf32>, tensor<8xf32>
  }
  %y = keratin.kernel (%a, %b) : (tensor<8xf32>, tensor<8xf32>) -> tensor<f32> {
  ^bb0(%p: tensor<8xf32>, %q: tensor<8xf32>):
    %0 = keratin.mul %p, %q : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %1 = keratin.reduce_sum %0 axes = [0] : (tensor<8xf32>) -> tensor<f32>
    keratin.yield %1 : tensor<f32>
  }
  return %y : tensor<f32>
}
