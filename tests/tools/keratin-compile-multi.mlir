// The processors that an object for several has code for: those that multiply bfloat16, or short integers, where the
// model does.
// RUN: rm -rf %t && split-file %s %t
// RUN: keratin-compile %t/bfloat16.mlir -o %t/b.so --name=b --metadata=%t/b.json --mcpu=multi
// RUN: FileCheck %s --check-prefix=BFLOAT16 < %t/b.json
// RUN: keratin-compile %t/float16.mlir -o %t/f.so --name=f --metadata=%t/f.json --mcpu=multi
// RUN: FileCheck %s --check-prefix=FLOAT16 < %t/f.json
// RUN: keratin-compile %t/integers.mlir -o %t/i.so --name=i --metadata=%t/i.json --mcpu=multi
// RUN: FileCheck %s --check-prefix=INTEGERS < %t/i.json

// BFLOAT16:      "processors": [
// BFLOAT16-NEXT:  "x86-64-v4+avx512bf16+amx-tile+amx-bf16",
// BFLOAT16-NEXT:  "x86-64-v4+avx512bf16",
// BFLOAT16-NEXT:  "x86-64-v4",
// BFLOAT16-NEXT:  "x86-64-v3",
// BFLOAT16-NEXT:  "x86-64"
// BFLOAT16-NEXT: ],

// FLOAT16:      "processors": [
// FLOAT16-NEXT:  "x86-64-v4",
// FLOAT16-NEXT:  "x86-64-v3",
// FLOAT16-NEXT:  "x86-64"
// FLOAT16-NEXT: ],

// INTEGERS:      "processors": [
// INTEGERS-NEXT:  "x86-64-v4+avx512vnni+amx-tile+amx-int8",
// INTEGERS-NEXT:  "x86-64-v4+avx512vnni",
// INTEGERS-NEXT:  "x86-64-v4",
// INTEGERS-NEXT:  "x86-64-v3",
// INTEGERS-NEXT:  "x86-64"
// INTEGERS-NEXT: ],

//--- bfloat16.mlir
func.func @product(%a: tensor<40x64xbf16> {keratin.kind = "input", keratin.name = "a"},
                   %b: tensor<64x40xbf16> {keratin.kind = "input", keratin.name = "b"})
    -> (tensor<40x40xbf16> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %a, %b batch = [] x [] contract = [1] x [0] : (tensor<40x64xbf16>, tensor<64x40xbf16>) -> tensor<40x40xbf16>
  return %0 : tensor<40x40xbf16>
}
//--- float16.mlir
func.func @product(%a: tensor<40x64xf16> {keratin.kind = "input", keratin.name = "a"},
                   %b: tensor<64x40xf16> {keratin.kind = "input", keratin.name = "b"})
    -> (tensor<40x40xf16> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %a, %b batch = [] x [] contract = [1] x [0] : (tensor<40x64xf16>, tensor<64x40xf16>) -> tensor<40x40xf16>
  return %0 : tensor<40x40xf16>
}
//--- integers.mlir
func.func @product(%a: tensor<40x64xui8> {keratin.kind = "input", keratin.name = "a"},
                   %b: tensor<64x40xi8> {keratin.kind = "input", keratin.name = "b"})
    -> (tensor<40x40xi32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.cast %a : (tensor<40x64xui8>) -> tensor<40x64xi32>
  %1 = keratin.cast %b : (tensor<64x40xi8>) -> tensor<64x40xi32>
  %2 = keratin.dot_general %0, %1 batch = [] x [] contract = [1] x [0] : (tensor<40x64xi32>, tensor<64x40xi32>) -> tensor<40x40xi32>
  return %2 : tensor<40x40xi32>
}
