// Scans on the device "cuda": prefixes by shuffles along rows, a thread for each line along other
// axes, and tiles through shared memory where states may not be put together.

// RUN: keratin-dump %s --target=cuda --stage=kernels | FileCheck %s
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=sums | FileCheck %s --check-prefix=SUMS
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=few_lines | FileCheck %s --check-prefix=FEW
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=recurrence | FileCheck %s --check-prefix=TILES

// CHECK-LABEL: function sums
// CHECK:         schedule: 32 threads a line, prefixes by shuffles; 4 elements of each at a time
// CHECK-NEXT:    launch: a unit 32 threads; 128 threads a block
// SUMS-COUNT-4:  ld.global.f32
// SUMS-DAG:      shfl.sync.up.b32 {{.*}}, 1, 0, -1;
// SUMS-DAG:      shfl.sync.up.b32 {{.*}}, 16, 0, -1;
func.func @sums(%x: tensor<?x1000xf32, #keratin.dims<d0, 1000>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?x1000xf32, #keratin.dims<d0, 1000>> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.cumsum %x {axis = 1 : i64} : (tensor<?x1000xf32, #keratin.dims<d0, 1000>>) -> tensor<?x1000xf32, #keratin.dims<d0, 1000>>
  return %0 : tensor<?x1000xf32, #keratin.dims<d0, 1000>>
}

// CHECK-LABEL: function long_lines
// CHECK:         schedule: 256 threads a line, prefixes by shuffles; 4 elements of each at a time
// CHECK-NEXT:    launch: a unit 256 threads; 256 threads a block, 32 bytes of shared memory
func.func @long_lines(%x: tensor<100x10000xi32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<100x10000xi32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.cumprod %x {axis = 1 : i64, exclusive} : (tensor<100x10000xi32>) -> tensor<100x10000xi32>
  return %0 : tensor<100x10000xi32>
}

// Few long lines are divided over blocks, each of which waits for the sums of those before it.

// CHECK-LABEL: function few_lines
// CHECK:         work: units 64, grain 1
// CHECK-NEXT:    schedule: 256 threads a part of a line, prefixes by shuffles; 4 elements of each at a time; in 32 parts, which stay in registers
// CHECK-NEXT:    launch: a unit 256 threads; 256 threads a block, 32 bytes of shared memory, 4 bytes a unit for the others
// FEW:           atom.global.inc.u32
// FEW-COUNT-4:   ld.global.f32
// FEW:           st.volatile.global.u32
// FEW:           ld.volatile.global.u32
// FEW-NOT:       ld.global.f32 {{.*}}+
func.func @few_lines(%x: tensor<2x32768xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<2x32768xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.cumsum %x {axis = 1 : i64} : (tensor<2x32768xf32>) -> tensor<2x32768xf32>
  return %0 : tensor<2x32768xf32>
}

// More elements of each thread, so that all of them stay there.

// CHECK-LABEL: function longer_lines
// CHECK:         16 elements of each at a time; in 123 parts, which stay in registers
func.func @longer_lines(%x: tensor<4x500000xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<4x500000xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.cumsum %x {axis = 1 : i64} : (tensor<4x500000xf32>) -> tensor<4x500000xf32>
  return %0 : tensor<4x500000xf32>
}

// CHECK-LABEL: function line_of_any_length
// CHECK:         work: units min(max(floordiv(d0 + 1023, 1024), 1), 512)
// CHECK-NEXT:    schedule: {{.*}} parts, which are read twice
func.func @line_of_any_length(%x: tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.cumsum %x {axis = 0 : i64} : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  return %0 : tensor<?xf32, #keratin.dims<d0>>
}

// CHECK-LABEL: function columns
// CHECK:         schedule: a thread a line, neighbouring threads neighbouring lines; 4 elements before the first is taken
// CHECK-NEXT:    launch: a unit a thread; 128 threads a block
func.func @columns(%x: tensor<?x64xf32, #keratin.dims<d0, 64>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?x64xf32, #keratin.dims<d0, 64>> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.cumsum %x {axis = 0 : i64, reverse} : (tensor<?x64xf32, #keratin.dims<d0, 64>>) -> tensor<?x64xf32, #keratin.dims<d0, 64>>
  return %0 : tensor<?x64xf32, #keratin.dims<d0, 64>>
}

// CHECK-LABEL: function recurrence
// CHECK:         work: units floordiv(d0 + 31, 32), grain 1
// CHECK-NEXT:    schedule: a thread a line, element by element; 32 lines through shared memory
// CHECK-NEXT:    launch: a unit 32 threads; 32 threads a block, 8448 bytes of shared memory
// TILES:         st.shared.f32
// TILES:         bar.sync 0;
// TILES:         ld.shared.f32
// TILES-NOT:     shfl
func.func @recurrence(%a: tensor<?x?xf32, #keratin.dims<d0, d1>> {keratin.kind = "input", keratin.name = "a"},
                      %b: tensor<?x?xf32, #keratin.dims<d0, d1>> {keratin.kind = "input", keratin.name = "b"})
    -> (tensor<?x?xf32, #keratin.dims<d0, d1>> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.linear_recurrence %a, %b {axis = 1 : i64} : (tensor<?x?xf32, #keratin.dims<d0, d1>>, tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  return %0 : tensor<?x?xf32, #keratin.dims<d0, d1>>
}
