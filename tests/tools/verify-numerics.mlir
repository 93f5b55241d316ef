// A pass that computes something else is named, and leaves a small reproducer that shows it again.
// RUN: rm -rf %t && mkdir %t
// RUN: env KERATIN_REPRODUCER_DIR=%t %{exits} 5 keratin-opt-wrong %s --keratin-canonicalize --wrong-swap-operands --keratin-stabilize --verify-numerics -o %t/out.mlir 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=REPRODUCER --input-file=%t/$(ls %t | grep reproducer)
// RUN: %{exits} 5 keratin-opt-wrong --run-reproducer --verify-numerics %t/$(ls %t | grep reproducer) -o /dev/null 2>&1 | FileCheck %s --check-prefix=AGAIN

// CHECK-NOT: keratin-canonicalize
// CHECK:     verify-numerics: 'f' computes something else after wrong-swap-operands: result {{[01]}}: {{.+}}
// CHECK:     to reproduce: keratin-opt --run-reproducer --verify-numerics {{.*}}keratin-reproducer-{{.*}}.mlir
// CHECK-NOT: keratin-stabilize

// REPRODUCER:     func.func @f
// REPRODUCER-NOT: keratin.exp
// REPRODUCER-NOT: keratin.dot_general
// REPRODUCER:     keratin.sub
// REPRODUCER:     wrong-swap-operands

// AGAIN: 'f' computes something else after wrong-swap-operands

// What is wrong by a thousandth is wrong.
// RUN: env KERATIN_REPRODUCER_DIR=%t %{exits} 5 keratin-opt-wrong %s --wrong-scale-a-little --verify-numerics -o /dev/null 2>&1 | FileCheck %s --check-prefix=LITTLE
// LITTLE: 'f' computes something else after wrong-scale-a-little

// The product's own passes, all of them, kernels and plans too.
// RUN: keratin-opt %s --keratin-pipeline --verify-numerics -o /dev/null 2>&1 | FileCheck %s --allow-empty --check-prefix=RIGHT
// RUN: keratin-opt %s --keratin-pipeline=check-numbers --verify-numerics --numerics-seed=7 -o /dev/null 2>&1 | FileCheck %s --allow-empty --check-prefix=RIGHT
// RIGHT-NOT: verify-numerics

func.func @f(%x: tensor<?x4xf32, #keratin.dims<d0, 4>> {keratin.kind = "input", keratin.name = "x"}, %y: tensor<?x4xf32, #keratin.dims<d0, 4>> {keratin.kind = "input", keratin.name = "y"},
             %i: tensor<3xi32> {keratin.kind = "input", keratin.name = "i"}, %w: tensor<4x4xf32> {keratin.kind = "variable", keratin.name = "w"})
    -> (tensor<f32> {keratin.kind = "output"}, tensor<3x4xf32> {keratin.kind = "output"}, tensor<4x4xf32> {keratin.kind = "update", keratin.variable = 0 : i64}) {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<?x4xf32, #keratin.dims<d0, 4>>, tensor<4x4xf32>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
  %1 = keratin.sub %0, %y : (tensor<?x4xf32, #keratin.dims<d0, 4>>, tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
  %2 = keratin.reduce_sum %1 axes = [0, 1] : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<f32>
  %3 = keratin.gather %w, %i : (tensor<4x4xf32>, tensor<3xi32>) -> tensor<3x4xf32>
  %4 = keratin.exp %3 : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %g = keratin.gradients %2 wrt %w : (tensor<f32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %5 = keratin.sub %w, %g : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %2, %4, %5 : tensor<f32>, tensor<3x4xf32>, tensor<4x4xf32>
}
