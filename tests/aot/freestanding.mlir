// What small machines compute: a convolutional net and a step of its training, a loop, sums, a search in a table, and
// random numbers whose state is a variable.

func.func @classify(%x: tensor<?x8x8x2xf32, #keratin.dims<d0, 8, 8, 2>> {keratin.kind = "input", keratin.name = "x"},
                    %w: tensor<3x3x2x4xf32> {keratin.kind = "variable", keratin.name = "filter", keratin.initial = dense<0.125> : tensor<3x3x2x4xf32>},
                    %v: tensor<64x5xf32> {keratin.kind = "variable", keratin.name = "weights", keratin.initial = dense<0.0625> : tensor<64x5xf32>})
    -> (tensor<?x5xf32, #keratin.dims<d0, 5>> {keratin.kind = "output", keratin.name = "y"}) {
  %c = keratin.convolution %x, %w dims = "b01c,01cf->b01f" strides = [1, 1] low = <1, 1> x_dilation = [1, 1] dilation = [1, 1] reversed = [false, false]
      : (tensor<?x8x8x2xf32, #keratin.dims<d0, 8, 8, 2>>, tensor<3x3x2x4xf32>) -> tensor<?x8x8x4xf32, #keratin.dims<d0, 8, 8, 4>>
  %t = keratin.tanh %c : (tensor<?x8x8x4xf32, #keratin.dims<d0, 8, 8, 4>>) -> tensor<?x8x8x4xf32, #keratin.dims<d0, 8, 8, 4>>
  %p = keratin.window_max %t window = [1, 2, 2, 1] strides = [1, 2, 2, 1] low = <0, 0, 0, 0>
      : (tensor<?x8x8x4xf32, #keratin.dims<d0, 8, 8, 4>>) -> tensor<?x4x4x4xf32, #keratin.dims<d0, 4, 4, 4>>
  %f = keratin.reshape %p : (tensor<?x4x4x4xf32, #keratin.dims<d0, 4, 4, 4>>) -> tensor<?x64xf32, #keratin.dims<d0, 64>>
  %l = keratin.dot_general %f, %v batch = [] x [] contract = [1] x [0] : (tensor<?x64xf32, #keratin.dims<d0, 64>>, tensor<64x5xf32>) -> tensor<?x5xf32, #keratin.dims<d0, 5>>
  %m = keratin.reduce_max %l axes = [1] : (tensor<?x5xf32, #keratin.dims<d0, 5>>) -> tensor<?xf32, #keratin.dims<d0>>
  %mb = keratin.broadcast %m dims = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?x5xf32, #keratin.dims<d0, 5>>
  %d = keratin.sub %l, %mb : (tensor<?x5xf32, #keratin.dims<d0, 5>>, tensor<?x5xf32, #keratin.dims<d0, 5>>) -> tensor<?x5xf32, #keratin.dims<d0, 5>>
  %e = keratin.exp %d : (tensor<?x5xf32, #keratin.dims<d0, 5>>) -> tensor<?x5xf32, #keratin.dims<d0, 5>>
  %s = keratin.reduce_sum %e axes = [1] : (tensor<?x5xf32, #keratin.dims<d0, 5>>) -> tensor<?xf32, #keratin.dims<d0>>
  %sb = keratin.broadcast %s dims = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?x5xf32, #keratin.dims<d0, 5>>
  %y = keratin.div %e, %sb : (tensor<?x5xf32, #keratin.dims<d0, 5>>, tensor<?x5xf32, #keratin.dims<d0, 5>>) -> tensor<?x5xf32, #keratin.dims<d0, 5>>
  return %y : tensor<?x5xf32, #keratin.dims<d0, 5>>
}

func.func @learn(%x: tensor<?x8x8x2xf32, #keratin.dims<d0, 8, 8, 2>> {keratin.kind = "input", keratin.name = "x"},
                 %w: tensor<3x3x2x4xf32> {keratin.kind = "variable", keratin.name = "filter"})
    -> (tensor<f32> {keratin.kind = "output", keratin.name = "loss"},
        tensor<3x3x2x4xf32> {keratin.kind = "update", keratin.variable = 0 : i64}) {
  %c = keratin.convolution %x, %w dims = "b01c,01cf->b01f" strides = [1, 1] low = <1, 1> x_dilation = [1, 1] dilation = [1, 1] reversed = [false, false]
      : (tensor<?x8x8x2xf32, #keratin.dims<d0, 8, 8, 2>>, tensor<3x3x2x4xf32>) -> tensor<?x8x8x4xf32, #keratin.dims<d0, 8, 8, 4>>
  %t = keratin.tanh %c : (tensor<?x8x8x4xf32, #keratin.dims<d0, 8, 8, 4>>) -> tensor<?x8x8x4xf32, #keratin.dims<d0, 8, 8, 4>>
  %p = keratin.window_max %t window = [1, 2, 2, 1] strides = [1, 2, 2, 1] low = <0, 0, 0, 0>
      : (tensor<?x8x8x4xf32, #keratin.dims<d0, 8, 8, 4>>) -> tensor<?x4x4x4xf32, #keratin.dims<d0, 4, 4, 4>>
  %loss = keratin.reduce_sum %p axes = [0, 1, 2, 3] : (tensor<?x4x4x4xf32, #keratin.dims<d0, 4, 4, 4>>) -> tensor<f32>
  %dw = keratin.gradients %loss wrt %w : (tensor<f32>, tensor<3x3x2x4xf32>) -> tensor<3x3x2x4xf32>
  %rate = keratin.constant dense<0.0009765625> : tensor<3x3x2x4xf32>
  %step = keratin.mul %dw, %rate : (tensor<3x3x2x4xf32>, tensor<3x3x2x4xf32>) -> tensor<3x3x2x4xf32>
  %new = keratin.sub %w, %step : (tensor<3x3x2x4xf32>, tensor<3x3x2x4xf32>) -> tensor<3x3x2x4xf32>
  return %loss, %new : tensor<f32>, tensor<3x3x2x4xf32>
}

// A recurrent cell over a sequence, and the gradient of its last state.
func.func @recur(%x: tensor<12x4xf32> {keratin.kind = "input", keratin.name = "x"},
                 %h: tensor<4xf32> {keratin.kind = "input", keratin.name = "h"},
                 %u: tensor<4x4xf32> {keratin.kind = "input", keratin.name = "u"})
    -> (tensor<4xf32> {keratin.kind = "output", keratin.name = "last"},
        tensor<12x4xf32> {keratin.kind = "output", keratin.name = "states"},
        tensor<4x4xf32> {keratin.kind = "output", keratin.name = "du"}) {
  %y:2 = keratin.scan length = <12> init(%h) over(%x) with(%u)
      : (tensor<4xf32>, tensor<12x4xf32>, tensor<4x4xf32>) -> (tensor<4xf32>, tensor<12x4xf32>) {
  ^bb0(%t: tensor<i64>, %s: tensor<4xf32>, %e: tensor<4xf32>, %c: tensor<4x4xf32>):
    %p = keratin.dot_general %s, %c batch = [] x [] contract = [0] x [0] : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4xf32>
    %a = keratin.add %p, %e : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %n = keratin.logistic %a : (tensor<4xf32>) -> tensor<4xf32>
    keratin.yield %n, %n : tensor<4xf32>, tensor<4xf32>
  }
  %sum = keratin.reduce_sum %y#0 axes = [0] : (tensor<4xf32>) -> tensor<f32>
  %du = keratin.gradients %sum wrt %u : (tensor<f32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y#0, %y#1, %du : tensor<4xf32>, tensor<12x4xf32>, tensor<4x4xf32>
}

// Sums in both directions, products, the largest place, running sums; doubles and integers.
func.func @sums(%x: tensor<7x33xf64> {keratin.kind = "input", keratin.name = "x"},
                %i: tensor<7x33xi32> {keratin.kind = "input", keratin.name = "i"})
    -> (tensor<7xf64> {keratin.kind = "output", keratin.name = "rows"},
        tensor<33xf64> {keratin.kind = "output", keratin.name = "columns"},
        tensor<i32> {keratin.kind = "output", keratin.name = "product"},
        tensor<7x33xf64> {keratin.kind = "output", keratin.name = "roots"}) {
  %r = keratin.reduce_sum %x axes = [1] : (tensor<7x33xf64>) -> tensor<7xf64>
  %c = keratin.reduce_sum %x axes = [0] : (tensor<7x33xf64>) -> tensor<33xf64>
  %p = keratin.reduce_prod %i axes = [0, 1] : (tensor<7x33xi32>) -> tensor<i32>
  %a = keratin.abs %x : (tensor<7x33xf64>) -> tensor<7x33xf64>
  %q = keratin.sqrt %a : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %r, %c, %p, %q : tensor<7xf64>, tensor<33xf64>, tensor<i32>, tensor<7x33xf64>
}

func.func @rows(%i: tensor<3xi32> {keratin.kind = "input", keratin.name = "i"},
                %t: tensor<3x2xf64> {keratin.kind = "variable", keratin.name = "table",
                                     keratin.initial = dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf64>})
    -> (tensor<3x2xf64> {keratin.kind = "output", keratin.name = "rows"}) {
  %0 = keratin.gather %t, %i : (tensor<3x2xf64>, tensor<3xi32>) -> tensor<3x2xf64>
  return %0 : tensor<3x2xf64>
}

// Steps until a number is small, at most 100 of them.
func.func @halve(%x: tensor<f32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<f32> {keratin.kind = "output", keratin.name = "y"},
        tensor<i64> {keratin.kind = "output", keratin.name = "steps"}) {
  %one = keratin.constant dense<1.0> : tensor<f32>
  %first = keratin.compare gt %x, %one : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %last:3 = keratin.while at_most = <100> init(%first, %x) with(%one) : (tensor<i1>, tensor<f32>, tensor<f32>) -> (tensor<i1>, tensor<f32>, tensor<i64>) {
  ^bb0(%t: tensor<i64>, %flag: tensor<i1>, %s: tensor<f32>, %limit: tensor<f32>):
    %half = keratin.constant dense<0.5> : tensor<f32>
    %n = keratin.mul %s, %half : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %more = keratin.compare gt %n, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
    keratin.yield %more, %n : tensor<i1>, tensor<f32>
  }
  return %last#1, %last#2 : tensor<f32>, tensor<i64>
}
