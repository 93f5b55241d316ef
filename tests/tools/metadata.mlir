// What a compiled model says of itself, in a file and under one symbol of the object.
// RUN: rm -rf %t && mkdir %t
// RUN: keratin-compile %s -o %t/m.so --name=net --metadata=%t/m.json --mcpu=x86-64-v3
// RUN: FileCheck %s < %t/m.json
// RUN: python3 %S/Inputs/read_metadata.py %t/m.so > %t/read.json && cmp %t/m.json %t/read.json
// CHECK:      "format": 1,
// CHECK-NEXT: "model": "net",
// CHECK-NEXT: "producer": "Keratin {{[0-9.]+}}",
// CHECK-NEXT: "license": "the Keratin runtime in this object: Apache-2.0 WITH LLVM-exception",
// CHECK-NEXT: "target": "x86_64-{{.*}}",
// CHECK-NEXT: "processors": [
// CHECK-NEXT:  "x86-64-v3"
// CHECK-NEXT: ],
// CHECK-NEXT: "device": "cpu",
// CHECK-NEXT: "functions": [
// CHECK-NEXT:  {
// CHECK-NEXT:   "name": "a/step",
// CHECK-NEXT:   "symbol": "net_a_step",
// CHECK:        "name": "x:0",
// CHECK-NEXT:   "c_name": "x_0",
// CHECK-NEXT:   "dtype": "float32",
// CHECK-NEXT:   "dtype_number": 12,
// CHECK-NEXT:   "shape": [
// CHECK-NEXT:    "x_0_dim0",
// CHECK-NEXT:    2
// CHECK-NEXT:   ]
// CHECK:       "outputs": [
// CHECK:       "sizes": [
// CHECK-NEXT:   "x_0_dim0"
// CHECK:       "updates": [
// CHECK-NEXT:   "größe"
// CHECK:       "requires": [
// CHECK-NEXT:   "x_0_dim0 >= 1 (a row
// CHECK:      "variables": [
// CHECK-NEXT:  {
// CHECK-NEXT:   "name": "größe",
// CHECK-NEXT:   "dtype": "float32",
// CHECK-NEXT:   "dtype_number": 12,
// CHECK-NEXT:   "shape": [
// CHECK-NEXT:    3
// CHECK-NEXT:   ],
// CHECK-NEXT:   "bytes": 12

// A relocatable object has it under the model's name alone, so that several go into one program.
// RUN: keratin-compile %s --emit=obj -o %t/m.o --name=net --header=%t/m.h
// RUN: llvm-nm --defined-only --extern-only %t/m.o | FileCheck %s --check-prefix=SYMBOLS
// SYMBOLS-NOT: {{ keratin_}}
// SYMBOLS: R net_keratin_metadata
// SYMBOLS-NOT: {{ keratin_}}
// RUN: FileCheck %s --check-prefix=HEADER < %t/m.h
// HEADER: // SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// HEADER: #if !defined(__x86_64__)
// HEADER-NEXT: #error "model 'net' was compiled for x86_64-{{.*}}"
// HEADER: enum { net_state_num_variables = 1 };
// HEADER: extern const char net_keratin_metadata[];

// RUN: %{exits} 2 keratin-compile %s --emit=asm --metadata=%t/x 2>&1 | FileCheck %s --check-prefix=TEXT
// TEXT: keratin-compile: error: --metadata goes with --emit=obj and --emit=so

!x = tensor<?x2xf32, #keratin.dims<d0, 2>>
func.func @"a/step"(%x: !x {keratin.name = "x:0"},
                    %w: tensor<3xf32> {keratin.kind = "variable", keratin.name = "größe"})
    -> (!x {keratin.name = "y"}, tensor<3xf32> {keratin.kind = "update", keratin.variable = 0 : i64}) {
  %r = keratin.require at_least #keratin.dims<d0> #keratin.dims<1> "a row" %x : (!x) -> !x
  %y = keratin.exp %r : (!x) -> !x
  %v = keratin.exp %w : (tensor<3xf32>) -> tensor<3xf32>
  return %y, %v : !x, tensor<3xf32>
}
