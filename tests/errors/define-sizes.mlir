// RUN: keratin-opt %s --keratin-define-sizes --split-input-file --verify-diagnostics

func.func @twice(%n: tensor<i64>) {
  keratin.define_size 3 %n at_most <8> : tensor<i64>
  // expected-error @below {{d3 is defined twice}}
  keratin.define_size 3 %n at_most <8> : tensor<i64>
  return
}

// -----

func.func @of_an_argument(%x: tensor<?xf32, #keratin.dims<d3>>, %n: tensor<i64>) {
  // expected-error @below {{d3 is defined twice}}
  keratin.define_size 3 %n at_most <8> : tensor<i64>
  return
}

// -----

func.func @circle(%n: tensor<i64>) {
  // expected-error @below {{bounds of sizes depend on each other}}
  keratin.define_size 3 %n at_most <d3> : tensor<i64>
  return
}

// -----

// A factor that may be negative: no bound is known of it.
func.func @unbounded(%n: tensor<i64>) {
  keratin.define_size 3 %n at_most <8> : tensor<i64>
  // expected-error @below {{no bound is known of the size}}
  keratin.define_size 4 %n at_most <floordiv(d3 - 4, d3)> : tensor<i64>
  return
}

// -----

func.func @in_a_kernel(%x: tensor<f32>, %n: tensor<i64>) -> tensor<f32> {
  %0 = keratin.kernel(%x, %n) : (tensor<f32>, tensor<i64>) -> tensor<f32> {
  ^bb0(%a: tensor<f32>, %b: tensor<i64>):
    // expected-error @below {{must stand in the body of a function, a loop or a branch, of which its symbol is one}}
    keratin.define_size 3 %b at_most <8> : tensor<i64>
    keratin.yield %a : tensor<f32>
  }
  return %0 : tensor<f32>
}

// -----

// The size of a body has no value outside of it, even if some loop has given it one.
func.func @outside_of_its_loop(%x: tensor<8xf32>, %n: tensor<i64>) -> tensor<f32> {
  keratin.scan length = <2> init() over() with(%x, %n) : (tensor<8xf32>, tensor<i64>) -> () {
  ^bb0(%t: tensor<i64>, %a: tensor<8xf32>, %b: tensor<i64>):
    %0 = keratin.truncate %a, %b axis = 0 : (tensor<8xf32>, tensor<i64>) -> tensor<?xf32, #keratin.dims<d3>>
    keratin.yield
  }
  // expected-error @below {{d3 is a size that only a loop or branch elsewhere computes}}
  %1 = keratin.iota {axis = 0 : i64} : tensor<?xf32, #keratin.dims<d3>>
  %2 = keratin.reduce_sum %1 axes = [0] : (tensor<?xf32, #keratin.dims<d3>>) -> tensor<f32>
  return %2 : tensor<f32>
}
