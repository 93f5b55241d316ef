// Elementwise chains on the device "cuda": as many elements a thread as sixteen bytes hold, in one
// access where addresses allow it.

// RUN: keratin-dump %s --target=cuda --stage=kernels | FileCheck %s
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=flat | FileCheck %s --check-prefix=FLAT
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=biased | FileCheck %s --check-prefix=BIASED
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=odd_lines | FileCheck %s --check-prefix=ODD

// CHECK-LABEL: function flat
// CHECK:         nest: kept d0
// CHECK-NEXT:    work: units floordiv(d0 + 3, 4), grain 1, operations
// CHECK-NEXT:    schedule: 4 elements a thread, at once where addresses are multiples of 16 bytes
// CHECK-NEXT:    launch: a unit a thread; 128 threads a block
// Whether tensors begin on multiples of 16 is asked once.
// FLAT:      or.b32
// FLAT:      and.b32 {{.*}}, 15;
// FLAT:      ld.global.v4.f32
// FLAT:      ld.global.v4.f32
// FLAT:      st.global.v4.f32
// FLAT:      ld.global.f32
// FLAT:      st.global.f32
func.func @flat(%x: tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "input", keratin.name = "x"},
                %y: tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "input", keratin.name = "y"})
    -> (tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "output", keratin.name = "z"}) {
  %0 = keratin.mul %x, %y : (tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  return %0 : tensor<?xf32, #keratin.dims<d0>>
}

// Lines of whole groups, and a result of other elements.
// CHECK-LABEL: function biased
// CHECK:         nest: kept d0, kept 64
// CHECK-NEXT:    work: units 16*d0, grain 1
// CHECK-NEXT:    schedule: 4 elements a thread
// BIASED-COUNT-2: ld.global.v4.f32
// BIASED:         st.global.u32
func.func @biased(%x: tensor<?x64xf32, #keratin.dims<d0, 64>> {keratin.kind = "input", keratin.name = "x"},
                  %b: tensor<64xf32> {keratin.kind = "input", keratin.name = "b"})
    -> (tensor<?x64xi1, #keratin.dims<d0, 64>> {keratin.kind = "output", keratin.name = "z"}) {
  %0 = keratin.broadcast %b dims = [1] : (tensor<64xf32>) -> tensor<?x64xf32, #keratin.dims<d0, 64>>
  %1 = keratin.compare lt %x, %0 : (tensor<?x64xf32, #keratin.dims<d0, 64>>, tensor<?x64xf32, #keratin.dims<d0, 64>>) -> tensor<?x64xi1, #keratin.dims<d0, 64>>
  return %1 : tensor<?x64xi1, #keratin.dims<d0, 64>>
}

// Lines that begin anywhere: neighbouring threads do neighbouring elements.
// CHECK-LABEL: function odd_lines
// CHECK:         nest: kept d0, kept 7
// CHECK-NEXT:    work: units 7*d0, grain 1
// CHECK-NEXT:    schedule: 1 element a thread
// ODD-NOT:       global.v
func.func @odd_lines(%x: tensor<?x7xf32, #keratin.dims<d0, 7>> {keratin.kind = "input", keratin.name = "x"},
                     %b: tensor<7xf32> {keratin.kind = "input", keratin.name = "b"})
    -> (tensor<?x7xf32, #keratin.dims<d0, 7>> {keratin.kind = "output", keratin.name = "z"}) {
  %0 = keratin.broadcast %b dims = [1] : (tensor<7xf32>) -> tensor<?x7xf32, #keratin.dims<d0, 7>>
  %1 = keratin.add %x, %0 : (tensor<?x7xf32, #keratin.dims<d0, 7>>, tensor<?x7xf32, #keratin.dims<d0, 7>>) -> tensor<?x7xf32, #keratin.dims<d0, 7>>
  return %1 : tensor<?x7xf32, #keratin.dims<d0, 7>>
}
