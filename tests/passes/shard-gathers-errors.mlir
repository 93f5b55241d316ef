// RUN: keratin-opt %s --keratin-shard --split-input-file --verify-diagnostics

// What each rank would return of it, nothing says.

func.func @f(%x: tensor<?xf32, #keratin.dims<d0>> {keratin.name = "x", keratin.sharded = 0 : i64}) -> tensor<?xf32, #keratin.dims<d0 + 1>> attributes {keratin.gathers_parts} {
  %y = keratin.pad %x low = #keratin.dims<0> interior = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0 + 1>>
  // expected-error @+1 {{not implemented: a result with a size that is no multiple of 'x_dim0', of which each rank has a part}}
  return %y : tensor<?xf32, #keratin.dims<d0 + 1>>
}

// -----

// Of an argument there is nobody who has the whole.

func.func @f(%x: tensor<?xf32, #keratin.dims<d0 + 1>> {keratin.name = "x", keratin.sharded = 0 : i64}) -> tensor<f32> attributes {keratin.gathers_parts} {
  // expected-error @+1 {{not implemented: reduce_sum with a size that is no multiple of}}
  %y = keratin.reduce_sum %x axes = [0] : (tensor<?xf32, #keratin.dims<d0 + 1>>) -> tensor<f32>
  return %y : tensor<f32>
}

// -----

// A caller makes room before the call.

func.func @f(%x: tensor<?xf32, #keratin.dims<d0>> {keratin.name = "x", keratin.sharded = 0 : i64}, %n: tensor<i64>) -> tensor<?xf32, #keratin.dims<d3>> attributes {keratin.gathers_parts} {
  %y = keratin.truncate %x, %n axis = 0 : (tensor<?xf32, #keratin.dims<d0>>, tensor<i64>) -> tensor<?xf32, #keratin.dims<d3>>
  // expected-error @+1 {{not implemented: a result with a computed size of at most 'x_dim0', of which each rank has a part}}
  return %y : tensor<?xf32, #keratin.dims<d3>>
}

// -----

// What one row is repeated for is the rank's own size.

// expected-error @below {{not implemented: the whole of parts, and a size that may be 1 in the place of 'x_dim0', of which each rank has a part}}
func.func @f(%x: tensor<?xf32, #keratin.dims<d0>> {keratin.name = "x", keratin.sharded = 0 : i64}) -> tensor<2xf32>
    attributes {keratin.gathers_parts, keratin.checks = [{kind = 1 : i64, lhs = #keratin.dims<d0>, rhs = #keratin.dims<2>, message = "add"}]} {
  %y = keratin.slice %x starts = <0> strides = [1] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
