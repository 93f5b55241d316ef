// Variables of many dtypes, for numpy_weights.py.
func.func @f(%x: tensor<f32> {keratin.name = "x"},
             %kernel: tensor<2x2xf32> {keratin.kind = "variable", keratin.name = "dense/kernel"},
             %half: tensor<2xf16> {keratin.kind = "variable", keratin.name = "half"},
             %brain: tensor<3xbf16> {keratin.kind = "variable", keratin.name = "brain"},
             %steps: tensor<i64> {keratin.kind = "variable", keratin.name = "steps"},
             %mask: tensor<3xi1> {keratin.kind = "variable", keratin.name = "mask"},
             %empty: tensor<0x3xui8> {keratin.kind = "variable", keratin.name = "empty"})
    -> (tensor<f32> {keratin.name = "y"}) {
  return %x : tensor<f32>
}
