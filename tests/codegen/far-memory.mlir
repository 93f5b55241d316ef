// A processor that is far from its memory asks for what it walks along before it needs it, results too; another one, and where caches hold everything, nothing but for rows of sums.

// RUN: keratin-dump %s --stage=kernels --mcpu=sapphirerapids | FileCheck %s
// RUN: keratin-dump %s --stage=kernels --mcpu=x86-64-v4 | FileCheck %s --check-prefix=NEAR
// RUN: keratin-check %s --compiled --function=sum_of_rows --most=9.9e-6
// RUN: keratin-check %s --compiled --function=sum_of_columns --most=9.9e-6
// RUN: keratin-check %s --compiled --function=sums_of_blocks --most=9.9e-6
// RUN: keratin-check %s --compiled --function=place_of_largest --most=0
// RUN: keratin-check %s --compiled --function=chain --most=9.9e-6
// RUN: keratin-check %s --compiled --function=depthwise --most=0

// NEAR-LABEL:  function sum_of_rows
// NEAR:        a block of 32768 bytes ahead, in 2 parts
// NEAR-LABEL:  function sum_of_columns
// NEAR-NOT:    ahead

// CHECK-LABEL: function sum_of_rows
// CHECK:       asks for 1 tensor a block of 32768 bytes ahead, in 8 parts
func.func @sum_of_rows(%x: tensor<520x8200xf32> {keratin.kind = "input", keratin.name = "x"}) -> (tensor<520xf32> {keratin.kind = "output", keratin.name = "y"}) attributes {check.seed = 5 : i64} {
  %0 = keratin.reduce_sum %x axes = [1] : (tensor<520x8200xf32>) -> tensor<520xf32>
  return %0 : tensor<520xf32>
}

// Whole rows, whose sums are in registers; the last vector of a row is not full.
// CHECK-LABEL: function sum_of_columns
// CHECK:       asks for 1 tensor a block of 32768 bytes ahead, in 8 parts
func.func @sum_of_columns(%x: tensor<70x256x250xf32> {keratin.kind = "input", keratin.name = "x"}) -> (tensor<70x250xf32> {keratin.kind = "output", keratin.name = "y"}) attributes {check.seed = 5 : i64} {
  %0 = keratin.reduce_sum %x axes = [1] : (tensor<70x256x250xf32>) -> tensor<70x250xf32>
  return %0 : tensor<70x250xf32>
}

// In blocks.
// CHECK-LABEL: function sums_of_blocks
// CHECK:       asks for 1 tensor a block of 32768 bytes ahead, in 8 parts
// CHECK:       sums of blocks wait; asks for 1 tensor a block of 32768 bytes ahead, in 8 parts
func.func @sums_of_blocks(%x: tensor<70000x64xf32> {keratin.kind = "input", keratin.name = "x"}, %y: tensor<20000x250xf32> {keratin.kind = "input", keratin.name = "y"})
    -> (tensor<64xf32> {keratin.kind = "output", keratin.name = "p"}, tensor<250xf32> {keratin.kind = "output", keratin.name = "q"}) attributes {check.seed = 5 : i64} {
  %0 = keratin.reduce_sum %x axes = [0] : (tensor<70000x64xf32>) -> tensor<64xf32>
  %1 = keratin.reduce_sum %y axes = [0] : (tensor<20000x250xf32>) -> tensor<250xf32>
  return %0, %1 : tensor<64xf32>, tensor<250xf32>
}

// Of ones that are kept further in than some of those reduced the next row lies elsewhere.
// CHECK-LABEL: function not_in_order
// CHECK-NOT:   ahead
func.func @not_in_order(%x: tensor<9x30x256x64xf32> {keratin.kind = "input", keratin.name = "x"}) -> (tensor<30x64xf32> {keratin.kind = "output", keratin.name = "y"}) attributes {check.seed = 5 : i64} {
  %0 = keratin.reduce_sum %x axes = [0, 2] : (tensor<9x30x256x64xf32>) -> tensor<30x64xf32>
  return %0 : tensor<30x64xf32>
}

// CHECK-LABEL: function place_of_largest
// CHECK:       asks for its line a block of 32768 bytes ahead, in 8 parts
func.func @place_of_largest(%x: tensor<5000x1000xf32> {keratin.kind = "input", keratin.name = "x"}) -> (tensor<5000xi64> {keratin.kind = "output", keratin.name = "y"}) attributes {check.seed = 5 : i64} {
  %0 = keratin.arg_max %x {axis = 1 : i64} : (tensor<5000x1000xf32>) -> tensor<5000xi64>
  return %0 : tensor<5000xi64>
}

// CHECK-LABEL: function chain
// CHECK:       asks for 1 tensor 1024 elements ahead
func.func @chain(%x: tensor<700x1000xf32> {keratin.kind = "input", keratin.name = "x"}) -> (tensor<700x1000xf32> {keratin.kind = "output", keratin.name = "y"}) attributes {check.seed = 5 : i64} {
  %0 = keratin.exp %x : (tensor<700x1000xf32>) -> tensor<700x1000xf32>
  %1 = keratin.mul %0, %x : (tensor<700x1000xf32>, tensor<700x1000xf32>) -> tensor<700x1000xf32>
  return %1 : tensor<700x1000xf32>
}

// CHECK-LABEL: function of_caches
// CHECK-NOT:   ahead
func.func @of_caches(%x: tensor<100x1000xf32> {keratin.kind = "input", keratin.name = "x"}) -> (tensor<100x1000xf32> {keratin.kind = "output", keratin.name = "y"}) attributes {check.seed = 5 : i64} {
  %0 = keratin.exp %x : (tensor<100x1000xf32>) -> tensor<100x1000xf32>
  return %0 : tensor<100x1000xf32>
}

// Few products come between its stores. A second result follows from the first.
// CHECK-LABEL: function depthwise
// CHECK:       schedule: depthwise, {{.*}} written out
// CHECK:       asks for results 4096 bytes ahead
func.func @depthwise(%a: tensor<2x57x57x64xi8> {keratin.kind = "input", keratin.name = "a"}, %b: tensor<3x3x64xi8> {keratin.kind = "input", keratin.name = "b"})
    -> (tensor<2x57x57x64xf32> {keratin.kind = "output", keratin.name = "y"}, tensor<2x57x57x64xf32> {keratin.kind = "output", keratin.name = "z"}) attributes {check.seed = 5 : i64} {
  %x = keratin.cast %a : (tensor<2x57x57x64xi8>) -> tensor<2x57x57x64xf32>
  %w = keratin.cast %b : (tensor<3x3x64xi8>) -> tensor<3x3x64xf32>
  %0 = keratin.convolution %x, %w dims = "b01g,01g->b01g" strides = [1, 1] low = <1, 1> x_dilation = [1, 1] dilation = [1, 1] reversed = [false, false] : (tensor<2x57x57x64xf32>, tensor<3x3x64xf32>) -> tensor<2x57x57x64xf32>
  %1 = keratin.abs %0 : (tensor<2x57x57x64xf32>) -> tensor<2x57x57x64xf32>
  return %0, %1 : tensor<2x57x57x64xf32>, tensor<2x57x57x64xf32>
}
