// Weights of a graph and of an object, by name, from and to files of both kinds.
// RUN: keratin-run %s --function=step --repeat=3 --quiet --save-weights=%t.npz
// RUN: keratin-run %s --function=step --weights=%t.npz | FileCheck %s
// RUN: keratin-compile %s --weights=%t.npz -o %t.so
// RUN: keratin-run %t.so --function=step --repeat=0 --save-weights=%t.safetensors
// RUN: keratin-run %s --function=step --weights=%t.safetensors | FileCheck %s
// RUN: keratin-run %t.so --function=step | FileCheck %s
// CHECK:      y: float32 (2,)
// CHECK-NEXT: [3. 3.]

// To a state, which C loads, and back.
// RUN: keratin-run %s --function=step --repeat=0 --weights=%t.npz --save-state=%t.state
// RUN: keratin-run %t.so --function=step --repeat=0 --state=%t.state --save-weights=%t.back.npz
// RUN: cmp %t.npz %t.back.npz

// What a file lacks: a graph knows which variables count draws, an object does not.
// RUN: keratin-compile %s --function=only -o %t.only.so
// RUN: keratin-run %t.only.so --repeat=0 --save-weights=%t.only.npz
// RUN: not keratin-run %s --function=step --weights=%t.only.npz 2>&1 | FileCheck %s --check-prefix=GRAPH
// RUN: keratin-run %t.so --function=step --repeat=0 --weights=%t.only.npz 2>&1 | FileCheck %s --check-prefix=OBJECT
// RUN: not keratin-compile %s --weights=%t.only.npz -o %t.never.so 2>&1 | FileCheck %s --check-prefix=GRAPH
// GRAPH: {{.*}}.only.npz: error: it has no 'n'
// OBJECT: keratin-run: warning: '{{.*}}.only.npz' has no 'n', which keeps its value

func.func @step(%w: tensor<2xf32> {keratin.kind = "variable", keratin.name = "w"},
                %n: tensor<i64> {keratin.kind = "variable", keratin.name = "n"})
    -> (tensor<2xf32> {keratin.kind = "output", keratin.name = "y"},
        tensor<2xf32> {keratin.kind = "update", keratin.variable = 0 : i64},
        tensor<i64> {keratin.kind = "update", keratin.variable = 1 : i64}) {
  %one = keratin.constant dense<1.0> : tensor<2xf32>
  %next = keratin.add %w, %one : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %w, %next, %n : tensor<2xf32>, tensor<2xf32>, tensor<i64>
}

func.func @only(%w: tensor<2xf32> {keratin.kind = "variable", keratin.name = "w"})
    -> (tensor<2xf32> {keratin.kind = "output", keratin.name = "y"}) {
  return %w : tensor<2xf32>
}
