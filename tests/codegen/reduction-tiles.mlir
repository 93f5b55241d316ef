// Reductions further out than what lies side by side, over more than the caches hold: sums wait in the thread's memory, so that rows are read whole.

// RUN: keratin-check %s --compiled --function=columns --most=9.9e-6
// RUN: keratin-check %s --compiled --function=kinds --most=9.9e-7
// RUN: keratin-check %s --compiled --function=dtypes --most=4.9e-3
// RUN: keratin-check %s --compiled --function=parts --most=9.9e-6
// RUN: keratin-check %s --compiled --function=stages --most=9.9e-6
// RUN: keratin-check %s --compiled --function=long_steps --most=9.9e-6
// RUN: keratin-check %s --compiled --function=near --most=9.9e-6
// RUN: keratin-check %s --compiled --function=rows --most=9.9e-6
// RUN: keratin-check %s --compiled --function=ahead --most=9.9e-3
// Rows that are no multiple of those taken at once, fewer than them, one block, several; columns with and without a rest, and so few that they have other code.
// RUN: keratin-check %s --compiled --function=unknown --symbol=0=263,512,5,256,300000 --symbol=1=1001,1024,70000,4160,3 --most=9.9e-6
// RUN: keratin-check %s --compiled --function=whole_rows --symbol=0=0,1,256,700 --most=9.9e-6

// Small ones, and sums that fit the registers, do without.
// RUN: keratin-dump %s --stage=kernels --mcpu=x86-64-v4 --function=columns | FileCheck %s --check-prefix=COLUMNS
// RUN: keratin-dump %s --stage=kernels --mcpu=x86-64-v4 --function=small | FileCheck %s --check-prefix=SMALL
// RUN: keratin-dump %s --stage=kernels --mcpu=x86-64-v4 --function=registers | FileCheck %s --check-prefix=REGISTERS
// RUN: keratin-dump %s --stage=kernels --mcpu=x86-64-v4 --function=rows | FileCheck %s --check-prefix=ROWS
// RUN: keratin-dump %s --stage=kernels --mcpu=x86-64-v4 --function=ahead | FileCheck %s --check-prefix=AHEAD
// COLUMNS:        4 vectors side by side (8 rows, pages apart, of 4 in tiles) in stage 0; {{.*}}; sums of up to 2048 columns wait
// COLUMNS-NEXT:   scratch: 24768 bytes
// SMALL-NOT:      wait
// SMALL-NOT:      scratch
// REGISTERS:      16 vectors side by side
// REGISTERS-SAME: sums of blocks wait
// ROWS:           sums of up to 1024 rows wait for each other
// AHEAD:          asks for 1 tensor a block of 32768 bytes ahead, in 2 parts

func.func @columns(%x: tensor<301x5000xf32>) -> tensor<5000xf32> attributes {check.seed = 5 : i64} {
  %0 = keratin.reduce_sum %x axes = [0] : (tensor<301x5000xf32>) -> tensor<5000xf32>
  return %0 : tensor<5000xf32>
}

func.func @small(%x: tensor<16x2000xf32>) -> tensor<2000xf32> attributes {check.seed = 5 : i64} {
  %0 = keratin.reduce_sum %x axes = [0] : (tensor<16x2000xf32>) -> tensor<2000xf32>
  return %0 : tensor<2000xf32>
}

func.func @registers(%x: tensor<9000x256xf32>) -> tensor<256xf32> attributes {check.seed = 5 : i64} {
  %0 = keratin.reduce_sum %x axes = [0] : (tensor<9000x256xf32>) -> tensor<256xf32>
  return %0 : tensor<256xf32>
}

// A kernel with several sums.
func.func @kinds(%x: tensor<67x4500xf32>) -> (tensor<4500xf32>, tensor<4500xf32>, tensor<4500xf32>) attributes {check.seed = 5 : i64} {
  %0 = keratin.reduce_max %x axes = [0] : (tensor<67x4500xf32>) -> tensor<4500xf32>
  %1 = keratin.reduce_min %x axes = [0] : (tensor<67x4500xf32>) -> tensor<4500xf32>
  %p = keratin.mul %x, %x : (tensor<67x4500xf32>, tensor<67x4500xf32>) -> tensor<67x4500xf32>
  %2 = keratin.reduce_sum %p axes = [0] : (tensor<67x4500xf32>) -> tensor<4500xf32>
  return %0, %1, %2 : tensor<4500xf32>, tensor<4500xf32>, tensor<4500xf32>
}

func.func @dtypes(%h: tensor<300x2100xf16>, %b: tensor<3x260x900xbf16>, %d: tensor<300x520xf64>, %i: tensor<100x12000xi8>, %t: tensor<40x30000xi1>) -> (tensor<2100xf16>, tensor<3x900xbf16>, tensor<520xf64>, tensor<12000xi8>, tensor<30000xi1>) attributes {check.seed = 5 : i64} {
  %h0 = keratin.reduce_sum %h axes = [0] : (tensor<300x2100xf16>) -> tensor<2100xf16>
  %b0 = keratin.reduce_sum %b axes = [1] : (tensor<3x260x900xbf16>) -> tensor<3x900xbf16>
  %d0 = keratin.reduce_sum %d axes = [0] : (tensor<300x520xf64>) -> tensor<520xf64>
  %i0 = keratin.reduce_sum %i axes = [0] : (tensor<100x12000xi8>) -> tensor<12000xi8>
  %t0 = keratin.reduce_any %t axes = [0] : (tensor<40x30000xi1>) -> tensor<30000xi1>
  return %h0, %b0, %d0, %i0, %t0 : tensor<2100xf16>, tensor<3x900xbf16>, tensor<520xf64>, tensor<12000xi8>, tensor<30000xi1>
}

// Blocks, and rows of several indices further out.
func.func @parts(%x: tensor<3x5x300x90xf32>, %y: tensor<3x2x130x500xf32>) -> (tensor<5x90xf32>, tensor<5x90xf32>, tensor<2x500xf32>) attributes {check.seed = 5 : i64} {
  %0 = keratin.reduce_sum %x axes = [0, 2] : (tensor<3x5x300x90xf32>) -> tensor<5x90xf32>
  %1 = keratin.reduce_max %x axes = [0, 2] : (tensor<3x5x300x90xf32>) -> tensor<5x90xf32>
  %2 = keratin.reduce_sum %y axes = [0, 2] : (tensor<3x2x130x500xf32>) -> tensor<2x500xf32>
  return %0, %1, %2 : tensor<5x90xf32>, tensor<5x90xf32>, tensor<2x500xf32>
}

// Rows of a page that are taken together lie apart; so many that blocks end with a rest, and fewer than those taken together.
func.func @near(%x: tensor<3x1029x256xf32>, %y: tensor<200x5x300xf32>) -> (tensor<3x256xf32>, tensor<256xf32>, tensor<200x300xf32>) attributes {check.seed = 5 : i64} {
  %0 = keratin.reduce_sum %x axes = [1] : (tensor<3x1029x256xf32>) -> tensor<3x256xf32>
  %1 = keratin.reduce_max %x axes = [0, 1] : (tensor<3x1029x256xf32>) -> tensor<256xf32>
  %2 = keratin.reduce_sum %y axes = [1] : (tensor<200x5x300xf32>) -> tensor<200x300xf32>
  return %0, %1, %2 : tensor<3x256xf32>, tensor<256xf32>, tensor<200x300xf32>
}

// Rows a page apart, three times: means, variances, what follows from both.
func.func @stages(%x: tensor<300x1024xf32>) -> (tensor<300x1024xf32>, tensor<1024xf32>) attributes {check.seed = 5 : i64} {
  %c = keratin.constant dense<3.333333e-3> : tensor<1024xf32>
  %s = keratin.reduce_sum %x axes = [0] : (tensor<300x1024xf32>) -> tensor<1024xf32>
  %m = keratin.mul %s, %c : (tensor<1024xf32>, tensor<1024xf32>) -> tensor<1024xf32>
  %mb = keratin.broadcast %m dims = [1] : (tensor<1024xf32>) -> tensor<300x1024xf32>
  %d = keratin.sub %x, %mb : (tensor<300x1024xf32>, tensor<300x1024xf32>) -> tensor<300x1024xf32>
  %q = keratin.mul %d, %d : (tensor<300x1024xf32>, tensor<300x1024xf32>) -> tensor<300x1024xf32>
  %v = keratin.reduce_sum %q axes = [0] : (tensor<300x1024xf32>) -> tensor<1024xf32>
  %w = keratin.mul %v, %c : (tensor<1024xf32>, tensor<1024xf32>) -> tensor<1024xf32>
  %r = keratin.rsqrt %w : (tensor<1024xf32>) -> tensor<1024xf32>
  %rb = keratin.broadcast %r dims = [1] : (tensor<1024xf32>) -> tensor<300x1024xf32>
  %y = keratin.mul %d, %rb : (tensor<300x1024xf32>, tensor<300x1024xf32>) -> tensor<300x1024xf32>
  return %y, %w : tensor<300x1024xf32>, tensor<1024xf32>
}

func.func @rows(%x: tensor<40x150x70xf32>, %y: tensor<9x21x5000xf32>, %z: tensor<4x6x5x3x70xf32>) -> (tensor<150xf32>, tensor<150xf32>, tensor<21xf32>, tensor<6x3xf32>) attributes {check.seed = 5 : i64} {
  %0 = keratin.reduce_sum %x axes = [0, 2] : (tensor<40x150x70xf32>) -> tensor<150xf32>
  %1 = keratin.reduce_max %x axes = [0, 2] : (tensor<40x150x70xf32>) -> tensor<150xf32>
  %2 = keratin.reduce_sum %y axes = [0, 2] : (tensor<9x21x5000xf32>) -> tensor<21xf32>
  %3 = keratin.reduce_sum %z axes = [0, 2, 4] : (tensor<4x6x5x3x70xf32>) -> tensor<6x3xf32>
  return %0, %1, %2, %3 : tensor<150xf32>, tensor<150xf32>, tensor<21xf32>, tensor<6x3xf32>
}

// What is read is asked for before.
func.func @long_steps(%x: tensor<270x16500xf32>) -> tensor<16500xf32> attributes {check.seed = 5 : i64} {
  %m = keratin.reduce_max %x axes = [0] : (tensor<270x16500xf32>) -> tensor<16500xf32>
  %mb = keratin.broadcast %m dims = [1] : (tensor<16500xf32>) -> tensor<270x16500xf32>
  %d = keratin.sub %x, %mb : (tensor<270x16500xf32>, tensor<270x16500xf32>) -> tensor<270x16500xf32>
  %e = keratin.exp %d : (tensor<270x16500xf32>) -> tensor<270x16500xf32>
  %0 = keratin.reduce_sum %e axes = [0] : (tensor<270x16500xf32>) -> tensor<16500xf32>
  return %0 : tensor<16500xf32>
}

// Out of memory, up to its end.
func.func @ahead(%x: tensor<2100x4099xbf16>) -> tensor<2100xbf16> attributes {check.seed = 5 : i64} {
  %0 = keratin.reduce_max %x axes = [1] : (tensor<2100x4099xbf16>) -> tensor<2100xbf16>
  return %0 : tensor<2100xbf16>
}

func.func @whole_rows(%x: tensor<?x100xf32, #keratin.dims<d0, 100>>) -> tensor<100xf32> attributes {check.seed = 5 : i64} {
  %0 = keratin.reduce_sum %x axes = [0] : (tensor<?x100xf32, #keratin.dims<d0, 100>>) -> tensor<100xf32>
  return %0 : tensor<100xf32>
}

func.func @unknown(%x: tensor<?x?xf32, #keratin.dims<d0, d1>>) -> (tensor<?xf32, #keratin.dims<d1>>, tensor<?xf32, #keratin.dims<d1>>) attributes {check.seed = 5 : i64} {
  %0 = keratin.reduce_sum %x axes = [0] : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?xf32, #keratin.dims<d1>>
  %1 = keratin.reduce_max %x axes = [0] : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?xf32, #keratin.dims<d1>>
  return %0, %1 : tensor<?xf32, #keratin.dims<d1>>, tensor<?xf32, #keratin.dims<d1>>
}
