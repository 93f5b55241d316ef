// Sizes with names and limits, and one without, in all that people read.
// RUN: rm -rf %t && mkdir %t

// RUN: keratin-dump %s --format=stats | FileCheck %s --check-prefix=STATS
// STATS:      function f, plan, batch = 64, length = 512, u_dim0 = 32
// STATS:      FLOPs{{ +}}1310720 = 40*batch*length
// STATS:      bytes read{{ +}}{{[0-9]+}} = {{.*}}*batch*length + 4*u_dim0
// STATS:      arena bytes{{ +}}524288 = 16*batch*length
// STATS-NEXT: arena at most{{ +}}524288

// RUN: keratin-dump %s --format=stats --size=length=16 --size=batch=1 | FileCheck %s --check-prefix=GIVEN
// GIVEN:      function f, plan, batch = 1, length = 16, u_dim0 = 32
// GIVEN:      arena bytes{{ +}}256 = 16*batch*length
// GIVEN-NEXT: arena at most{{ +}}524288

// RUN: keratin-dump %s --format=dot --stage=plan | FileCheck %s --check-prefix=DOT --implicit-check-not='d0' --implicit-check-not=d1
// DOT: float32 (batch, length, 4)
// DOT: tensor<?x?x4xf32, #keratin.dims<batch, length, 4>>
// DOT: float32 (u_dim0 + 1,)

// RUN: keratin-dump %s --format=json --stage=plan > %t/f.json
// RUN: FileCheck %s --check-prefix=JSON --input-file=%t/f.json --implicit-check-not='<d0' --implicit-check-not='*d'
// JSON: "batch": 64,
// JSON: "length": 512,
// JSON: "u_dim0": 32
// JSON: "flops_formula": "40*batch*length",
// JSON: "tensor<?x?x4xf32, #keratin.dims<batch, length, 4>>"
// JSON: "arena_at_most": 524288

// RUN: keratin-dump %s --format=html -o %t/f.html
// RUN: FileCheck %s --check-prefix=HTML --input-file=%t/f.html --implicit-check-not='dims<d0'
// HTML: batch*length

// The text of a graph is the IR, whose attributes say the names.
// RUN: keratin-dump %s --stage=plan | FileCheck %s --check-prefix=TEXT
// TEXT: keratin.limits = {d0 = {max = 64 : i64}, d1 = {max = 512 : i64, multiple_of = 8 : i64, unit = 8 : i64}}
// TEXT-SAME: keratin.sizes = ["batch", "length"]
// RUN: keratin-dump %s --stage=kernels | FileCheck %s --check-prefix=KERNELS
// KERNELS: function f
// KERNELS-NEXT: sizes: d0 is batch, 8*d1 is length, d2 is u_dim0

// RUN: keratin-compile %s --emit=plan | FileCheck %s --check-prefix=PLAN
// PLAN: arena         524288 bytes (batch = 64, length = 512) = 16*batch*length; at most 524288 bytes

// RUN: keratin-compile %s -o %t/f.so --name=net --header=%t/f.h --metadata=%t/f.meta
// RUN: FileCheck %s --check-prefix=HEADER --input-file=%t/f.h
// HEADER:      // input 0   x: float32 (batch, length, 4)
// HEADER:      // output 1  z: float32 ((u_dim0 + 1),)
// HEADER-NEXT: // output 2  h: float32 ((length / 4), 4)
// RUN: FileCheck %s --check-prefix=META --input-file=%t/f.meta
// META:      "size_limits": {
// META-NEXT:   "batch": {
// META-NEXT:    "max": 64
// META-NEXT:   },
// META-NEXT:   "length": {
// META-NEXT:    "max": 512,
// META-NEXT:    "multiple_of": 8
// META:      "length <= 512 (size 'length')",
// META-NEXT: "length % 8 == 0 (size 'length')"

// What is made up lies within the limits; what is asked for must.
// RUN: keratin-run %s --random --check | FileCheck %s --check-prefix=RANDOM
// RUN: keratin-run %t/f.so --random --check --model=%s | FileCheck %s --check-prefix=RANDOM
// RUN: not keratin-run %s --random --size=length=7 2>&1 | FileCheck %s --check-prefix=SEVEN
// RUN: not keratin-dump %s --format=stats --size=length=520 2>&1 | FileCheck %s --check-prefix=MORE
// RUN: not keratin-run %t/f.so --random --size=rows=4 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: keratin-opt %s --keratin-pipeline --keratin-check-memory-plan --verify-numerics | FileCheck %s --check-prefix=CHECKED
// RANDOM: y: float32 (32, 4)
// RANDOM: check: 1 call agrees
// SEVEN: keratin-run: error: --size: 'length' is 7; needed at most 512, a multiple of 8
// MORE: keratin-dump: error: --size: 'length' is 520; needed at most 512, a multiple of 8
// ROWS: keratin-run: error: --size: the function has no size 'rows'; there are batch (d0), length (d1), u_dim0 (d2)
// CHECKED: func.func @f

// What is missing or does not fit is told with them.
// RUN: not keratin-run %s 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not keratin-run %t/f.so 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: keratin-run: error: input 'x' (float32 (batch, length, 4)) is not given
// RUN: keratin-run %s --random --quiet --output-dir=%t/out
// RUN: not keratin-run %s --random --input=u=%t/out/y.npy 2>&1 | FileCheck %s --check-prefix=RANK
// RANK: keratin-run: error: input 'u' is an array of float32 with rank 2; float32 (None,) is needed
// RUN: not keratin-run %s --random --input=x=%t/out/y.npy 2>&1 | FileCheck %s --check-prefix=NAMED
// NAMED: keratin-run: error: input 'x' is an array of float32 with rank 2; float32 (batch, length, 4) is needed

func.func @f(%x: tensor<?x?x4xf32, #keratin.dims<d0, d1, 4>> {keratin.kind = "input", keratin.name = "x"},
             %u: tensor<?xf32, #keratin.dims<d2>> {keratin.kind = "input", keratin.name = "u"},
             %w: tensor<4x4xf32> {keratin.kind = "variable", keratin.name = "w"})
    -> (tensor<?x4xf32, #keratin.dims<d0*d1, 4>> {keratin.kind = "output", keratin.name = "y"},
        tensor<?xf32, #keratin.dims<d2 + 1>> {keratin.kind = "output", keratin.name = "z"},
        tensor<?x4xf32, #keratin.dims<floordiv(d1, 4), 4>> {keratin.kind = "output", keratin.name = "h"})
    attributes {keratin.sizes = ["batch", "length"], keratin.limits = {d0 = {max = 64}, d1 = {max = 512, multiple_of = 8}}} {
  %e = keratin.exp %x : (tensor<?x?x4xf32, #keratin.dims<d0, d1, 4>>) -> tensor<?x?x4xf32, #keratin.dims<d0, d1, 4>>
  %f = keratin.reshape %e : (tensor<?x?x4xf32, #keratin.dims<d0, d1, 4>>) -> tensor<?x4xf32, #keratin.dims<d0*d1, 4>>
  %p = keratin.dot_general %f, %w batch = [] x [] contract = [1] x [0] : (tensor<?x4xf32, #keratin.dims<d0*d1, 4>>, tensor<4x4xf32>) -> tensor<?x4xf32, #keratin.dims<d0*d1, 4>>
  %z = keratin.pad %u low = <1> interior = [0] : (tensor<?xf32, #keratin.dims<d2>>) -> tensor<?xf32, #keratin.dims<d2 + 1>>
  %s = keratin.reduce_sum %x axes = [0, 2] : (tensor<?x?x4xf32, #keratin.dims<d0, d1, 4>>) -> tensor<?xf32, #keratin.dims<d1>>
  %h = keratin.reshape %s : (tensor<?xf32, #keratin.dims<d1>>) -> tensor<?x4xf32, #keratin.dims<floordiv(d1, 4), 4>>
  return %p, %z, %h : tensor<?x4xf32, #keratin.dims<d0*d1, 4>>, tensor<?xf32, #keratin.dims<d2 + 1>>, tensor<?x4xf32, #keratin.dims<floordiv(d1, 4), 4>>
}
