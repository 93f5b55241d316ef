func.func @changed(%x: tensor<2x2xf32> {keratin.name = "x"}) -> tensor<2x2xf32> {
  %0 = keratin.sub %x, %x : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
