// Transposes on the device "cuda": tiles through shared memory, read and written along rows.

// RUN: keratin-dump %s --target=cuda --stage=kernels | FileCheck %s
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=square | FileCheck %s --check-prefix=SQUARE
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=odd | FileCheck %s --check-prefix=ODD

// CHECK-LABEL: function square
// CHECK:         nest: 1 matrices of 256 rows and 128 places
// CHECK-NEXT:    work: units 32, grain 1
// CHECK-NEXT:    schedule: tiles of 32 x 32 through shared memory, rows 132 bytes apart; 16 bytes an access where sides are multiples of them
// CHECK-NEXT:    launch: a unit 256 threads; 256 threads a block, 4224 bytes of shared memory
// Known to be whole: nothing but where tensors begin is asked.
// SQUARE:      ld.global{{.*}}v4.{{[bu]}}32
// SQUARE:      st.shared.u32
// SQUARE:      bar.sync
// SQUARE:      ld.shared.u32
// SQUARE:      st.global.v4.{{[bu]}}32
func.func @square(%x: tensor<128x256xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<256x128xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.transpose %x permutation = [1, 0] : (tensor<128x256xf32>) -> tensor<256x128xf32>
  return %0 : tensor<256x128xf32>
}

// Rows that begin anywhere are read and written element by element.
// CHECK-LABEL: function odd
// CHECK:         nest: d0 matrices of 35 rows and 65 places
// CHECK-NEXT:    work: units 6*d0, grain 1
// ODD-NOT:     global{{.*}}v4
func.func @odd(%x: tensor<?x65x35xf32, #keratin.dims<d0, 65, 35>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?x35x65xf32, #keratin.dims<d0, 35, 65>> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.transpose %x permutation = [0, 2, 1] : (tensor<?x65x35xf32, #keratin.dims<d0, 65, 35>>) -> tensor<?x35x65xf32, #keratin.dims<d0, 35, 65>>
  return %0 : tensor<?x35x65xf32, #keratin.dims<d0, 35, 65>>
}

// A row of a tile is 128 bytes at least.
// CHECK-LABEL: function halves
// CHECK:         schedule: tiles of 64 x 64 through shared memory, rows 132 bytes apart
func.func @halves(%x: tensor<?x?xf16, #keratin.dims<d0, d1>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?x?xf16, #keratin.dims<d1, d0>> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.transpose %x permutation = [1, 0] : (tensor<?x?xf16, #keratin.dims<d0, d1>>) -> tensor<?x?xf16, #keratin.dims<d1, d0>>
  return %0 : tensor<?x?xf16, #keratin.dims<d1, d0>>
}

// What is innermost stays: groups of neighbours are moved.
// CHECK-LABEL: function heads
// CHECK:         nest: kept d0, kept 8, kept 100, kept 64
// CHECK:         schedule: 4 elements a thread, at once where addresses are multiples of 16 bytes
func.func @heads(%x: tensor<?x100x8x64xf32, #keratin.dims<d0, 100, 8, 64>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?x8x100x64xf32, #keratin.dims<d0, 8, 100, 64>> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.transpose %x permutation = [0, 2, 1, 3] : (tensor<?x100x8x64xf32, #keratin.dims<d0, 100, 8, 64>>) -> tensor<?x8x100x64xf32, #keratin.dims<d0, 8, 100, 64>>
  return %0 : tensor<?x8x100x64xf32, #keratin.dims<d0, 8, 100, 64>>
}

// A tile would be empty but for three of its rows.
// CHECK-LABEL: function colours
// CHECK:         schedule: 1 element a thread
func.func @colours(%x: tensor<?x3x1024xf32, #keratin.dims<d0, 3, 1024>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?x1024x3xf32, #keratin.dims<d0, 1024, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.transpose %x permutation = [0, 2, 1] : (tensor<?x3x1024xf32, #keratin.dims<d0, 3, 1024>>) -> tensor<?x1024x3xf32, #keratin.dims<d0, 1024, 3>>
  return %0 : tensor<?x1024x3xf32, #keratin.dims<d0, 1024, 3>>
}
