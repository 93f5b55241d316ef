// RUN: keratin-opt %s --keratin-form-kernels | FileCheck %s --check-prefix=FUSE
// RUN: keratin-opt %s --keratin-form-kernels --keratin-schedule --keratin-plan-memory --keratin-check-memory-plan | FileCheck %s --check-prefix=PLAN

// What computes a size is one kernel, what has the size is another behind the definition, whether
// it reads anything of it or not.

// FUSE-LABEL: func.func @other_kernel
// FUSE:         %[[N:.*]] = keratin.kernel(%{{.*}}) : (tensor<8xi64>) -> tensor<i64>
// FUSE:         keratin.define_size 3 %[[N]]
// FUSE:         keratin.kernel
// FUSE:           keratin.iota
// FUSE-NOT:     keratin.kernel
// FUSE:         return

// Memory for at most eight elements: 64 bytes for the sum, whose place is free again, and 64 for
// what the next function needs twice.

// PLAN-LABEL: func.func @other_kernel
// PLAN-SAME:    keratin.memories = [#keratin.memory<host, 64>]
func.func @other_kernel(%m: tensor<8xi64>) -> tensor<?xi64, #keratin.dims<d3>> {
  %n = keratin.reduce_sum %m axes = [0] : (tensor<8xi64>) -> tensor<i64>
  keratin.define_size 3 %n at_most <8> : tensor<i64>
  %i = keratin.iota {axis = 0 : i64} : tensor<?xi64, #keratin.dims<d3>>
  %r = keratin.reverse %i axes = [0] : (tensor<?xi64, #keratin.dims<d3>>) -> tensor<?xi64, #keratin.dims<d3>>
  return %r : tensor<?xi64, #keratin.dims<d3>>
}

// The arena has room for the bound, and no offset depends on the computed size.

// PLAN-LABEL: func.func @bound
// PLAN-SAME:    keratin.memories = [#keratin.memory<host, 64*floordiv(d0 + 7, 8) + 128>]
// PLAN:         keratin.places = [#keratin.place<arena, 0>]
// PLAN:         keratin.places = [#keratin.place<arena, 64*floordiv(d0 + 15, 16) + 64>]
func.func @bound(%x: tensor<?xf32, #keratin.dims<d0>>, %n: tensor<i64>) -> tensor<f32> {
  keratin.define_size 3 %n at_most <d0> : tensor<i64>
  %y = keratin.slice %x starts = #keratin.dims<0> strides = [1] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d3>>
  %s = keratin.cumsum %y {axis = 0 : i64} : (tensor<?xf32, #keratin.dims<d3>>) -> tensor<?xf32, #keratin.dims<d3>>
  %t = keratin.reduce_sum %s axes = [0] : (tensor<?xf32, #keratin.dims<d3>>) -> tensor<f32>
  return %t : tensor<f32>
}

// A size that is given is defined before the first kernel.

// PLAN-LABEL: func.func @given
// PLAN-SAME:    %{{.*}}: tensor<4xf32>, %[[N:.*]]: tensor<i64>
// PLAN-NEXT:    keratin.define_size 3 %[[N]]
// PLAN:         keratin.kernel
func.func @given(%x: tensor<4xf32>, %n: tensor<i64>) -> tensor<?xf32, #keratin.dims<d3>> {
  %e = keratin.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  keratin.define_size 3 %n at_most <4> : tensor<i64>
  %y = keratin.slice %e starts = #keratin.dims<0> strides = [1] : (tensor<4xf32>) -> tensor<?xf32, #keratin.dims<d3>>
  return %y : tensor<?xf32, #keratin.dims<d3>>
}

// Rows as many as a kernel computes are copied by a kernel behind it, though a loop alone reads them: a view may stand anywhere.

// FUSE-LABEL: func.func @rows
// FUSE:         keratin.define_size 3
// FUSE:         %[[R:.*]] = keratin.kernel
// FUSE:           keratin.slice
// FUSE:         keratin.scan length = <d3> init(%{{.*}}) over(%[[R]])
func.func @rows(%x: tensor<8xf32>, %m: tensor<8xi64>, %h: tensor<f32>) -> tensor<f32> {
  %n = keratin.reduce_sum %m axes = [0] : (tensor<8xi64>) -> tensor<i64>
  keratin.define_size 3 %n at_most <8> : tensor<i64>
  %r = keratin.slice %x starts = #keratin.dims<0> strides = [1] : (tensor<8xf32>) -> tensor<?xf32, #keratin.dims<d3>>
  %y = keratin.scan length = #keratin.dims<d3> init(%h) over(%r) with() : (tensor<f32>, tensor<?xf32, #keratin.dims<d3>>) -> tensor<f32> {
  ^bb0(%t: tensor<i64>, %s: tensor<f32>, %e: tensor<f32>):
    %0 = keratin.mul %s, %e : (tensor<f32>, tensor<f32>) -> tensor<f32>
    keratin.yield %0 : tensor<f32>
  }
  return %y : tensor<f32>
}
