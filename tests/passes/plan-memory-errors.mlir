// RUN: keratin-opt %s --keratin-schedule --split-input-file --verify-diagnostics
// RUN: keratin-opt %s --keratin-plan-memory --split-input-file --verify-diagnostics

func.func @op_outside_of_kernels(%x: tensor<4xf32> {keratin.kind = "input"}) -> (tensor<4xf32> {keratin.kind = "output"}) {
  // expected-error @below {{stands outside of a kernel; fusion must come before planning}}
  %0 = keratin.tanh %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @below {{result 0 has type 'tensor<5xf32>' and updates a variable of type 'tensor<4xf32>'}}
func.func @update_of_another_type(%x: tensor<5xf32> {keratin.kind = "input"}, %v: tensor<4xf32> {keratin.kind = "variable"})
    -> (tensor<5xf32> {keratin.kind = "update", keratin.variable = 0}) {
  return %x : tensor<5xf32>
}
