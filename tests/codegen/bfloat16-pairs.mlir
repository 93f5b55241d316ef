// Products of bfloat16 by pairs where an instruction multiplies them, on the same sums.

// RUN: keratin-dump %s --stage=kernels --mcpu=x86-64-v4+avx512bf16 | FileCheck %s --check-prefixes=CHECK,PAIRS
// RUN: keratin-dump %s --stage=kernels --mcpu=x86-64-v4 | FileCheck %s --check-prefixes=CHECK,ALONE
// RUN: keratin-dump %s --stage=asm --function=square --mcpu=x86-64-v4+avx512bf16 | FileCheck %s --check-prefix=ASM
// RUN: keratin-dump %s --stage=kernels --mcpu=x86-64-v4+avx512bf16+amx-tile+amx-bf16 | FileCheck %s --check-prefixes=CHECK,AMX
// RUN: keratin-dump %s --stage=asm --function=square --mcpu=x86-64-v4+avx512bf16+amx-tile+amx-bf16 | FileCheck %s --check-prefix=TILES
// RUN: keratin-dump %s --stage=asm --function=square --mcpu=x86-64-v4 | FileCheck %s --check-prefix=PLAIN
// RUN: keratin-check %s --compiled --function=transposed --symbol=0=3,40 --most=1e-2

// ASM:       vdpbf16ps
// PLAIN-NOT: vdpbf16ps
// Tiles have their shapes from the kernel's beginning to its end, and sums stay in four of them.
// TILES:       tdpbf16ps %tmm6, %tmm4, %tmm0
// TILES:       tdpbf16ps %tmm7, %tmm4, %tmm1
// TILES:       tdpbf16ps %tmm6, %tmm5, %tmm2
// TILES-NEXT:  tdpbf16ps %tmm7, %tmm5, %tmm3
// TILES-NOT:   tilestored
// TILES:       jl
// TILES:       ldtilecfg
// TILES:       tilerelease

// CHECK-LABEL: function square
// PAIRS:       panels of depth 2048, in pairs; units of up to 56 x 512 for 2048 deep
// AMX:         schedule: tiles of 32 rows x 2 vectors x 16 lanes, of 16 rows for the rest; panels of depth 512, in pairs, by AMX; units of up to 128 x 1024 for 512 deep
// ALONE:       panels of depth 1024; units of up to 56 x 512 for 1024 deep
// PAIRS-NEXT:  A: copied
// ALONE-NEXT:  A: copied
// Its rows are lines of tiles.
// AMX-NEXT:    A: in place
// CHECK-NEXT:  B: copied
func.func @square(%a: tensor<64x64xbf16> {keratin.kind = "input", keratin.name = "a"},
                  %b: tensor<64x64xbf16> {keratin.kind = "input", keratin.name = "b"})
    -> (tensor<64x64xbf16> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %a, %b batch = [] x [] contract = [1] x [0] : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16>
  return %0 : tensor<64x64xbf16>
}

// Both gradients' forms, an odd depth, and rows of which the call may have few: these have one number at a time.
// CHECK-LABEL: function transposed
// PAIRS:       in pairs
// AMX:         in pairs, by AMX
// CHECK:       B: transposed
// CHECK:       of one row
// CHECK-NOT:   in pairs
// CHECK:       of two rows
// CHECK-NOT:   in pairs
// CHECK-LABEL: function few
func.func @transposed(%a: tensor<?x33xbf16, #keratin.dims<d0, 33>> {keratin.kind = "input", keratin.name = "a"},
                      %b: tensor<40x33xbf16> {keratin.kind = "input", keratin.name = "b"})
    -> (tensor<?x40xbf16, #keratin.dims<d0, 40>> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %a, %b batch = [] x [] contract = [1] x [1] : (tensor<?x33xbf16, #keratin.dims<d0, 33>>, tensor<40x33xbf16>) -> tensor<?x40xbf16, #keratin.dims<d0, 40>>
  return %0 : tensor<?x40xbf16, #keratin.dims<d0, 40>>
}

// CHECK:       B: in place, widened as it is read
// CHECK-LABEL: function halves
func.func @few(%a: tensor<4x1024xbf16> {keratin.kind = "input", keratin.name = "a"},
               %b: tensor<1024x1024xbf16> {keratin.kind = "input", keratin.name = "b"})
    -> (tensor<4x1024xbf16> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %a, %b batch = [] x [] contract = [1] x [0] : (tensor<4x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<4x1024xbf16>
  return %0 : tensor<4x1024xbf16>
}

// CHECK-NOT:   in pairs
func.func @halves(%a: tensor<64x64xf16> {keratin.kind = "input", keratin.name = "a"},
                  %b: tensor<64x64xf16> {keratin.kind = "input", keratin.name = "b"})
    -> (tensor<64x64xf16> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %a, %b batch = [] x [] contract = [1] x [0] : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
  return %0 : tensor<64x64xf16>
}
