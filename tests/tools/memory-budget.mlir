// A recurrent net over 1,000 steps: what its gradient keeps falls from all steps to about twice the root of their number.
// RUN: keratin-compile %s --emit=plan | FileCheck %s --check-prefix=FREE
// RUN: keratin-compile %s --emit=plan --memory-budget=256KiB | FileCheck %s --check-prefix=KEPT
// RUN: keratin-compile %s --emit=plan --memory-budget=64KiB | FileCheck %s --check-prefix=TWICE
// RUN: keratin-compile %s --emit=plan --memory-budget=1KiB | FileCheck %s --check-prefix=EXCEEDED
// A budget that is kept anyway changes nothing.
// RUN: keratin-compile %s --emit=fused -o %t.free && keratin-compile %s --emit=fused --memory-budget=1GiB -o %t.ample && cmp %t.free %t.ample

// In process and ahead of time; what a budget does not keep is computed again, to the same bits.
// RUN: keratin-run %s --memory-budget=256KiB --random=1 --quiet --check --output=%t.npz | FileCheck %s --check-prefix=AGREES
// RUN: keratin-compile %s --memory-budget=64KiB -o %t.so
// RUN: keratin-run %t.so --random=1 --quiet --output=%t.so.npz
// RUN: cmp %t.npz %t.so.npz
// AGREES: check: 1 call agrees with the reference interpreter

// RUN: %{exits} 2 keratin-compile %s --memory-budget=64kB 2>&1 | FileCheck %s --check-prefix=UNIT
// UNIT: keratin-compile: error: --memory-budget needs a number of bytes as 500000, 64KiB, 64MiB or 2GiB, found '64kB'
// RUN: %{exits} 2 keratin-compile %s --memory-budget=0 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: found '0'
// RUN: %{exits} 2 keratin-compile %s --memory-budget=9999999999GiB 2>&1 | FileCheck %s --check-prefix=MUCH
// MUCH: found '9999999999GiB'
// RUN: %{exits} 1 keratin-run %t.so --memory-budget=1MiB 2>&1 | FileCheck %s --check-prefix=OBJECT
// OBJECT: keratin-run: error: --memory-budget goes with a model, not a shared object

// FREE:      arena         3078144 bytes
// FREE-NOT:  {{^}}budget
// FREE:      loop of kernel 3, scan {{.*}}: 1000 steps
// FREE:        stack 1: 1024 bytes a step, 1024000 bytes in all

// KEPT:      arena         {{1[0-9]+}} bytes
// KEPT:      budget        262144 bytes, kept; 2 loops keep checkpoints
// KEPT:      loop of kernel{{.*}}: 50 steps of {{.*}} bytes inside, from checkpoints
// KEPT-NEXT:   state 0: 1024 bytes
// KEPT-NEXT:   stack 0: 1024 bytes a step, 51200 bytes in all
// KEPT:        loop of kernel{{.*}}: 20 steps of

// TWICE:     arena         {{[56][0-9]+}} bytes
// TWICE:     budget        65536 bytes, kept; 5 loops keep checkpoints

// EXCEEDED:  budget        1024 bytes, exceeded by {{[0-9]+}} bytes; {{[0-9]+}} loops keep checkpoints
func.func @f(%x: tensor<1000x8x16xf32> {keratin.kind = "input", keratin.name = "x"}, %h0: tensor<8x32xf32> {keratin.kind = "input", keratin.name = "h"}, %w0: tensor<16x32xf32> {keratin.kind = "input", keratin.name = "w"}, %u0: tensor<32x32xf32> {keratin.kind = "input", keratin.name = "u"})
    -> (tensor<f32> {keratin.kind = "output"}, tensor<16x32xf32> {keratin.kind = "output"}, tensor<32x32xf32> {keratin.kind = "output"}) {
  %last = keratin.scan length = #keratin.dims<1000> init(%h0) over(%x) with(%w0, %u0) : (tensor<8x32xf32>, tensor<1000x8x16xf32>, tensor<16x32xf32>, tensor<32x32xf32>) -> tensor<8x32xf32> {
  ^bb0(%t: tensor<i64>, %s: tensor<8x32xf32>, %e: tensor<8x16xf32>, %w: tensor<16x32xf32>, %u: tensor<32x32xf32>):
    %0 = keratin.dot_general %s, %u batch = [] x [] contract = [1] x [0] : (tensor<8x32xf32>, tensor<32x32xf32>) -> tensor<8x32xf32>
    %1 = keratin.dot_general %e, %w batch = [] x [] contract = [1] x [0] : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
    %2 = keratin.add %0, %1 : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
    %3 = keratin.tanh %2 : (tensor<8x32xf32>) -> tensor<8x32xf32>
    keratin.yield %3 : tensor<8x32xf32>
  }
  %loss = keratin.reduce_sum %last axes = [0, 1] : (tensor<8x32xf32>) -> tensor<f32>
  %g:2 = keratin.gradients %loss wrt %w0, %u0 : (tensor<f32>, tensor<16x32xf32>, tensor<32x32xf32>) -> (tensor<16x32xf32>, tensor<32x32xf32>)
  return %loss, %g#0, %g#1 : tensor<f32>, tensor<16x32xf32>, tensor<32x32xf32>
}
