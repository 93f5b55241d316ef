// What the CPU and a CUDA device compute with the same bits: random bits, the mask of a dropout, functions element by element.
func.func @equal_bits(%x: tensor<4096xf32> {keratin.kind = "input", keratin.name = "x"},
                      %draw: tensor<i64> {keratin.kind = "variable", keratin.name = "draw"})
    -> (tensor<4096xui32> {keratin.kind = "output", keratin.name = "bits"},
        tensor<4096xi1> {keratin.kind = "output", keratin.name = "mask"},
        tensor<4096xf32> {keratin.kind = "output", keratin.name = "elements"},
        tensor<i64> {keratin.kind = "update", keratin.variable = 0 : i64}) {
  %bits = keratin.random_bits %draw {seed = 11 : i64} : (tensor<i64>) -> tensor<4096xui32>
  %fifth = keratin.constant dense<858993459> : tensor<ui32>
  %fifths = keratin.broadcast %fifth dims = [] : (tensor<ui32>) -> tensor<4096xui32>
  %mask = keratin.compare ge %bits, %fifths : (tensor<4096xui32>, tensor<4096xui32>) -> tensor<4096xi1>
  %e = keratin.exp %x : (tensor<4096xf32>) -> tensor<4096xf32>
  %t = keratin.tanh %x : (tensor<4096xf32>) -> tensor<4096xf32>
  %l = keratin.log %e : (tensor<4096xf32>) -> tensor<4096xf32>
  %s = keratin.sin %l : (tensor<4096xf32>) -> tensor<4096xf32>
  %p = keratin.mul %s, %t : (tensor<4096xf32>, tensor<4096xf32>) -> tensor<4096xf32>
  %q = keratin.div %p, %e : (tensor<4096xf32>, tensor<4096xf32>) -> tensor<4096xf32>
  %zero = keratin.constant dense<0.0> : tensor<f32>
  %zeros = keratin.broadcast %zero dims = [] : (tensor<f32>) -> tensor<4096xf32>
  %kept = keratin.select %mask, %q, %zeros : (tensor<4096xi1>, tensor<4096xf32>, tensor<4096xf32>) -> tensor<4096xf32>
  %one = keratin.constant dense<1> : tensor<i64>
  %next = keratin.add %draw, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
  return %bits, %mask, %kept, %next : tensor<4096xui32>, tensor<4096xi1>, tensor<4096xf32>, tensor<i64>
}
