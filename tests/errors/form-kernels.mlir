// RUN: keratin-opt %s --keratin-form-kernels --split-input-file --verify-diagnostics

// expected-error @below {{needs a body of one block}}
func.func private @no_body(tensor<f32>)

// -----

// expected-error @below {{needs a body of one block}}
func.func @two_blocks(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
^bb1:
  return %x : tensor<f32>
}

// -----

func.func @kernels_do_not_nest(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{a kernel stands in the graph already; kernels do not nest}}
  %y = keratin.kernel (%x) : (tensor<f32>) -> tensor<f32> {
  ^bb0(%a: tensor<f32>):
    %0 = keratin.tanh %a : (tensor<f32>) -> tensor<f32>
    keratin.yield %0 : tensor<f32>
  }
  return %y : tensor<f32>
}
