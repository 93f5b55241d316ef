// Windows on the device "cuda": a thread a window; of scatters a thread a window, or an element.

// RUN: keratin-dump %s --target=cuda --stage=kernels | FileCheck %s
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=channels_first | FileCheck %s --check-prefix=FIRST
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=gradient_of_tiles | FileCheck %s --check-prefix=TILES
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=gradient_of_overlaps | FileCheck %s --check-prefix=OVERLAPS

// CHECK-LABEL: function channels_last
// CHECK:         nest: d0, 28 windows of 2 by 2 over 56, 28 windows of 2 by 2 over 56, 64
// CHECK:         schedule: a window a thread, 2x2 written out
// CHECK-NEXT:    launch: a unit a thread; 128 threads a block
func.func @channels_last(%x: tensor<?x56x56x64xf32, #keratin.dims<d0, 56, 56, 64>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?x28x28x64xf32, #keratin.dims<d0, 28, 28, 64>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.window_max %x window = [1, 2, 2, 1] strides = [1, 2, 2, 1] low = <0, 0, 0, 0> : (tensor<?x56x56x64xf32, #keratin.dims<d0, 56, 56, 64>>) -> tensor<?x28x28x64xf32, #keratin.dims<d0, 28, 28, 64>>
  return %y : tensor<?x28x28x64xf32, #keratin.dims<d0, 28, 28, 64>>
}

// Two neighbours lie under each window: read at once, threads leave no gaps.
// CHECK-LABEL: function channels_first
// CHECK:         schedule: a window a thread, 2x2 written out, 2 neighbours an access where addresses allow it
// FIRST:         ld.global{{.*}}v2
// FIRST:         ld.global{{.*}}v2
func.func @channels_first(%x: tensor<?x64x56x56xf32, #keratin.dims<d0, 64, 56, 56>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?x64x28x28xf32, #keratin.dims<d0, 64, 28, 28>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.window_sum %x window = [1, 1, 2, 2] strides = [1, 1, 2, 2] low = <0, 0, 0, 0> x_dilation = [1, 1, 1, 1] : (tensor<?x64x56x56xf32, #keratin.dims<d0, 64, 56, 56>>) -> tensor<?x64x28x28xf32, #keratin.dims<d0, 64, 28, 28>>
  return %y : tensor<?x64x28x28xf32, #keratin.dims<d0, 64, 28, 28>>
}

// CHECK-LABEL: function padded
// CHECK:         schedule: a window a thread, 3x3 written out where they are inside
func.func @padded(%x: tensor<?x7x7x8xf32, #keratin.dims<d0, 7, 7, 8>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?x7x7x8xf32, #keratin.dims<d0, 7, 7, 8>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.window_sum %x window = [1, 3, 3, 1] strides = [1, 1, 1, 1] low = <0, 1, 1, 0> x_dilation = [1, 1, 1, 1] : (tensor<?x7x7x8xf32, #keratin.dims<d0, 7, 7, 8>>) -> tensor<?x7x7x8xf32, #keratin.dims<d0, 7, 7, 8>>
  return %y : tensor<?x7x7x8xf32, #keratin.dims<d0, 7, 7, 8>>
}

// CHECK-LABEL: function long
// CHECK:         schedule: a window a thread, walked in loops
func.func @long(%x: tensor<?x100xf32, #keratin.dims<d0, 100>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?x81xf32, #keratin.dims<d0, 81>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.window_max %x window = [1, 20] strides = [1, 1] low = <0, 0> : (tensor<?x100xf32, #keratin.dims<d0, 100>>) -> tensor<?x81xf32, #keratin.dims<d0, 81>>
  return %y : tensor<?x81xf32, #keratin.dims<d0, 81>>
}

// Each element is written with the one window that it lies under.
// CHECK-LABEL: function gradient_of_tiles
// CHECK:         work: units 16*d0
// CHECK:         schedule: a window a thread, which tile x, 2x2 written out
// TILES-NOT:     atom
// TILES:         st.global
func.func @gradient_of_tiles(%x: tensor<?x4x4x4xf32, #keratin.dims<d0, 4, 4, 4>> {keratin.kind = "input", keratin.name = "x"},
                             %v: tensor<?x2x2x4xf32, #keratin.dims<d0, 2, 2, 4>> {keratin.kind = "input", keratin.name = "v"})
    -> (tensor<?x4x4x4xf32, #keratin.dims<d0, 4, 4, 4>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.window_scatter %x, %v window = [1, 2, 2, 1] strides = [1, 2, 2, 1] low = <0, 0, 0, 0> : (tensor<?x4x4x4xf32, #keratin.dims<d0, 4, 4, 4>>, tensor<?x2x2x4xf32, #keratin.dims<d0, 2, 2, 4>>) -> tensor<?x4x4x4xf32, #keratin.dims<d0, 4, 4, 4>>
  return %y : tensor<?x4x4x4xf32, #keratin.dims<d0, 4, 4, 4>>
}

// Elements gather what falls to them: memory is never added to.
// CHECK-LABEL: function gradient_of_overlaps
// CHECK:         work: units 196*d0
// CHECK:         schedule: an element a thread, its windows 3x3 written out where they are inside
// OVERLAPS-NOT:     atom
// OVERLAPS-COUNT-1: st.global
// OVERLAPS-NOT:     st.global
func.func @gradient_of_overlaps(%x: tensor<?x7x7x4xf32, #keratin.dims<d0, 7, 7, 4>> {keratin.kind = "input", keratin.name = "x"},
                                %v: tensor<?x4x4x4xf32, #keratin.dims<d0, 4, 4, 4>> {keratin.kind = "input", keratin.name = "v"})
    -> (tensor<?x7x7x4xf32, #keratin.dims<d0, 7, 7, 4>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.window_scatter %x, %v window = [1, 3, 3, 1] strides = [1, 2, 2, 1] low = <0, 1, 1, 0> : (tensor<?x7x7x4xf32, #keratin.dims<d0, 7, 7, 4>>, tensor<?x4x4x4xf32, #keratin.dims<d0, 4, 4, 4>>) -> tensor<?x7x7x4xf32, #keratin.dims<d0, 7, 7, 4>>
  return %y : tensor<?x7x7x4xf32, #keratin.dims<d0, 7, 7, 4>>
}
