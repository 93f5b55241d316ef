// Products of narrow integers, with sums in int32, by the instruction that multiplies pairs of 16 bits.

// RUN: keratin-dump %s --stage=kernels --mcpu=x86-64-v3 | FileCheck %s
// RUN: keratin-dump %s --stage=asm --function=square --mcpu=x86-64-v2 | FileCheck %s --check-prefix=SSE
// RUN: keratin-dump %s --stage=asm --function=square --mcpu=x86-64-v3 | FileCheck %s --check-prefix=AVX2
// RUN: keratin-dump %s --stage=asm --function=square --mcpu=x86-64-v4 | FileCheck %s --check-prefix=AVX512
// RUN: keratin-dump %s --stage=kernels --mcpu=x86-64-v4+avx512vnni | FileCheck %s --check-prefix=FOURS
// RUN: keratin-dump %s --stage=asm --function=square --mcpu=x86-64-v4+avx512vnni | FileCheck %s --check-prefix=VNNI
// RUN: keratin-dump %s --stage=asm --function=square --mcpu=x86-64-v3+avxvnni | FileCheck %s --check-prefix=AVXVNNI
// RUN: keratin-dump %s --stage=asm --function=transposed --mcpu=x86-64-v4+avx512vnni | FileCheck %s --check-prefix=WORDS
// RUN: keratin-dump %s --stage=kernels --mcpu=x86-64-v4+avx512vnni+amx-tile+amx-int8 | FileCheck %s --check-prefix=AMX
// RUN: keratin-dump %s --stage=asm --function=square --mcpu=x86-64-v4+amx-tile+amx-int8 | FileCheck %s --check-prefix=TILES
// RUN: keratin-check %s --compiled --function=square
// RUN: keratin-check %s --compiled --function=transposed --symbol=0=3,40

// A pair of A's is broadcast, and B's are widened to 16 bits as they are packed.
// SSE:    pmaddwd
// AVX2:      vpbroadcastd ({{.*}}), %[[A:ymm[0-9]+]]
// AVX2:      vpmaddwd %ymm{{[0-9]+}}, %[[A]], %[[PRODUCTS:ymm[0-9]+]]
// AVX2-NEXT: vpaddd {{.*}}%[[PRODUCTS]]
// AVX2:      {{vpmov[sz]xbw}}
// AVX512: vpmaddwd {{.*}}%zmm

// Four of 8 bits, one factor of them unsigned, in EVEX and VEX; else pairs, whose sum is not apart.
// VNNI:     vpdpbusd %zmm{{[0-9]+}}, %zmm{{[0-9]+}}, %zmm{{[0-9]+}}
// AVXVNNI:  {vex} vpdpbusd %ymm{{[0-9]+}}, %ymm{{[0-9]+}}, %ymm{{[0-9]+}}
// WORDS:    vpdpwssd
// TILES:    tdpbusd %tmm6, %tmm4, %tmm0

// FOURS-LABEL: function square
// FOURS:       panels of depth 4096, in fours
// FOURS-LABEL: function transposed
// FOURS:       in pairs
// FOURS-LABEL: function few
// AMX-LABEL:   function square
// AMX:         schedule: tiles of 32 rows x 2 vectors x 16 lanes, of 16 rows for the rest; panels of depth 1024, in fours, by AMX
// AMX-LABEL:   function transposed
// AMX:         in fours, by AMX
// AMX-LABEL:   function few

// CHECK-LABEL: function square
// CHECK:       panels of depth 2048, in pairs
// CHECK-NEXT:  A: copied
// CHECK-NEXT:  B: copied
func.func @square(%a: tensor<64x64xui8> {keratin.kind = "input", keratin.name = "a"},
                  %b: tensor<64x64xi8> {keratin.kind = "input", keratin.name = "b"})
    -> (tensor<64x64xi32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.cast %a : (tensor<64x64xui8>) -> tensor<64x64xi32>
  %1 = keratin.cast %b : (tensor<64x64xi8>) -> tensor<64x64xi32>
  %2 = keratin.dot_general %0, %1 batch = [] x [] contract = [1] x [0] : (tensor<64x64xi32>, tensor<64x64xi32>) -> tensor<64x64xi32>
  return %2 : tensor<64x64xi32>
}

// CHECK-LABEL: function transposed
// CHECK:       in pairs
// CHECK:       B: transposed
// CHECK-LABEL: function few
func.func @transposed(%a: tensor<?x33xi8, #keratin.dims<d0, 33>> {keratin.kind = "input", keratin.name = "a"},
                      %b: tensor<40x33xi8> {keratin.kind = "input", keratin.name = "b"})
    -> (tensor<?x40xi32, #keratin.dims<d0, 40>> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.cast %a : (tensor<?x33xi8, #keratin.dims<d0, 33>>) -> tensor<?x33xi32, #keratin.dims<d0, 33>>
  %1 = keratin.cast %b : (tensor<40x33xi8>) -> tensor<40x33xi32>
  %2 = keratin.dot_general %0, %1 batch = [] x [] contract = [1] x [1] : (tensor<?x33xi32, #keratin.dims<d0, 33>>, tensor<40x33xi32>) -> tensor<?x40xi32, #keratin.dims<d0, 40>>
  return %2 : tensor<?x40xi32, #keratin.dims<d0, 40>>
}

// Rows that read B once read it where it is.
// CHECK:       B: in place, widened as it is read
// CHECK-LABEL: function unsigned
func.func @few(%a: tensor<4x1024xi8> {keratin.kind = "input", keratin.name = "a"},
               %b: tensor<1024x1024xi8> {keratin.kind = "input", keratin.name = "b"})
    -> (tensor<4x1024xi32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.cast %a : (tensor<4x1024xi8>) -> tensor<4x1024xi32>
  %1 = keratin.cast %b : (tensor<1024x1024xi8>) -> tensor<1024x1024xi32>
  %2 = keratin.dot_general %0, %1 batch = [] x [] contract = [1] x [0] : (tensor<4x1024xi32>, tensor<1024x1024xi32>) -> tensor<4x1024xi32>
  return %2 : tensor<4x1024xi32>
}

// 16 bits with a sign do not hold these.
// CHECK-NOT:   in pairs
func.func @unsigned(%a: tensor<64x64xui16> {keratin.kind = "input", keratin.name = "a"},
                    %b: tensor<64x64xi8> {keratin.kind = "input", keratin.name = "b"})
    -> (tensor<64x64xi32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.cast %a : (tensor<64x64xui16>) -> tensor<64x64xi32>
  %1 = keratin.cast %b : (tensor<64x64xi8>) -> tensor<64x64xi32>
  %2 = keratin.dot_general %0, %1 batch = [] x [] contract = [1] x [0] : (tensor<64x64xi32>, tensor<64x64xi32>) -> tensor<64x64xi32>
  return %2 : tensor<64x64xi32>
}
