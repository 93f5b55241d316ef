// RUN: keratin-opt %s --keratin-plan-memory --split-input-file --verify-diagnostics

func.func @value_too_large(%x: tensor<f64> {keratin.kind = "input"}) -> (tensor<f64> {keratin.kind = "output"}) {
  // expected-error @below {{the bytes of an intermediate value of type 'tensor<2000000000x2000000000xf64>' do not fit 64 bits}}
  %a = keratin.kernel (%x) : (tensor<f64>) -> tensor<2000000000x2000000000xf64> {
  ^bb0(%p: tensor<f64>):
    %0 = keratin.broadcast %p dims = [] : (tensor<f64>) -> tensor<2000000000x2000000000xf64>
    keratin.yield %0 : tensor<2000000000x2000000000xf64>
  }
  %b = keratin.kernel (%a) : (tensor<2000000000x2000000000xf64>) -> tensor<f64> {
  ^bb0(%p: tensor<2000000000x2000000000xf64>):
    %0 = keratin.reduce_sum %p axes = [0, 1] : (tensor<2000000000x2000000000xf64>) -> tensor<f64>
    keratin.yield %0 : tensor<f64>
  }
  return %b : tensor<f64>
}

// -----

// Each value fits, three of them do not.
// expected-error @below {{the memory that one call needs does not fit 64 bits}}
func.func @arena_too_large(%x: tensor<i8> {keratin.kind = "input"}) -> (tensor<i8> {keratin.kind = "output"}) {
  %a, %b, %c = keratin.kernel (%x) : (tensor<i8>) -> (tensor<2000000000x2000000000xi8>, tensor<2000000000x2000000000xi8>, tensor<2000000000x2000000000xi8>) {
  ^bb0(%p: tensor<i8>):
    %0 = keratin.broadcast %p dims = [] : (tensor<i8>) -> tensor<2000000000x2000000000xi8>
    keratin.yield %0, %0, %0 : tensor<2000000000x2000000000xi8>, tensor<2000000000x2000000000xi8>, tensor<2000000000x2000000000xi8>
  }
  %y = keratin.kernel (%a, %b, %c) : (tensor<2000000000x2000000000xi8>, tensor<2000000000x2000000000xi8>, tensor<2000000000x2000000000xi8>) -> tensor<i8> {
  ^bb0(%p: tensor<2000000000x2000000000xi8>, %q: tensor<2000000000x2000000000xi8>, %r: tensor<2000000000x2000000000xi8>):
    %0 = keratin.reduce_sum %p axes = [0, 1] : (tensor<2000000000x2000000000xi8>) -> tensor<i8>
    keratin.yield %0 : tensor<i8>
  }
  return %y : tensor<i8>
}
