// What two processors make of kernels of several kinds: the loops are the same, the schedules are not.

// RUN: keratin-dump %s --stage=kernels --mcpu=x86-64-v3 | FileCheck %s --check-prefixes=CHECK,V3
// RUN: keratin-dump %s --stage=kernels --mcpu=x86-64-v4 | FileCheck %s --check-prefixes=CHECK,V4

// The dump folder has the same.
// RUN: rm -rf %t.dir && keratin-compile %s --function=rows --mcpu=x86-64-v3 --emit=obj --dump-dir=%t.dir -o %t.o
// RUN: FileCheck %s --check-prefix=FOLDER --input-file=%t.dir/rows.7-kernels.txt
// FOLDER: kernel 0: reduce_sum + exp
// FOLDER: schedule: {{.*}} 8 lanes

// RUN: %{exits} 2 keratin-dump %s --stage=kernels --format=dot 2>&1 | FileCheck %s --check-prefix=TEXT
// TEXT: --stage=kernels is text only

// CHECK-LABEL: function rows
// CHECK-NEXT: sizes: d0 is x_dim0
// CHECK-NEXT: kernel 0: reduce_sum + exp  {{.*}}keratin-dump-kernels.mlir:{{[0-9]+}}
// CHECK-NEXT:   tensors: float32 (d0, 1000) -> float32 (d0,)
// CHECK-NEXT:   nest: kept d0, reduced 1000
// CHECK-NEXT:   stage 0: reduce_sum
// CHECK-NEXT:   work: units d0, grain 16, operations 3000*d0
// V3-NEXT:      schedule: lanes along rows that are reduced, which meet at their end; 8 lanes; 2 vectors side by side in stage 0
// V4-NEXT:      schedule: lanes along rows that are reduced, which meet at their end; 16 lanes; 2 vectors side by side in stage 0
func.func @rows(%x: tensor<?x1000xf32, #keratin.dims<d0, 1000>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.exp %x : (tensor<?x1000xf32, #keratin.dims<d0, 1000>>) -> tensor<?x1000xf32, #keratin.dims<d0, 1000>>
  %1 = keratin.reduce_sum %0 axes = [1] : (tensor<?x1000xf32, #keratin.dims<d0, 1000>>) -> tensor<?xf32, #keratin.dims<d0>>
  return %1 : tensor<?xf32, #keratin.dims<d0>>
}

// CHECK-LABEL: function short_rows
// V3:           8 lanes; 4 vectors side by side in stage 0; long sums in blocks of 4096 elements; own code for rows of up to 7 vectors; own code for rows of one block
// V4:           16 lanes; 4 vectors side by side in stage 0; long sums in blocks of 4096 elements; own code for rows of up to 7 vectors; own code for rows of one block
func.func @short_rows(%x: tensor<?x?xf32, #keratin.dims<d0, d1>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.reduce_sum %x axes = [1] : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?xf32, #keratin.dims<d0>>
  return %0 : tensor<?xf32, #keratin.dims<d0>>
}

// Of two stages only rows of one and two vectors are taken apart.
// CHECK-LABEL: function centred_rows
// V3:           8 lanes; {{.*}} in stage 0; {{.*}} in stage 1; long sums in blocks of 4096 elements; own code for rows of up to 2 vectors; own code for rows of one block
// V4:           16 lanes; {{.*}} in stage 0; {{.*}} in stage 1; long sums in blocks of 4096 elements; own code for rows of up to 2 vectors; own code for rows of one block
func.func @centred_rows(%x: tensor<?x?xf32, #keratin.dims<d0, d1>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?x?xf32, #keratin.dims<d0, d1>> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.reduce_sum %x axes = [1] : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?xf32, #keratin.dims<d0>>
  %1 = keratin.broadcast %0 dims = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %2 = keratin.sub %x, %1 : (tensor<?x?xf32, #keratin.dims<d0, d1>>, tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  return %2 : tensor<?x?xf32, #keratin.dims<d0, d1>>
}

// Short stages are, where a cache holds the rows.
// CHECK-LABEL: function centred_short_rows
// CHECK:        in stage 1; stages along rows of their own, 4 vectors side by side
func.func @centred_short_rows(%x: tensor<64x256xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<64x256xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.reduce_sum %x axes = [1] : (tensor<64x256xf32>) -> tensor<64xf32>
  %1 = keratin.broadcast %0 dims = [0] : (tensor<64xf32>) -> tensor<64x256xf32>
  %2 = keratin.sub %x, %1 : (tensor<64x256xf32>, tensor<64x256xf32>) -> tensor<64x256xf32>
  return %2 : tensor<64x256xf32>
}

// Those of longer rows pass over them one after the other.
// CHECK-LABEL: function centred_long_rows
// CHECK:        in stage 1; asks for 1 tensor 4096 elements ahead
func.func @centred_long_rows(%x: tensor<64x4096xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<64x4096xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.reduce_sum %x axes = [1] : (tensor<64x4096xf32>) -> tensor<64xf32>
  %1 = keratin.broadcast %0 dims = [0] : (tensor<64xf32>) -> tensor<64x4096xf32>
  %2 = keratin.sub %x, %1 : (tensor<64x4096xf32>, tensor<64x4096xf32>) -> tensor<64x4096xf32>
  return %2 : tensor<64x4096xf32>
}

// Exponentials are computed once, those of a row while the largest of the next one is looked for.
// CHECK-LABEL: function softmax
// CHECK:        in stage 2; stages along rows of their own, 2 vectors side by side; long sums in blocks of 4096 elements; exp waits in the place of result #0; own code
func.func @softmax(%x: tensor<?x?xf32, #keratin.dims<d0, d1>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?x?xf32, #keratin.dims<d0, d1>> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.reduce_max %x axes = [1] : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?xf32, #keratin.dims<d0>>
  %1 = keratin.broadcast %0 dims = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %2 = keratin.sub %x, %1 : (tensor<?x?xf32, #keratin.dims<d0, d1>>, tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %3 = keratin.exp %2 : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %4 = keratin.reduce_sum %3 axes = [1] : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?xf32, #keratin.dims<d0>>
  %5 = keratin.broadcast %4 dims = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %6 = keratin.div %3, %5 : (tensor<?x?xf32, #keratin.dims<d0, d1>>, tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  return %6 : tensor<?x?xf32, #keratin.dims<d0, d1>>
}

// What has no result of its type waits in scratch.
// CHECK-LABEL: function narrow_softmax
// CHECK:        in stage 2; stages along rows of their own, 2 vectors side by side; exp waits in scratch; asks for 2 tensors 2048 elements ahead
// CHECK:        scratch: 4096 bytes
func.func @narrow_softmax(%h: tensor<?x1024xf16, #keratin.dims<d0, 1024>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?x1024xf16, #keratin.dims<d0, 1024>> {keratin.kind = "output", keratin.name = "y"}) {
  %x = keratin.cast %h : (tensor<?x1024xf16, #keratin.dims<d0, 1024>>) -> tensor<?x1024xf32, #keratin.dims<d0, 1024>>
  %0 = keratin.reduce_max %x axes = [1] : (tensor<?x1024xf32, #keratin.dims<d0, 1024>>) -> tensor<?xf32, #keratin.dims<d0>>
  %1 = keratin.broadcast %0 dims = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?x1024xf32, #keratin.dims<d0, 1024>>
  %2 = keratin.sub %x, %1 : (tensor<?x1024xf32, #keratin.dims<d0, 1024>>, tensor<?x1024xf32, #keratin.dims<d0, 1024>>) -> tensor<?x1024xf32, #keratin.dims<d0, 1024>>
  %3 = keratin.exp %2 : (tensor<?x1024xf32, #keratin.dims<d0, 1024>>) -> tensor<?x1024xf32, #keratin.dims<d0, 1024>>
  %4 = keratin.reduce_sum %3 axes = [1] : (tensor<?x1024xf32, #keratin.dims<d0, 1024>>) -> tensor<?xf32, #keratin.dims<d0>>
  %5 = keratin.broadcast %4 dims = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?x1024xf32, #keratin.dims<d0, 1024>>
  %6 = keratin.div %3, %5 : (tensor<?x1024xf32, #keratin.dims<d0, 1024>>, tensor<?x1024xf32, #keratin.dims<d0, 1024>>) -> tensor<?x1024xf32, #keratin.dims<d0, 1024>>
  %7 = keratin.cast %6 : (tensor<?x1024xf32, #keratin.dims<d0, 1024>>) -> tensor<?x1024xf16, #keratin.dims<d0, 1024>>
  return %7 : tensor<?x1024xf16, #keratin.dims<d0, 1024>>
}

// The sum of y, which waits for nothing and for which nothing waits, is made in the stage that reads y anyway.
// CHECK-LABEL: function rows_and_columns
// CHECK:        stage 0: reduce_sum
// CHECK-NEXT:   stage 1: reduce_sum, reduce_sum
// CHECK-NEXT:   in stage 1: reduce_sum of columns
// CHECK-NEXT:   work: units floordiv(d0 + 63, 64), grain 1, operations {{.*}}, a unit behind all others
// CHECK-NEXT:   schedule: {{.*}}; asks for 1 tensor 1024 elements ahead; columns in blocks of 64 rows
func.func @rows_and_columns(%x: tensor<?x1024xf32, #keratin.dims<d0, 1024>> {keratin.kind = "input", keratin.name = "x"}, %y: tensor<?x1024xf32, #keratin.dims<d0, 1024>> {keratin.kind = "input", keratin.name = "y"})
    -> (tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "output", keratin.name = "a"}, tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "output", keratin.name = "b"}, tensor<1024xf32> {keratin.kind = "output", keratin.name = "c"}) {
  %0 = keratin.reduce_sum %x axes = [1] : (tensor<?x1024xf32, #keratin.dims<d0, 1024>>) -> tensor<?xf32, #keratin.dims<d0>>
  %1 = keratin.broadcast %0 dims = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?x1024xf32, #keratin.dims<d0, 1024>>
  %2 = keratin.mul %y, %1 : (tensor<?x1024xf32, #keratin.dims<d0, 1024>>, tensor<?x1024xf32, #keratin.dims<d0, 1024>>) -> tensor<?x1024xf32, #keratin.dims<d0, 1024>>
  %3 = keratin.reduce_sum %2 axes = [1] : (tensor<?x1024xf32, #keratin.dims<d0, 1024>>) -> tensor<?xf32, #keratin.dims<d0>>
  %4 = keratin.reduce_sum %y axes = [1] : (tensor<?x1024xf32, #keratin.dims<d0, 1024>>) -> tensor<?xf32, #keratin.dims<d0>>
  %5 = keratin.reduce_sum %y axes = [0] : (tensor<?x1024xf32, #keratin.dims<d0, 1024>>) -> tensor<1024xf32>
  return %3, %4, %5 : tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>, tensor<1024xf32>
}

// CHECK-LABEL: function columns
// CHECK-NEXT: sizes: d0 is x_dim0
// CHECK-NEXT: kernel 0: reduce_max  {{.*}}keratin-dump-kernels.mlir:{{[0-9]+}}
// CHECK-NEXT:   tensors: float32 (d0, 64) -> float32 (64,)
// CHECK-NEXT:   nest: reduced d0, kept 64
// CHECK-NEXT:   stage 0: reduce_max
// CHECK-NEXT:   work: units 1, grain max(floordiv(16384, max(64*d0, 1)), 1), operations 128*d0
// V3-NEXT:      schedule: a sum for each lane, in blocks of columns; 8 lanes; 8 vectors side by side in stage 0; long sums in blocks of 256 rows
// V4-NEXT:      schedule: a sum for each lane, in blocks of columns; 16 lanes; 4 vectors side by side in stage 0; long sums in blocks of 256 rows
func.func @columns(%x: tensor<?x64xf32, #keratin.dims<d0, 64>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<64xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.reduce_max %x axes = [0] : (tensor<?x64xf32, #keratin.dims<d0, 64>>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// CHECK-LABEL: function flat
// CHECK-NEXT: sizes: d0 is x_dim0
// CHECK-NEXT: kernel 0: neg  {{.*}}keratin-dump-kernels.mlir:{{[0-9]+}}
// CHECK-NEXT:   tensors: float64 (d0,) -> float64 (d0,)
// CHECK-NEXT:   nest: kept d0
// CHECK-NEXT:   work: units d0, grain 16384, operations 2*d0
// V3-NEXT:      schedule: one run of elements; 4 lanes; 4 vectors side by side
// V4-NEXT:      schedule: one run of elements; 8 lanes; 4 vectors side by side
func.func @flat(%x: tensor<?xf64, #keratin.dims<d0>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?xf64, #keratin.dims<d0>> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.neg %x : (tensor<?xf64, #keratin.dims<d0>>) -> tensor<?xf64, #keratin.dims<d0>>
  return %0 : tensor<?xf64, #keratin.dims<d0>>
}

// CHECK-LABEL: function product
// CHECK-NEXT: sizes: d0 is x_dim0
// CHECK-NEXT: kernel 0: dot_general + tanh  {{.*}}keratin-dump-kernels.mlir:{{[0-9]+}}
// CHECK-NEXT:   tensors: float32 (d0, 640), float32 (640, 32) -> float32 (d0, 32)
// CHECK-NEXT:   nest: batch 1, m d0, n 32, k 640
// V3-NEXT:      work: units min(d0, 1) where d0 < 17, else floordiv(d0 + 53, 54), grain 1, operations 2560*d0
// V4-NEXT:      work: units min(d0, 1) where d0 < 17, else floordiv(d0 + 55, 56), grain 1, operations 2560*d0
// V3-NEXT:      schedule: tiles of 6 rows x 2 vectors x 8 lanes, of 5 or 3 rows for the rest; the last of the largest may lack 1 row; panels of depth 1024; units of up to 54 x 512 for 1024 deep, 54 x 256 for 2048 deep, 30 x 128 for 4096 deep
// V4-NEXT:      schedule: tiles of 14 rows x 2 vectors x 16 lanes, of 8 or 4 rows for the rest; the last of the largest may lack 1 row; panels of depth 1024; units of up to 56 x 512 for 1024 deep, 56 x 256 for 2048 deep, 28 x 128 for 4096 deep
// CHECK-NEXT:   A: in place
// V3-NEXT:      B: in place, packed for more than 24 rows
// V4-NEXT:      B: in place, packed for more than 56 rows
// V3-NEXT:      of few rows, schedule: tiles of up to 4 rows x 2 vectors x 8 lanes over the whole depth, B in place; units of 64 columns
// V4-NEXT:      of few rows, schedule: tiles of up to 4 rows x 4 vectors x 16 lanes over the whole depth, B in place; units of 256 columns
// V3-NEXT:      scratch: 85760 bytes
// V4-NEXT:      scratch: 90112 bytes
func.func @product(%x: tensor<?x640xf32, #keratin.dims<d0, 640>> {keratin.kind = "input", keratin.name = "x"},
                   %w: tensor<640x32xf32> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<?x32xf32, #keratin.dims<d0, 32>> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<?x640xf32, #keratin.dims<d0, 640>>, tensor<640x32xf32>) -> tensor<?x32xf32, #keratin.dims<d0, 32>>
  %1 = keratin.tanh %0 : (tensor<?x32xf32, #keratin.dims<d0, 32>>) -> tensor<?x32xf32, #keratin.dims<d0, 32>>
  return %1 : tensor<?x32xf32, #keratin.dims<d0, 32>>
}

// Deeper sums have smaller units, and larger ones where they are continued.
// CHECK-LABEL: function weights
// CHECK-NEXT: sizes: d0 is x_dim0
// CHECK-NEXT: kernel 0: dot_general  {{.*}}keratin-dump-kernels.mlir:{{[0-9]+}}
// CHECK-NEXT:   tensors: float32 (d0, 128), float32 (d0, 512) -> float32 (128, 512)
// CHECK-NEXT:   nest: batch 1, m 128, n 512, k d0
// CHECK-NEXT:   work: units 3 where d0 < 1025, else 6 where d0 < 2049, else 20 where d0 < 4097, else 4, grain 1, operations 8192*d0
func.func @weights(%x: tensor<?x128xf32, #keratin.dims<d0, 128>> {keratin.kind = "input", keratin.name = "x"},
                   %dy: tensor<?x512xf32, #keratin.dims<d0, 512>> {keratin.kind = "input", keratin.name = "dy"})
    -> (tensor<128x512xf32> {keratin.kind = "output", keratin.name = "dw"}) {
  %0 = keratin.dot_general %x, %dy batch = [] x [] contract = [0] x [0] : (tensor<?x128xf32, #keratin.dims<d0, 128>>, tensor<?x512xf32, #keratin.dims<d0, 512>>) -> tensor<128x512xf32>
  return %0 : tensor<128x512xf32>
}

// CHECK-LABEL: function dots
// CHECK-NEXT: kernel 0: dot_general  {{.*}}keratin-dump-kernels.mlir:{{[0-9]+}}
// CHECK-NEXT:   tensors: float32 (1, 64), float32 (32, 64) -> float32 (1, 32)
// CHECK-NEXT:   nest: batch 1, m 1, n 32, k 64
// CHECK-NEXT:   work: units 1, grain 1, operations 256
// V3-NEXT:      schedule: dot products of 8 lanes, 4 rows x 2 vectors at once; units of 64 rows
// V4-NEXT:      schedule: dot products of 16 lanes, 4 rows x 2 vectors at once; units of 64 rows
// CHECK-NEXT:   scratch: 512 bytes
func.func @dots(%x: tensor<1x64xf32> {keratin.kind = "input", keratin.name = "x"},
                %w: tensor<32x64xf32> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<1x32xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [1] : (tensor<1x64xf32>, tensor<32x64xf32>) -> tensor<1x32xf32>
  return %0 : tensor<1x32xf32>
}

// CHECK-LABEL: function images
// CHECK-NEXT: kernel 0: convolution  {{.*}}keratin-dump-kernels.mlir:{{[0-9]+}}
// CHECK-NEXT:   tensors: float32 (2, 16, 16, 8), float32 (3, 3, 8, 32) -> float32 (2, 16, 16, 32)
// CHECK-NEXT:   nest: batch 2, groups 1, filters 32, contracted 8, windows 16 of 3 by 1 over 16, 16 of 3 by 1 over 16
// CHECK-NEXT:   work: units 2, grain 1, operations 147456
// V3-NEXT:      schedule: tiles of 6 rows x 2 vectors x 8 lanes, of 5 rows evened out
// V4-NEXT:      schedule: tiles of 8 rows x 2 vectors x 16 lanes
// CHECK-NEXT:   rows: the last window's positions; columns: filters; depth: the taps, the channels
// CHECK-NEXT:   filter: in place
// CHECK-NEXT:   limits: regions of 131072 elements, 8192 deep; units of 512 x 1024; passes of 512 deep
// V3-NEXT:      scratch: 36096 bytes
// V4-NEXT:      scratch: 55552 bytes
func.func @images(%x: tensor<2x16x16x8xf32> {keratin.kind = "input", keratin.name = "x"},
                  %w: tensor<3x3x8x32xf32> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<2x16x16x32xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.convolution %x, %w dims = "b01c,01cf->b01f" strides = [1, 1] low = <1, 1> x_dilation = [1, 1] dilation = [1, 1] reversed = [false, false] : (tensor<2x16x16x8xf32>, tensor<3x3x8x32xf32>) -> tensor<2x16x16x32xf32>
  return %0 : tensor<2x16x16x32xf32>
}

// CHECK-LABEL: function depthwise
// CHECK-NEXT: kernel 0: convolution  {{.*}}keratin-dump-kernels.mlir:{{[0-9]+}}
// CHECK-NEXT:   tensors: float32 (2, 16, 16, 32), float32 (3, 3, 32, 1) -> float32 (2, 16, 16, 32, 1)
// CHECK-NEXT:   nest: batch 2, groups 32, filters 1, contracted 1, windows 16 of 3 by 1 over 16, 16 of 3 by 1 over 16
// V3-NEXT:      work: units 16, grain 1, operations 18432
// V4-NEXT:      work: units 32, grain 1, operations 18432
// V3-NEXT:      schedule: depthwise, lanes along groups; tiles of 2 x 2 outputs with all taps of 3 x 3 written out; 8 lanes; units of 32 tiles and up to 1024 channels
// V4-NEXT:      schedule: depthwise, lanes along groups; tiles of 1 x 8 outputs with all taps of 3 x 3 written out; 16 lanes; units of 32 tiles and up to 1024 channels
// V3-NEXT:      scratch: 384 bytes
// V4-NEXT:      scratch: 704 bytes
func.func @depthwise(%x: tensor<2x16x16x32xf32> {keratin.kind = "input", keratin.name = "x"},
                     %w: tensor<3x3x32x1xf32> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<2x16x16x32x1xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.convolution %x, %w dims = "b01g,01gf->b01gf" strides = [1, 1] low = <1, 1> x_dilation = [1, 1] dilation = [1, 1] reversed = [false, false] : (tensor<2x16x16x32xf32>, tensor<3x3x32x1xf32>) -> tensor<2x16x16x32x1xf32>
  return %0 : tensor<2x16x16x32x1xf32>
}

// CHECK-LABEL: function windows
// CHECK-NEXT: kernel 0: window_max  {{.*}}keratin-dump-kernels.mlir:{{[0-9]+}}
// CHECK-NEXT:   tensors: float32 (8, 56, 56, 64) -> float32 (8, 28, 28, 64)
// CHECK-NEXT:   nest: 8, 28 windows of 2 by 2 over 56, 28 windows of 2 by 2 over 56, 64
// CHECK-NEXT:   work: units 224, grain 2, operations 1605632
// V3-NEXT:      schedule: lanes along the last dimension, up to 2 vectors together; tiles of 2 windows over 4 elements; 8 lanes; units of 28 windows of a row
// V4-NEXT:      schedule: lanes along the last dimension, up to 2 vectors together; tiles of 4 windows over 8 elements; 16 lanes; units of 28 windows of a row
func.func @windows(%x: tensor<8x56x56x64xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<8x28x28x64xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.window_max %x window = [1, 2, 2, 1] strides = [1, 2, 2, 1] low = <0, 0, 0, 0> : (tensor<8x56x56x64xf32>) -> tensor<8x28x28x64xf32>
  return %0 : tensor<8x28x28x64xf32>
}

// CHECK-LABEL: function alone
// CHECK-NEXT: sizes: d0 is x_dim0, d1 is i_dim0
// CHECK-NEXT: kernel 0: arg_max  {{.*}}keratin-dump-kernels.mlir:{{[0-9]+}}
// CHECK-NEXT:   tensors: float32 (d0, 256) -> int64 (d0,)
// CHECK-NEXT:   nest: lines of 256 elements, d0 x 1 of them
// CHECK-NEXT:   work: units d0, grain 64, operations 256*d0
// V3-NEXT:      schedule: lanes along lines; 8 lanes; 4 vectors side by side; places of 32 bits
// V4-NEXT:      schedule: lanes along lines; 16 lanes; 4 vectors side by side; places of 32 bits
// CHECK-NEXT: kernel 1: cumsum  {{.*}}keratin-dump-kernels.mlir:{{[0-9]+}}
// CHECK-NEXT:   tensors: float32 (d0, 256) -> float32 (d0, 256)
// CHECK-NEXT:   nest: lines of 256 elements, d0 x 1 of them
// CHECK-NEXT:   work: units d0, grain 64, operations 256*d0
// V3-NEXT:      schedule: prefixes in registers; 8 lanes; 1 state side by side
// V4-NEXT:      schedule: prefixes in registers; 16 lanes; 1 state side by side
// CHECK-NEXT: kernel 2: scatter_add  {{.*}}keratin-dump-kernels.mlir:{{[0-9]+}}
// CHECK-NEXT:   tensors: int32 (d1,), float32 (d1, 128) -> float32 (4, 128)
// CHECK-NEXT:   nest: d1 rows of 128 elements added to 4
// V3-NEXT:      work: units 4, grain max(floordiv(512, d1 + 4), 1), operations 128*d1 + 512
// V4-NEXT:      work: units 2, grain max(floordiv(256, d1 + 4), 1), operations 128*d1 + 512
// V3-NEXT:      schedule: 8 lanes; blocks of 4 vectors of columns, each through all rows; zeros row by row
// V4-NEXT:      schedule: 16 lanes; blocks of 4 vectors of columns, each through all rows; zeros row by row
// CHECK-NEXT: kernel 3: random_bits  {{.*}}keratin-dump-kernels.mlir:{{[0-9]+}}
// CHECK-NEXT:   tensors: int64 () -> uint32 (640,)
// CHECK-NEXT:   nest: 640 elements in groups of 64
// CHECK-NEXT:   work: units 10, grain 32, operations 5120
// V3-NEXT:      schedule: a group in 2 parts of 8 lanes
// V4-NEXT:      schedule: a group in 1 part of 16 lanes
// CHECK-NEXT: kernel 4: transpose  {{.*}}keratin-dump-kernels.mlir:{{[0-9]+}}
// CHECK-NEXT:   tensors: float32 (d0, 256) -> float32 (256, d0)
// CHECK-NEXT:   nest: 1 matrices of 256 rows and d0 places
// CHECK-NEXT:   work: units floordiv(d0 + 63, 64), grain 1, operations 16384*floordiv(d0 + 63, 64)
// V3-NEXT:      schedule: blocks of 8 x 8 transposed in registers; strips of 64 places
// V4-NEXT:      schedule: blocks of 16 x 16 transposed in registers; strips of 64 places
func.func @alone(%x: tensor<?x256xf32, #keratin.dims<d0, 256>> {keratin.kind = "input", keratin.name = "x"},
                 %i: tensor<?xi32, #keratin.dims<d1>> {keratin.kind = "input", keratin.name = "i"},
                 %u: tensor<?x128xf32, #keratin.dims<d1, 128>> {keratin.kind = "input", keratin.name = "u"},
                 %draw: tensor<i64> {keratin.kind = "input", keratin.name = "draw"})
    -> (tensor<?xi64, #keratin.dims<d0>> {keratin.kind = "output", keratin.name = "best"},
        tensor<?x256xf32, #keratin.dims<d0, 256>> {keratin.kind = "output", keratin.name = "sums"},
        tensor<4x128xf32> {keratin.kind = "output", keratin.name = "added"},
        tensor<640xui32> {keratin.kind = "output", keratin.name = "bits"},
        tensor<256x?xf32, #keratin.dims<256, d0>> {keratin.kind = "output", keratin.name = "turned"}) {
  %0 = keratin.arg_max %x {axis = 1 : i64} : (tensor<?x256xf32, #keratin.dims<d0, 256>>) -> tensor<?xi64, #keratin.dims<d0>>
  %1 = keratin.cumsum %x {axis = 1 : i64} : (tensor<?x256xf32, #keratin.dims<d0, 256>>) -> tensor<?x256xf32, #keratin.dims<d0, 256>>
  %2 = keratin.scatter_add %i, %u : (tensor<?xi32, #keratin.dims<d1>>, tensor<?x128xf32, #keratin.dims<d1, 128>>) -> tensor<4x128xf32>
  %3 = keratin.random_bits %draw {seed = 0 : i64} : (tensor<i64>) -> tensor<640xui32>
  %4 = keratin.transpose %x permutation = [1, 0] : (tensor<?x256xf32, #keratin.dims<d0, 256>>) -> tensor<256x?xf32, #keratin.dims<256, d0>>
  return %0, %1, %2, %3, %4 : tensor<?xi64, #keratin.dims<d0>>, tensor<?x256xf32, #keratin.dims<d0, 256>>, tensor<4x128xf32>, tensor<640xui32>, tensor<256x?xf32, #keratin.dims<256, d0>>
}

// Few channels are blocks of few lanes.
// CHECK-LABEL: function shuffled
// CHECK:      kernel 0: transpose
// CHECK:        nest: 49 matrices of 28 rows and 4 places
// CHECK:        schedule: blocks of 4 x 4 transposed in registers; strips of 64 places
func.func @shuffled(%x: tensor<49x4x28xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<49x28x4xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.transpose %x permutation = [0, 2, 1] : (tensor<49x4x28xf32>) -> tensor<49x28x4xf32>
  return %0 : tensor<49x28x4xf32>
}

// CHECK-LABEL: function largest
// CHECK-NEXT: sizes: d0 is x_dim0
// CHECK-NEXT: kernel 0: top_k  {{.*}}keratin-dump-kernels.mlir:{{[0-9]+}}
// CHECK-NEXT:   tensors: float32 (d0, 256) -> int64 (d0, 3)
// CHECK-NEXT:   nest: the 3 largest of lines of 256 elements, d0 of them
// CHECK-NEXT:   work: units d0, grain 64, operations 256*d0
// V3-NEXT:      schedule: a heap of places for each line, in the result; 8 lanes compared with its root
// V4-NEXT:      schedule: a heap of places for each line, in the result; 16 lanes compared with its root
func.func @largest(%x: tensor<?x256xf32, #keratin.dims<d0, 256>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?x3xi64, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "places"}) {
  %0 = keratin.top_k %x : (tensor<?x256xf32, #keratin.dims<d0, 256>>) -> tensor<?x3xi64, #keratin.dims<d0, 3>>
  return %0 : tensor<?x3xi64, #keratin.dims<d0, 3>>
}

// Kernels that are alike are planned once.
// CHECK-LABEL: function twice
// CHECK-NEXT: kernel 0: reduce_sum  {{.*}}keratin-dump-kernels.mlir:[[#FIRST:]]
// CHECK-NEXT:   tensors: float32 (4, 64) -> float32 (4,)
// CHECK:      kernel 1: reduce_sum  {{.*}}keratin-dump-kernels.mlir:[[#FIRST + 1]]
// CHECK-NEXT:   as kernel 0
// CHECK-NOT:  {{.}}
func.func @twice(%x: tensor<4x64xf32> {keratin.kind = "input", keratin.name = "x"},
                 %y: tensor<4x64xf32> {keratin.kind = "input", keratin.name = "y"})
    -> (tensor<4xf32> {keratin.kind = "output", keratin.name = "a"}, tensor<4xf32> {keratin.kind = "output", keratin.name = "b"}) {
  %0 = keratin.reduce_sum %x axes = [1] : (tensor<4x64xf32>) -> tensor<4xf32>
  %1 = keratin.reduce_sum %y axes = [1] : (tensor<4x64xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// Most of a line is sorted, in memory of the thread as long as lines are short.
// CHECK-LABEL: function sorted
// CHECK:      kernel 0: top_k
// CHECK:        schedule: lines are sorted by 4 digits of 8 bits, key and place in one word, in memory of the thread
// CHECK-NEXT:   scratch: 20480 bytes
// CHECK:      kernel 1: top_k
// CHECK:        nest: the 400 largest of lines of 9000 elements, 2 of them
// CHECK:        schedule: lines are sorted by 8 digits of 8 bits, key and place in a word each, in a workspace
// CHECK-NEXT:   scratch: 16384 bytes
// CHECK:      kernel 2: top_k
// CHECK:        schedule: a heap of places for each line
func.func @sorted(%x: tensor<?x768xf32, #keratin.dims<d0, 768>> {keratin.kind = "input", keratin.name = "x"},
                  %y: tensor<2x9000xi64> {keratin.kind = "input", keratin.name = "y"})
    -> (tensor<?x768xi64, #keratin.dims<d0, 768>> {keratin.kind = "output", keratin.name = "all"},
        tensor<2x400xi64> {keratin.kind = "output", keratin.name = "most"},
        tensor<2x40xi64> {keratin.kind = "output", keratin.name = "few"}) {
  %0 = keratin.top_k %x : (tensor<?x768xf32, #keratin.dims<d0, 768>>) -> tensor<?x768xi64, #keratin.dims<d0, 768>>
  %1 = keratin.top_k %y : (tensor<2x9000xi64>) -> tensor<2x400xi64>
  %2 = keratin.top_k %y : (tensor<2x9000xi64>) -> tensor<2x40xi64>
  return %0, %1, %2 : tensor<?x768xi64, #keratin.dims<d0, 768>>, tensor<2x400xi64>, tensor<2x40xi64>
}

// What lies one behind the other is made there: ones twice, rather than copied.
// CHECK-LABEL: function parts_in_place
// CHECK:       kernel 0: broadcast
// CHECK:       kernel 3: concatenate
// CHECK-NEXT:    made in its place by those that it joins
// CHECK-NEXT:  kernel 4: transpose
func.func @parts_in_place(%x: tensor<640xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<640x3xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %one = keratin.constant dense<1.0> : tensor<f32>
  %ones = keratin.broadcast %one dims = [] : (tensor<f32>) -> tensor<640xf32>
  %0 = keratin.exp %x : (tensor<640xf32>) -> tensor<640xf32>
  %1 = keratin.concatenate %ones, %0, %ones {axis = 0 : i64} : (tensor<640xf32>, tensor<640xf32>, tensor<640xf32>) -> tensor<1920xf32>
  %2 = keratin.reshape %1 : (tensor<1920xf32>) -> tensor<3x640xf32>
  %3 = keratin.transpose %2 permutation = [1, 0] : (tensor<3x640xf32>) -> tensor<640x3xf32>
  return %3 : tensor<640x3xf32>
}
