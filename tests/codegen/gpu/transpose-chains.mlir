// Elementwise chains around transposes on the device "cuda": what is turned goes through shared
// memory, and everything is read and written along rows.

// RUN: keratin-dump %s --target=cuda --stage=kernels | FileCheck %s
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=biased | FileCheck %s --check-prefix=BIASED
// RUN: keratin-run %s --function=biased --device=emulated --random=3 --check --size=d0=2 --quiet | FileCheck %s --check-prefix=AGREES
// RUN: keratin-run %s --function=two --device=emulated --random=3 --check --size=d0=70 --size=d1=45 --quiet | FileCheck %s --check-prefix=AGREES
// RUN: keratin-run %s --function=two --device=emulated --random=3 --check --size=d0=1 --size=d1=0 --quiet | FileCheck %s --check-prefix=AGREES
// AGREES: check: 1 call agrees with the reference interpreter

// CHECK-LABEL: function biased
// CHECK:         nest: kept d0, kept 100, kept 40
// CHECK-NEXT:    work: units 8*d0
// CHECK-NEXT:    schedule: 1 tile of 32 x 32 through shared memory, computed along rows before and after
// CHECK-NEXT:    launch: a unit 256 threads; 256 threads a block, 4224 bytes of shared memory
// All is computed before it is turned: the graph was put into this order.
// BIASED:        sqrt.rn.f32
// BIASED:        add.rn.f32
// BIASED:        st.shared.f32
// BIASED:        bar.sync
// BIASED:        ld.shared.f32
// BIASED:        st.global.f32
func.func @biased(%x: tensor<?x40x100xf32, #keratin.dims<d0, 40, 100>> {keratin.kind = "input", keratin.name = "x"},
                  %b: tensor<40xf32> {keratin.kind = "input", keratin.name = "b"})
    -> (tensor<?x100x40xf32, #keratin.dims<d0, 100, 40>> {keratin.kind = "output", keratin.name = "y"}) {
  %a = keratin.abs %x : (tensor<?x40x100xf32, #keratin.dims<d0, 40, 100>>) -> tensor<?x40x100xf32, #keratin.dims<d0, 40, 100>>
  %s = keratin.sqrt %a : (tensor<?x40x100xf32, #keratin.dims<d0, 40, 100>>) -> tensor<?x40x100xf32, #keratin.dims<d0, 40, 100>>
  %t = keratin.transpose %s permutation = [0, 2, 1] : (tensor<?x40x100xf32, #keratin.dims<d0, 40, 100>>) -> tensor<?x100x40xf32, #keratin.dims<d0, 100, 40>>
  %bb = keratin.broadcast %b dims = [2] : (tensor<40xf32>) -> tensor<?x100x40xf32, #keratin.dims<d0, 100, 40>>
  %0 = keratin.add %t, %bb : (tensor<?x100x40xf32, #keratin.dims<d0, 100, 40>>, tensor<?x100x40xf32, #keratin.dims<d0, 100, 40>>) -> tensor<?x100x40xf32, #keratin.dims<d0, 100, 40>>
  return %0 : tensor<?x100x40xf32, #keratin.dims<d0, 100, 40>>
}

// Of float16 there is float32 in the tile. One tensor is turned before, the other after.
// CHECK-LABEL: function two
// CHECK:         schedule: 1 tile of 32 x 32
// CHECK-NEXT:    launch: a unit 256 threads; 256 threads a block, 4224 bytes of shared memory
func.func @two(%x: tensor<?x?xf16, #keratin.dims<d0, d1>> {keratin.kind = "input", keratin.name = "x"},
               %c: tensor<?x?xi1, #keratin.dims<d1, d0>> {keratin.kind = "input", keratin.name = "c"},
               %y: tensor<?x?xf16, #keratin.dims<d1, d0>> {keratin.kind = "input", keratin.name = "y"})
    -> (tensor<?x?xf16, #keratin.dims<d1, d0>> {keratin.kind = "output", keratin.name = "z"}) {
  %t = keratin.transpose %x permutation = [1, 0] : (tensor<?x?xf16, #keratin.dims<d0, d1>>) -> tensor<?x?xf16, #keratin.dims<d1, d0>>
  %0 = keratin.select %c, %t, %y : (tensor<?x?xi1, #keratin.dims<d1, d0>>, tensor<?x?xf16, #keratin.dims<d1, d0>>, tensor<?x?xf16, #keratin.dims<d1, d0>>) -> tensor<?x?xf16, #keratin.dims<d1, d0>>
  return %0 : tensor<?x?xf16, #keratin.dims<d1, d0>>
}
