// RUN: keratin-opt %s --keratin-plan-memory --split-input-file --verify-diagnostics

// What is computed during the call is known to nobody before: text may say otherwise.

func.func @needed_before(%x: tensor<8xi64>) -> (tensor<i64>, tensor<?xi64, #keratin.dims<d3>>) {
  // expected-error @below {{d3 has no value before the kernel that needs it}}
  %i = keratin.kernel () : () -> tensor<?xi64, #keratin.dims<d3>> {
    %0 = keratin.iota {axis = 0 : i64} : tensor<?xi64, #keratin.dims<d3>>
    keratin.yield %0 : tensor<?xi64, #keratin.dims<d3>>
  }
  %n = keratin.kernel (%x) : (tensor<8xi64>) -> tensor<i64> {
  ^bb0(%a: tensor<8xi64>):
    %0 = keratin.reduce_sum %a axes = [0] : (tensor<8xi64>) -> tensor<i64>
    keratin.yield %0 : tensor<i64>
  }
  keratin.define_size 3 %n at_most <8> : tensor<i64>
  return %n, %i : tensor<i64>, tensor<?xi64, #keratin.dims<d3>>
}

// -----

func.func @defined_late(%x: tensor<8xi64>) -> (tensor<i64>, tensor<i64>) {
  %n = keratin.kernel (%x) : (tensor<8xi64>) -> tensor<i64> {
  ^bb0(%a: tensor<8xi64>):
    %0 = keratin.reduce_sum %a axes = [0] : (tensor<8xi64>) -> tensor<i64>
    keratin.yield %0 : tensor<i64>
  }
  %m = keratin.kernel (%x) : (tensor<8xi64>) -> tensor<i64> {
  ^bb0(%a: tensor<8xi64>):
    %0 = keratin.reduce_max %a axes = [0] : (tensor<8xi64>) -> tensor<i64>
    keratin.yield %0 : tensor<i64>
  }
  // expected-error @below {{a size must be defined right behind the kernel that computes it, and one that no kernel computes before the first}}
  keratin.define_size 3 %n at_most <8> : tensor<i64>
  return %n, %m : tensor<i64>, tensor<i64>
}

// -----

// One factor may be negative.
func.func @unbounded(%x: tensor<?xf32, #keratin.dims<d0>>, %n: tensor<i64>) -> tensor<i64> {
  keratin.define_size 3 %n at_most <8> : tensor<i64>
  // expected-error @below {{no bound is known of the bytes of an intermediate value of type}}
  %i = keratin.kernel () : () -> tensor<?x?xi64, #keratin.dims<floordiv(d3 - 1*d0, 3), d3>> {
    %0 = keratin.iota {axis = 0 : i64} : tensor<?x?xi64, #keratin.dims<floordiv(d3 - 1*d0, 3), d3>>
    keratin.yield %0 : tensor<?x?xi64, #keratin.dims<floordiv(d3 - 1*d0, 3), d3>>
  }
  %s = keratin.kernel (%i) : (tensor<?x?xi64, #keratin.dims<floordiv(d3 - 1*d0, 3), d3>>) -> tensor<i64> {
  ^bb0(%a: tensor<?x?xi64, #keratin.dims<floordiv(d3 - 1*d0, 3), d3>>):
    %0 = keratin.reduce_sum %a axes = [0, 1] : (tensor<?x?xi64, #keratin.dims<floordiv(d3 - 1*d0, 3), d3>>) -> tensor<i64>
    keratin.yield %0 : tensor<i64>
  }
  return %s : tensor<i64>
}
