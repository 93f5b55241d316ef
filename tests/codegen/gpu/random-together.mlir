// Random bits that rows, columns and tiles read are made by their threads, four of a warp together.

// RUN: keratin-dump %s --target=cuda --stage=kernels | FileCheck %s
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=rows | FileCheck %s --check-prefix=ROWS
// RUN: env KERATIN_EMULATOR=seed=7 keratin-run %s --function=rows --device=emulated --random=3 --repeat=2 --check --size=d0=5 --quiet | FileCheck %s --check-prefix=BITS
// RUN: keratin-run %s --function=divided --device=emulated --random=3 --repeat=2 --check --quiet | FileCheck %s --check-prefix=BITS
// RUN: keratin-run %s --function=noise --device=emulated --random=3 --repeat=2 --check --size=d0=3 --quiet | FileCheck %s --check-prefix=BITS
// RUN: keratin-run %s --function=columns --device=emulated --random=3 --repeat=2 --check --quiet | FileCheck %s --check-prefix=BITS
// RUN: keratin-run %s --function=short_columns --device=emulated --random=3 --repeat=2 --check --quiet | FileCheck %s --check-prefix=BITS
// RUN: keratin-run %s --function=halves --device=emulated --random=3 --repeat=2 --check --size=d0=7 --quiet | FileCheck %s --check-prefix=BITS
// RUN: env KERATIN_EMULATOR=seed=7 keratin-run %s --function=epilogue --device=emulated --random=3 --repeat=2 --check --size=d0=70 --quiet | FileCheck %s --check-prefix=BITS
// RUN: keratin-run %s --function=narrow_tiles --device=emulated --random=3 --repeat=2 --check --quiet | FileCheck %s --check-prefix=BITS
// RUN: keratin-run %s --function=convolution --device=emulated --random=3 --repeat=2 --check --quiet | FileCheck %s --check-prefix=BITS
// RUN: keratin-run %s --function=odd_rows --device=emulated --random=3 --repeat=2 --check --size=d0=5 --quiet | FileCheck %s --check-prefix=BITS
// RUN: keratin-run %s --function=shifted --device=emulated --random=3 --repeat=2 --check --quiet | FileCheck %s --check-prefix=BITS

// BITS: check: 2 calls agree with the reference interpreter

// The sums are those of the very bits. A block is made once: 20 multiplications of 64 bits for 4 elements, and 4 exchanges.

// CHECK-LABEL: function rows
// CHECK-NEXT:  sizes: d0 is x_dim0
// CHECK-NEXT:  kernel 0: random_bits + 2
// CHECK-NEXT:  tensors: int64 (), uint32 (d0, 256) -> uint32 (d0,)
// CHECK:       schedule: 32 threads a row; {{.*}}; random bits by 4 threads together
// CHECK-NOT:   kernel 1
// ROWS:         ld.global{{.*}}v4.u32
// ROWS-COUNT-4: shfl.sync.idx.b32 {{.*}}, 4127, {{.*}};
func.func @rows(%x: tensor<?x256xui32, #keratin.dims<d0, 256>> {keratin.kind = "input", keratin.name = "x"},
    %draw: tensor<i64> {keratin.kind = "input", keratin.name = "draw"})
    -> (tensor<?xui32, #keratin.dims<d0>> {keratin.kind = "output", keratin.name = "y0"}) {
  %bits = keratin.random_bits %draw {seed = 7 : i64} : (tensor<i64>) -> tensor<?x256xui32, #keratin.dims<d0, 256>>
  %mixed = keratin.xor %bits, %x : (tensor<?x256xui32, #keratin.dims<d0, 256>>, tensor<?x256xui32, #keratin.dims<d0, 256>>) -> tensor<?x256xui32, #keratin.dims<d0, 256>>
  %0 = keratin.reduce_sum %mixed axes = [1] : (tensor<?x256xui32, #keratin.dims<d0, 256>>) -> tensor<?xui32, #keratin.dims<d0>>
  return %0 : tensor<?xui32, #keratin.dims<d0>>
}

// Parts of a row, by several blocks.

// CHECK-LABEL: function divided
// CHECK-NEXT:  kernel 0: random_bits + 2
// CHECK:       schedule: 256 threads a row; in {{.*}} parts; {{.*}}; random bits by 4 threads together
func.func @divided(%x: tensor<1x100352xui32> {keratin.kind = "input", keratin.name = "x"},
    %draw: tensor<i64> {keratin.kind = "input", keratin.name = "draw"})
    -> (tensor<1xui32> {keratin.kind = "output", keratin.name = "y0"}) {
  %bits = keratin.random_bits %draw {seed = 7 : i64} : (tensor<i64>) -> tensor<1x100352xui32>
  %mixed = keratin.xor %bits, %x : (tensor<1x100352xui32>, tensor<1x100352xui32>) -> tensor<1x100352xui32>
  %0 = keratin.reduce_sum %mixed axes = [1] : (tensor<1x100352xui32>) -> tensor<1xui32>
  return %0 : tensor<1xui32>
}

// A softmax of what is dropped, and the bits: each is made once, and stays in registers.

// CHECK-LABEL: function noise
// CHECK-NEXT:  sizes: d0 is x_dim0
// CHECK-NEXT:  kernel 0: random_bits + 11
// CHECK-NEXT:  tensors: int64 (), float32 (d0, 320) -> uint32 (d0, 320), float32 (d0, 320)
// CHECK:       schedule: 32 threads a row; 4 elements at once, 3 times, which stay in registers; random bits by 4 threads together
// CHECK-NOT:   kernel 1
func.func @noise(%x: tensor<?x320xf32, #keratin.dims<d0, 320>> {keratin.kind = "input", keratin.name = "x"},
    %draw: tensor<i64> {keratin.kind = "input", keratin.name = "draw"})
    -> (tensor<?x320xf32, #keratin.dims<d0, 320>> {keratin.kind = "output", keratin.name = "y0"}, tensor<?x320xui32, #keratin.dims<d0, 320>> {keratin.kind = "output", keratin.name = "y1"}) {
  %bits = keratin.random_bits %draw {seed = 7 : i64} : (tensor<i64>) -> tensor<?x320xui32, #keratin.dims<d0, 320>>
  %half = keratin.constant dense<2147483648> : tensor<ui32>
  %halves = keratin.broadcast %half dims = [] : (tensor<ui32>) -> tensor<?x320xui32, #keratin.dims<d0, 320>>
  %isKept = keratin.compare lt %bits, %halves : (tensor<?x320xui32, #keratin.dims<d0, 320>>, tensor<?x320xui32, #keratin.dims<d0, 320>>) -> tensor<?x320xi1, #keratin.dims<d0, 320>>
  %zero = keratin.constant dense<0.0> : tensor<f32>
  %zeros = keratin.broadcast %zero dims = [] : (tensor<f32>) -> tensor<?x320xf32, #keratin.dims<d0, 320>>
  %dropped = keratin.select %isKept, %x, %zeros : (tensor<?x320xi1, #keratin.dims<d0, 320>>, tensor<?x320xf32, #keratin.dims<d0, 320>>, tensor<?x320xf32, #keratin.dims<d0, 320>>) -> tensor<?x320xf32, #keratin.dims<d0, 320>>
  %m = keratin.reduce_max %dropped axes = [1] : (tensor<?x320xf32, #keratin.dims<d0, 320>>) -> tensor<?xf32, #keratin.dims<d0>>
  %mb = keratin.broadcast %m dims = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?x320xf32, #keratin.dims<d0, 320>>
  %c = keratin.sub %dropped, %mb : (tensor<?x320xf32, #keratin.dims<d0, 320>>, tensor<?x320xf32, #keratin.dims<d0, 320>>) -> tensor<?x320xf32, #keratin.dims<d0, 320>>
  %e = keratin.exp %c : (tensor<?x320xf32, #keratin.dims<d0, 320>>) -> tensor<?x320xf32, #keratin.dims<d0, 320>>
  %s = keratin.reduce_sum %e axes = [1] : (tensor<?x320xf32, #keratin.dims<d0, 320>>) -> tensor<?xf32, #keratin.dims<d0>>
  %sb = keratin.broadcast %s dims = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?x320xf32, #keratin.dims<d0, 320>>
  %y = keratin.div %e, %sb : (tensor<?x320xf32, #keratin.dims<d0, 320>>, tensor<?x320xf32, #keratin.dims<d0, 320>>) -> tensor<?x320xf32, #keratin.dims<d0, 320>>
  return %y, %bits : tensor<?x320xf32, #keratin.dims<d0, 320>>, tensor<?x320xui32, #keratin.dims<d0, 320>>
}

// Columns: neighbouring threads have neighbouring ones.

// CHECK-LABEL: function columns
// CHECK-NEXT:  kernel 0: random_bits + 2
// CHECK:       schedule: 32 threads next to each other, {{.*}}; random bits by 4 threads together
func.func @columns(%x: tensor<600x128xui32> {keratin.kind = "input", keratin.name = "x"},
    %draw: tensor<i64> {keratin.kind = "input", keratin.name = "draw"})
    -> (tensor<128xui32> {keratin.kind = "output", keratin.name = "y0"}) {
  %bits = keratin.random_bits %draw {seed = 7 : i64} : (tensor<i64>) -> tensor<600x128xui32>
  %mixed = keratin.xor %bits, %x : (tensor<600x128xui32>, tensor<600x128xui32>) -> tensor<600x128xui32>
  %0 = keratin.reduce_sum %mixed axes = [0] : (tensor<600x128xui32>) -> tensor<128xui32>
  return %0 : tensor<128xui32>
}

// A thread has a column, but those that make bits together are a unit.

// CHECK-LABEL: function short_columns
// CHECK-NEXT:  kernel 0: random_bits + 2
// CHECK:       schedule: 16 threads next to each other, 1 thread a column; {{.*}}; random bits by 4 threads together
func.func @short_columns(%x: tensor<5x64xui32> {keratin.kind = "input", keratin.name = "x"},
    %draw: tensor<i64> {keratin.kind = "input", keratin.name = "draw"})
    -> (tensor<64xui32> {keratin.kind = "output", keratin.name = "y0"}) {
  %bits = keratin.random_bits %draw {seed = 7 : i64} : (tensor<i64>) -> tensor<5x64xui32>
  %mixed = keratin.xor %bits, %x : (tensor<5x64xui32>, tensor<5x64xui32>) -> tensor<5x64xui32>
  %0 = keratin.reduce_sum %mixed axes = [0] : (tensor<5x64xui32>) -> tensor<64xui32>
  return %0 : tensor<64xui32>
}

// Eight neighbours a thread: two blocks of each.

// CHECK-LABEL: function halves
// CHECK:       schedule: 16 threads a row; 8 elements at once{{.*}}; random bits by 4 threads together
func.func @halves(%x: tensor<?x192xf16, #keratin.dims<d0, 192>> {keratin.kind = "input", keratin.name = "x"},
    %draw: tensor<i64> {keratin.kind = "input", keratin.name = "draw"})
    -> (tensor<?xf16, #keratin.dims<d0>> {keratin.kind = "output", keratin.name = "y0"}) {
  %bits = keratin.random_bits %draw {seed = 7 : i64} : (tensor<i64>) -> tensor<?x192xui32, #keratin.dims<d0, 192>>
  %half = keratin.constant dense<2147483648> : tensor<ui32>
  %halves = keratin.broadcast %half dims = [] : (tensor<ui32>) -> tensor<?x192xui32, #keratin.dims<d0, 192>>
  %isKept = keratin.compare lt %bits, %halves : (tensor<?x192xui32, #keratin.dims<d0, 192>>, tensor<?x192xui32, #keratin.dims<d0, 192>>) -> tensor<?x192xi1, #keratin.dims<d0, 192>>
  %zero = keratin.constant dense<0.0> : tensor<f16>
  %zeros = keratin.broadcast %zero dims = [] : (tensor<f16>) -> tensor<?x192xf16, #keratin.dims<d0, 192>>
  %dropped = keratin.select %isKept, %x, %zeros : (tensor<?x192xi1, #keratin.dims<d0, 192>>, tensor<?x192xf16, #keratin.dims<d0, 192>>, tensor<?x192xf16, #keratin.dims<d0, 192>>) -> tensor<?x192xf16, #keratin.dims<d0, 192>>
  %0 = keratin.reduce_max %dropped axes = [1] : (tensor<?x192xf16, #keratin.dims<d0, 192>>) -> tensor<?xf16, #keratin.dims<d0>>
  return %0 : tensor<?xf16, #keratin.dims<d0>>
}

// What follows from tiles: bias and dropout of a dense layer.

// CHECK-LABEL: function epilogue
// CHECK-NEXT:  sizes: d0 is a_dim0
// CHECK-NEXT:  kernel 0: dot_general
// CHECK:       schedule: tiles of {{.*}} random bits by 4 threads together
// CHECK-NOT:   kernel 1
func.func @epilogue(%a: tensor<?x48xf32, #keratin.dims<d0, 48>> {keratin.kind = "input", keratin.name = "a"},
    %w: tensor<48x1024xf32> {keratin.kind = "input", keratin.name = "w"},
    %bias: tensor<1024xf32> {keratin.kind = "input", keratin.name = "bias"},
    %draw: tensor<i64> {keratin.kind = "input", keratin.name = "draw"})
    -> (tensor<?x1024xf32, #keratin.dims<d0, 1024>> {keratin.kind = "output", keratin.name = "y0"}) {
  %dot = keratin.dot_general %a, %w batch = [] x [] contract = [1] x [0] : (tensor<?x48xf32, #keratin.dims<d0, 48>>, tensor<48x1024xf32>) -> tensor<?x1024xf32, #keratin.dims<d0, 1024>>
  %wide = keratin.broadcast %bias dims = [1] : (tensor<1024xf32>) -> tensor<?x1024xf32, #keratin.dims<d0, 1024>>
  %x = keratin.add %dot, %wide : (tensor<?x1024xf32, #keratin.dims<d0, 1024>>, tensor<?x1024xf32, #keratin.dims<d0, 1024>>) -> tensor<?x1024xf32, #keratin.dims<d0, 1024>>
  %bits = keratin.random_bits %draw {seed = 7 : i64} : (tensor<i64>) -> tensor<?x1024xui32, #keratin.dims<d0, 1024>>
  %half = keratin.constant dense<2147483648> : tensor<ui32>
  %halves = keratin.broadcast %half dims = [] : (tensor<ui32>) -> tensor<?x1024xui32, #keratin.dims<d0, 1024>>
  %isKept = keratin.compare lt %bits, %halves : (tensor<?x1024xui32, #keratin.dims<d0, 1024>>, tensor<?x1024xui32, #keratin.dims<d0, 1024>>) -> tensor<?x1024xi1, #keratin.dims<d0, 1024>>
  %zero = keratin.constant dense<0.0> : tensor<f32>
  %zeros = keratin.broadcast %zero dims = [] : (tensor<f32>) -> tensor<?x1024xf32, #keratin.dims<d0, 1024>>
  %dropped = keratin.select %isKept, %x, %zeros : (tensor<?x1024xi1, #keratin.dims<d0, 1024>>, tensor<?x1024xf32, #keratin.dims<d0, 1024>>, tensor<?x1024xf32, #keratin.dims<d0, 1024>>) -> tensor<?x1024xf32, #keratin.dims<d0, 1024>>
  return %dropped : tensor<?x1024xf32, #keratin.dims<d0, 1024>>
}

// Tiles of 32 columns: two words of a block are in a line.

// CHECK-LABEL: function narrow_tiles
// CHECK-NEXT:  kernel 0: dot_general
// CHECK:       schedule: tiles of 32 x 32 {{.*}}; random bits by 2 threads together
func.func @narrow_tiles(%a: tensor<40x40xf32> {keratin.kind = "input", keratin.name = "a"},
    %w: tensor<40x64xf32> {keratin.kind = "input", keratin.name = "w"},
    %draw: tensor<i64> {keratin.kind = "input", keratin.name = "draw"})
    -> (tensor<40x64xf32> {keratin.kind = "output", keratin.name = "y0"}) {
  %x = keratin.dot_general %a, %w batch = [] x [] contract = [1] x [0] : (tensor<40x40xf32>, tensor<40x64xf32>) -> tensor<40x64xf32>
  %bits = keratin.random_bits %draw {seed = 7 : i64} : (tensor<i64>) -> tensor<40x64xui32>
  %half = keratin.constant dense<2147483648> : tensor<ui32>
  %halves = keratin.broadcast %half dims = [] : (tensor<ui32>) -> tensor<40x64xui32>
  %isKept = keratin.compare lt %bits, %halves : (tensor<40x64xui32>, tensor<40x64xui32>) -> tensor<40x64xi1>
  %zero = keratin.constant dense<0.0> : tensor<f32>
  %zeros = keratin.broadcast %zero dims = [] : (tensor<f32>) -> tensor<40x64xf32>
  %dropped = keratin.select %isKept, %x, %zeros : (tensor<40x64xi1>, tensor<40x64xf32>, tensor<40x64xf32>) -> tensor<40x64xf32>
  return %dropped : tensor<40x64xf32>
}

// Neighbouring filters of a place.

// CHECK-LABEL: function convolution
// CHECK-NEXT:  kernel 0: convolution
// CHECK:       schedule: an implicit product, in tiles of {{.*}}; random bits by 2 threads together
// CHECK-NOT:   kernel 1
func.func @convolution(%x: tensor<6x9x9x8xf32> {keratin.kind = "input", keratin.name = "x"},
    %w: tensor<3x3x8x64xf32> {keratin.kind = "input", keratin.name = "w"},
    %draw: tensor<i64> {keratin.kind = "input", keratin.name = "draw"})
    -> (tensor<6x9x9x64xf32> {keratin.kind = "output", keratin.name = "y0"}) {
  %z = keratin.convolution %x, %w dims = "b01c,01cf->b01f" strides = [1, 1] low = <1, 1> x_dilation = [1, 1] dilation = [1, 1] reversed = [false, false]
      : (tensor<6x9x9x8xf32>, tensor<3x3x8x64xf32>) -> tensor<6x9x9x64xf32>
  %bits = keratin.random_bits %draw {seed = 7 : i64} : (tensor<i64>) -> tensor<6x9x9x64xui32>
  %half = keratin.constant dense<2147483648> : tensor<ui32>
  %halves = keratin.broadcast %half dims = [] : (tensor<ui32>) -> tensor<6x9x9x64xui32>
  %isKept = keratin.compare lt %bits, %halves : (tensor<6x9x9x64xui32>, tensor<6x9x9x64xui32>) -> tensor<6x9x9x64xi1>
  %zero = keratin.constant dense<0.0> : tensor<f32>
  %zeros = keratin.broadcast %zero dims = [] : (tensor<f32>) -> tensor<6x9x9x64xf32>
  %dropped = keratin.select %isKept, %z, %zeros : (tensor<6x9x9x64xi1>, tensor<6x9x9x64xf32>, tensor<6x9x9x64xf32>) -> tensor<6x9x9x64xf32>
  return %dropped : tensor<6x9x9x64xf32>
}

// Lines of other lengths: bits come from memory.

// CHECK-LABEL: function odd_rows
// CHECK-NEXT:  sizes: d0 is x_dim0
// CHECK-NEXT:  kernel 0: random_bits
// CHECK:       kernel 1
func.func @odd_rows(%x: tensor<?x100xui32, #keratin.dims<d0, 100>> {keratin.kind = "input", keratin.name = "x"},
    %draw: tensor<i64> {keratin.kind = "input", keratin.name = "draw"})
    -> (tensor<?xui32, #keratin.dims<d0>> {keratin.kind = "output", keratin.name = "y0"}) {
  %bits = keratin.random_bits %draw {seed = 7 : i64} : (tensor<i64>) -> tensor<?x100xui32, #keratin.dims<d0, 100>>
  %mixed = keratin.xor %bits, %x : (tensor<?x100xui32, #keratin.dims<d0, 100>>, tensor<?x100xui32, #keratin.dims<d0, 100>>) -> tensor<?x100xui32, #keratin.dims<d0, 100>>
  %0 = keratin.reduce_sum %mixed axes = [1] : (tensor<?x100xui32, #keratin.dims<d0, 100>>) -> tensor<?xui32, #keratin.dims<d0>>
  return %0 : tensor<?xui32, #keratin.dims<d0>>
}

// Bits that are read where the loops do not stand: element by element.

// CHECK-LABEL: function shifted
// CHECK-NEXT:  kernel 0: random_bits + 3
// CHECK:       schedule: 32 threads a row; {{[^;]*$}}
func.func @shifted(%x: tensor<6x128xui32> {keratin.kind = "input", keratin.name = "x"},
    %draw: tensor<i64> {keratin.kind = "input", keratin.name = "draw"})
    -> (tensor<6xui32> {keratin.kind = "output", keratin.name = "y0"}) {
  %bits = keratin.random_bits %draw {seed = 7 : i64} : (tensor<i64>) -> tensor<6x128xui32>
  %back = keratin.reverse %bits axes = [1] : (tensor<6x128xui32>) -> tensor<6x128xui32>
  %mixed = keratin.xor %back, %x : (tensor<6x128xui32>, tensor<6x128xui32>) -> tensor<6x128xui32>
  %0 = keratin.reduce_sum %mixed axes = [1] : (tensor<6x128xui32>) -> tensor<6xui32>
  return %0 : tensor<6xui32>
}
