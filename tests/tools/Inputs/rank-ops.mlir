// Messages of a function that is not sharded.
func.func @f(%x: tensor<2xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<2xf32> {keratin.kind = "output", keratin.name = "sum"}, tensor<2xf32> {keratin.kind = "output", keratin.name = "second"}) {
  %y = keratin.all_reduce sum %x : tensor<2xf32>
  %z = keratin.permute %x pairs = [1, 0] : tensor<2xf32>
  return %y, %z : tensor<2xf32>, tensor<2xf32>
}
