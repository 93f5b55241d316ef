// Products of float32 in tf32, in process and ahead of time; what is checked knows of it.
// RUN: keratin-run %s --device=emulated --random=1 --float32-products=tf32 --check --quiet | FileCheck %s
// RUN: keratin-run %s --random=1 --float32-products=tf32 --check --quiet | FileCheck %s
// RUN: rm -rf %t && mkdir %t
// RUN: env KERATIN_PTXAS= KERATIN_NVJITLINK= keratin-compile %s --target=cuda --float32-products=tf32 --emit=ptx | FileCheck %s --check-prefix=PTX
// RUN: env KERATIN_PTXAS= KERATIN_NVJITLINK= keratin-compile %s --target=cuda --emit=ptx | FileCheck %s --check-prefix=EXACT
// CHECK: check: 1 call agrees with the reference interpreter
// PTX: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// EXACT-NOT: tf32

// An object is as it was compiled; what it is checked against is asked for here.
// RUN: keratin-compile %s --float32-products=tf32 -o %t/model.so
// RUN: keratin-run %t/model.so --model=%s --random=1 --float32-products=tf32 --check --quiet | FileCheck %s
// RUN: %{exits} 1 keratin-run %t/model.so --random=1 --float32-products=tf32 2>&1 | FileCheck %s --check-prefix=OBJECT
// OBJECT: keratin-run: error: --float32-products goes with a model, or with --model for --check: keratin-compile --float32-products
// RUN: %{exits} 2 keratin-run %s --float32-products=half 2>&1 | FileCheck %s --check-prefix=VALUE
// VALUE: keratin-run: error: --float32-products needs one of float32|tf32, found 'half'
func.func @f(%x: tensor<40x70xf32> {keratin.kind = "input", keratin.name = "x"},
             %w: tensor<70x36xf32> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<40x36xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<40x70xf32>, tensor<70x36xf32>) -> tensor<40x36xf32>
  return %0 : tensor<40x36xf32>
}
