// RUN: keratin-opt %s --keratin-shard --split-input-file --verify-diagnostics

func.func @f(%x: tensor<?xf32, #keratin.dims<d0>> {keratin.name = "x", keratin.sharded = 0 : i64}) -> tensor<?xf32, #keratin.dims<d0>> {
  // expected-error @+1 {{not implemented: cumsum along 'x_dim0', of which each rank has a part; needed gather_parts, with which each rank gets all parts}}
  %y = keratin.cumsum %x {axis = 0 : i64} : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  return %y : tensor<?xf32, #keratin.dims<d0>>
}

// -----

func.func @f(%x: tensor<4x?xf32, #keratin.dims<4, d0>> {keratin.name = "x", keratin.sharded = 1 : i64}) -> tensor<4x?xi64, #keratin.dims<4, d0>> {
  // expected-error @+1 {{not implemented: top_k along 'x_dim1', of which each rank has a part; needed gather_parts}}
  %y = keratin.top_k %x : (tensor<4x?xf32, #keratin.dims<4, d0>>) -> tensor<4x?xi64, #keratin.dims<4, d0>>
  return %y : tensor<4x?xi64, #keratin.dims<4, d0>>
}

// -----

// What whoever wrote the function has ranks do together is of what all of them have, and not of parts.

func.func @f(%x: tensor<?xf32, #keratin.dims<d0>> {keratin.name = "x", keratin.sharded = 0 : i64}) -> tensor<?xf32, #keratin.dims<d0>> {
  // expected-error @+1 {{all_reduce of 'x_dim0', of which each rank has a part; needed what is the same on all}}
  %y = keratin.all_reduce sum %x : tensor<?xf32, #keratin.dims<d0>>
  return %y : tensor<?xf32, #keratin.dims<d0>>
}

// -----

func.func @f(%x: tensor<?xf32, #keratin.dims<d0>> {keratin.name = "x", keratin.sharded = 0 : i64}, %w: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{all_reduce gives each rank another value, and a function sharded along 'x_dim0' is the same on all; needed one that is not sharded}}
  %y = keratin.all_reduce before %w : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @f(%x: tensor<?xf32, #keratin.dims<d0>> {keratin.name = "x", keratin.sharded = 0 : i64, keratin.mesh_axis = "data"}) -> tensor<i64> {
  // expected-error @+1 {{rank_index gives each rank another value, and a function sharded along 'x_dim0' is the same on all; needed one that is not sharded}}
  %y = keratin.rank along "data" : tensor<i64>
  return %y : tensor<i64>
}

// -----

func.func @f(%x: tensor<?xf32, #keratin.dims<d0>> {keratin.name = "x", keratin.sharded = 0 : i64}) -> tensor<f32>
    attributes {keratin.sizes = ["batch"]} {
  // expected-error @+1 {{not implemented: reduce_prod over 'batch', of which each rank has a part}}
  %y = keratin.reduce_prod %x axes = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<f32>
  return %y : tensor<f32>
}

// -----

func.func @f(%x: tensor<?x2xf32, #keratin.dims<d0, 2>> {keratin.name = "x", keratin.sharded = 0 : i64}) -> tensor<?x?xf32, #keratin.dims<d0, d0>> {
  // expected-error @+1 {{not implemented: dot_general with a size that is no multiple of 'x_dim0', of which each rank has a part}}
  %y = keratin.dot_general %x, %x batch = [] x [] contract = [1] x [1]
      : (tensor<?x2xf32, #keratin.dims<d0, 2>>, tensor<?x2xf32, #keratin.dims<d0, 2>>) -> tensor<?x?xf32, #keratin.dims<d0, d0>>
  return %y : tensor<?x?xf32, #keratin.dims<d0, d0>>
}

// -----

func.func @f(%x: tensor<?xf32, #keratin.dims<d0>> {keratin.name = "x", keratin.sharded = 0 : i64}) -> tensor<i64> {
  %y = keratin.pad %x low = #keratin.dims<0> interior = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  // expected-error @+1 {{not implemented: pad with a size that is no multiple of 'x_dim0', of which each rank has a part}}
  %z = keratin.pad %y low = #keratin.dims<0> interior = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0 + 1>>
  %n = keratin.dim %z {axis = 0 : i64} : (tensor<?xf32, #keratin.dims<d0 + 1>>) -> tensor<i64>
  return %n : tensor<i64>
}

// -----

func.func @f(%x: tensor<?xf32, #keratin.dims<d0>> {keratin.name = "x", keratin.sharded = 0 : i64}, %draw: tensor<i64>) -> tensor<3x?xui32, #keratin.dims<3, d0>> {
  // expected-error @+1 {{not implemented: random_bits along 'x_dim0', of which each rank has a part}}
  %y = keratin.random_bits %draw {seed = 1 : i64} : (tensor<i64>) -> tensor<3x?xui32, #keratin.dims<3, d0>>
  return %y : tensor<3x?xui32, #keratin.dims<3, d0>>
}

// -----

func.func @f(%x: tensor<?x8x1xf32, #keratin.dims<d0, 8, 1>> {keratin.name = "x", keratin.sharded = 0 : i64}, %w: tensor<3x1x1xf32>)
    -> tensor<?x8x1xf32, #keratin.dims<d0, 8, 1>> {
  // expected-error @+1 {{not implemented: windows along 'x_dim0', of which each rank has a part}}
  %y = keratin.convolution %x, %w dims = "0bc,0cf->0bf" strides = [1] low = #keratin.dims<1> x_dilation = [1] dilation = [1] reversed = [false]
      : (tensor<?x8x1xf32, #keratin.dims<d0, 8, 1>>, tensor<3x1x1xf32>) -> tensor<?x8x1xf32, #keratin.dims<d0, 8, 1>>
  return %y : tensor<?x8x1xf32, #keratin.dims<d0, 8, 1>>
}

// -----

func.func @f(%x: tensor<?xf32, #keratin.dims<d0>> {keratin.name = "x", keratin.sharded = 0 : i64}) -> tensor<f32> {
  %zero = keratin.constant dense<0.0> : tensor<f32>
  // expected-error @+1 {{not implemented: a loop along 'x_dim0', of which each rank has a part}}
  %y = keratin.scan length = #keratin.dims<d0> init(%zero) over(%x) with() : (tensor<f32>, tensor<?xf32, #keratin.dims<d0>>) -> tensor<f32> {
  ^bb0(%t: tensor<i64>, %sum: tensor<f32>, %e: tensor<f32>):
    %next = keratin.add %sum, %e : (tensor<f32>, tensor<f32>) -> tensor<f32>
    keratin.yield %next : tensor<f32>
  }
  return %y : tensor<f32>
}

// -----

func.func @f(%t: tensor<?x2xf32, #keratin.dims<d0, 2>> {keratin.name = "t", keratin.sharded = 0 : i64}, %ids: tensor<3xi32>) -> tensor<3x2xf32> {
  // expected-error @+1 {{not implemented: gather along 't_dim0', of which each rank has a part}}
  %y = keratin.gather %t, %ids : (tensor<?x2xf32, #keratin.dims<d0, 2>>, tensor<3xi32>) -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

// -----

// expected-error @+1 {{argument 0: keratin.sharded must be one of its dimensions}}
func.func @f(%x: tensor<?xf32, #keratin.dims<d0>> {keratin.sharded = 1 : i64}) -> tensor<?xf32, #keratin.dims<d0>> {
  return %x : tensor<?xf32, #keratin.dims<d0>>
}

// -----

// expected-error @+1 {{result 0: keratin.part must be one of its dimensions}}
func.func @f(%x: tensor<?xf32, #keratin.dims<d0>> {keratin.part = 0 : i64}) -> (tensor<?xf32, #keratin.dims<d0>> {keratin.part = 1 : i64}) {
  return %x : tensor<?xf32, #keratin.dims<d0>>
}

// -----

func.func @f(%x: tensor<16x?xf32, #keratin.dims<16, d0>> {keratin.name = "x", keratin.sharded = 1 : i64}) -> tensor<?xf32, #keratin.dims<16*d0>> {
  // expected-error @+1 {{not implemented: other dimensions merged in front of 'x_dim1', of which each rank has a part}}
  %y = keratin.reshape %x : (tensor<16x?xf32, #keratin.dims<16, d0>>) -> tensor<?xf32, #keratin.dims<16*d0>>
  return %y : tensor<?xf32, #keratin.dims<16*d0>>
}

// -----

func.func @f(%x: tensor<16x?xf32, #keratin.dims<16, d0>> {keratin.name = "x", keratin.sharded = 1 : i64}, %z: tensor<?x16xf32, #keratin.dims<d0, 16>> {keratin.sharded = 0 : i64}) -> tensor<f32> {
  %y = keratin.reshape %x : (tensor<16x?xf32, #keratin.dims<16, d0>>) -> tensor<?xf32, #keratin.dims<16*d0>>
  %w = keratin.reshape %z : (tensor<?x16xf32, #keratin.dims<d0, 16>>) -> tensor<?xf32, #keratin.dims<16*d0>>
  // expected-error @+1 {{not implemented: mul of elements in different orders of 'x_dim1', of which each rank has a part}}
  %p = keratin.mul %y, %w : (tensor<?xf32, #keratin.dims<16*d0>>, tensor<?xf32, #keratin.dims<16*d0>>) -> tensor<?xf32, #keratin.dims<16*d0>>
  %s = keratin.reduce_sum %p axes = [0] : (tensor<?xf32, #keratin.dims<16*d0>>) -> tensor<f32>
  return %s : tensor<f32>
}

// -----

func.func @f(%x: tensor<?x16xf32, #keratin.dims<d0, 16>> {keratin.name = "x", keratin.sharded = 0 : i64}) -> tensor<16x?xf32, #keratin.dims<16, d0>> {
  // expected-error @+1 {{not implemented: reshape along 'x_dim0', of which each rank has a part}}
  %y = keratin.reshape %x : (tensor<?x16xf32, #keratin.dims<d0, 16>>) -> tensor<16x?xf32, #keratin.dims<16, d0>>
  return %y : tensor<16x?xf32, #keratin.dims<16, d0>>
}

// -----

func.func @f(%x: tensor<?x2xf32, #keratin.dims<d0, 2>> {keratin.name = "x", keratin.sharded = 0 : i64}) -> tensor<?x2xf32, #keratin.dims<d0 + 2, 2>> {
  // expected-error @+1 {{not implemented: window_sum with a size that is no multiple of 'x_dim0', of which each rank has a part}}
  %y = keratin.window_sum %x window = [1, 1] strides = [1, 1] low = <0, 0> x_dilation = [1, 1]
      : (tensor<?x2xf32, #keratin.dims<d0, 2>>) -> tensor<?x2xf32, #keratin.dims<d0 + 2, 2>>
  return %y : tensor<?x2xf32, #keratin.dims<d0 + 2, 2>>
}

// -----

// expected-error @+1 {{argument 0: keratin.in_parts must be the symbols of a rank and of how many there are}}
func.func @f(%m: tensor<4xf32> {keratin.kind = "variable", keratin.in_parts = #keratin.dims<d0, 4>}) -> tensor<4xf32> {
  return %m : tensor<4xf32>
}

// -----

// expected-error @+1 {{argument 0: keratin.own_part must be the symbols of the begin and the size of a part, or 3*d1 and 3 of equal parts, of a variable with a known size that is sharded}}
func.func @f(%w: tensor<4xf32> {keratin.kind = "variable", keratin.own_part = #keratin.dims<d1, d2>}) -> tensor<4xf32> {
  return %w : tensor<4xf32>
}

// -----

// expected-error @+1 {{argument 0: keratin.own_part must be the symbols of the begin and the size of a part, or 3*d1 and 3 of equal parts}}
func.func @f(%w: tensor<4xf32> {keratin.kind = "variable", keratin.sharded = 0 : i64, keratin.own_part = #keratin.dims<3*d1, 3>}) -> tensor<4xf32> {
  return %w : tensor<4xf32>
}

// -----

// A head of 2 is in no part of 3.
func.func @f(%w: tensor<6xf32> {keratin.kind = "variable", keratin.name = "w", keratin.sharded = 0 : i64, keratin.own_part = #keratin.dims<3*d1, 3>},
    %rank: tensor<i64> {keratin.kind = "variable", keratin.symbol = 1 : i64}) -> tensor<3x2xf32> {
  %n = keratin.neg %w : (tensor<6xf32>) -> tensor<6xf32>
  // expected-error @+1 {{not implemented: reshape of what has a part of variable 'w'}}
  %z = keratin.reshape %n : (tensor<6xf32>) -> tensor<3x2xf32>
  return %z : tensor<3x2xf32>
}

// -----

func.func @f(%w: tensor<4xf32> {keratin.kind = "variable", keratin.name = "w", keratin.sharded = 0 : i64, keratin.own_part = #keratin.dims<d1, d2>},
    %begin: tensor<i64> {keratin.kind = "variable", keratin.symbol = 1 : i64}, %size: tensor<i64> {keratin.kind = "variable", keratin.symbol = 2 : i64}) -> tensor<2x2xf32> {
  // expected-error @+1 {{not implemented: pad of what has a part of variable 'w'}}
  %p = keratin.pad %w low = #keratin.dims<1> interior = [0] : (tensor<4xf32>) -> tensor<6xf32>
  %y = keratin.slice %p starts = <0> strides = [1] : (tensor<6xf32>) -> tensor<4xf32>
  %z = keratin.reshape %y : (tensor<4xf32>) -> tensor<2x2xf32>
  return %z : tensor<2x2xf32>
}

// -----

func.func @f(%w: tensor<4xf32> {keratin.kind = "variable", keratin.name = "w", keratin.sharded = 0 : i64, keratin.own_part = #keratin.dims<d1, d2>},
    %b: tensor<4xf32> {keratin.kind = "variable", keratin.name = "b"},
    %begin: tensor<i64> {keratin.kind = "variable", keratin.symbol = 1 : i64}, %size: tensor<i64> {keratin.kind = "variable", keratin.symbol = 2 : i64})
    -> (tensor<4xf32> {keratin.kind = "update", keratin.variable = 1 : i64}) {
  // expected-error @+1 {{not implemented: a part for the new value of variable 'b', which is whole on each rank}}
  %n = keratin.add %w, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %n : tensor<4xf32>
}

// -----

// expected-error @+1 {{result 0: keratin.further_parts must be dimensions, each with the name of an axis}}
func.func @f(%x: tensor<4xf32>) -> (tensor<4xf32> {keratin.further_parts = [0, 1]}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{result 0: keratin.further_parts must be one of its dimensions}}
func.func @f(%x: tensor<4xf32>) -> (tensor<4xf32> {keratin.further_parts = [1, "model"]}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{argument 0: keratin.mesh_axis must be the name of an axis of a mesh}}
func.func @f(%x: tensor<?xf32, #keratin.dims<d0>> {keratin.sharded = 0 : i64, keratin.mesh_axis = ""}) -> tensor<?xf32, #keratin.dims<d0>> {
  return %x : tensor<?xf32, #keratin.dims<d0>>
}

// -----

func.func @f(%x: tensor<?xf32, #keratin.dims<d0>> {keratin.sharded = 0 : i64, keratin.mesh_axis = "data"}) -> tensor<?xf32, #keratin.dims<2*d0>> {
  // expected-error @+1 {{not implemented: all_gather along 'input_0_dim0', of which each rank has a part; needed gather_parts, with which each rank gets all parts}}
  %y = keratin.all_gather %x along "model" : tensor<?xf32, #keratin.dims<d0>> -> tensor<?xf32, #keratin.dims<2*d0>>
  return %y : tensor<?xf32, #keratin.dims<2*d0>>
}
