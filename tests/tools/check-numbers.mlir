// A logarithm of negative numbers, in process and ahead of time.
// RUN: %{exits} 1 keratin-run %s --random=1 --check-numbers --quiet 2>&1 | FileCheck %s
// RUN: keratin-compile %s --check-numbers -o %t.so
// RUN: %{exits} 1 keratin-run %t.so --random=1 --quiet 2>&1 | FileCheck %s
// RUN: keratin-run %s --random=1 --quiet
// CHECK: check-numbers.mlir:[[@LINE+10]]: error: log: made NaN of -{{[0-9.]+}} at element [{{[0-9]+}}, {{[0-9]+}}]{{$}}

// RUN: %{exits} 1 keratin-run %t.so --check-numbers 2>&1 | FileCheck %s --check-prefix=OBJECT
// OBJECT: keratin-run: error: --check-numbers goes with a model, not a shared object: keratin-compile --check-numbers

// Nothing is in place that the second look reads.
// RUN: keratin-compile %s --emit=plan --check-numbers | FileCheck %s --check-prefix=PLAN
// PLAN: in place 0 of 1 updates
func.func @f(%x: tensor<4x5xf32> {keratin.kind = "input", keratin.name = "x"}, %w: tensor<4x5xf32> {keratin.kind = "variable", keratin.name = "w"})
    -> (tensor<4x5xf32> {keratin.kind = "update", keratin.variable = 0 : i64}) {
  %0 = keratin.log %x : (tensor<4x5xf32>) -> tensor<4x5xf32>
  %1 = keratin.add %w, %0 : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  return %1 : tensor<4x5xf32>
}
