// One function for each op that can be saved: keratin-golden makes the golden files of a new op
// from it. Files that are there are never made again: they are what older versions wrote.

func.func @neg(%a: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.neg %a : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @abs(%a: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.abs %a : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @sign(%a: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.sign %a : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @round(%a: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.round %a : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @floor(%a: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.floor %a : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @ceil(%a: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.ceil %a : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @exp(%a: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.exp %a : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @expm1(%a: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.expm1 %a : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @log(%a: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.log %a : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @log1p(%a: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.log1p %a : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @sqrt(%a: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.sqrt %a : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @rsqrt(%a: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.rsqrt %a : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @sin(%a: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.sin %a : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @cos(%a: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.cos %a : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @tanh(%a: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.tanh %a : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @logistic(%a: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.logistic %a : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @softplus(%a: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.softplus %a : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @stop_gradient(%a: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.stop_gradient %a : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @identity(%a: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.identity %a : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @is_finite(%a: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a"})
    -> (tensor<?x3xi1, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.is_finite %a : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xi1, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xi1, #keratin.dims<d0, 3>>
}
func.func @not(%a: tensor<5xi16> {keratin.kind = "input", keratin.name = "a"})
    -> (tensor<5xi16> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.not %a : (tensor<5xi16>) -> tensor<5xi16>
  return %y : tensor<5xi16>
}
func.func @add(%a: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a"}, %b: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "b"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.add %a, %b : (tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @sub(%a: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a"}, %b: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "b"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.sub %a, %b : (tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @mul(%a: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a"}, %b: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "b"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.mul %a, %b : (tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @div(%a: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a"}, %b: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "b"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.div %a, %b : (tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @mod(%a: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a"}, %b: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "b"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.mod %a, %b : (tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @pow(%a: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a"}, %b: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "b"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.pow %a, %b : (tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @maximum(%a: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a"}, %b: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "b"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.maximum %a, %b : (tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @minimum(%a: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a"}, %b: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "b"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.minimum %a, %b : (tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @floor_div(%a: tensor<5xi32> {keratin.kind = "input", keratin.name = "a"}, %b: tensor<5xi32> {keratin.kind = "input", keratin.name = "b"})
    -> (tensor<5xi32> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.floor_div %a, %b : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi32>
  return %y : tensor<5xi32>
}
func.func @and(%a: tensor<5xi8> {keratin.kind = "input", keratin.name = "a"}, %b: tensor<5xi8> {keratin.kind = "input", keratin.name = "b"})
    -> (tensor<5xi8> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.and %a, %b : (tensor<5xi8>, tensor<5xi8>) -> tensor<5xi8>
  return %y : tensor<5xi8>
}
func.func @or(%a: tensor<5xi8> {keratin.kind = "input", keratin.name = "a"}, %b: tensor<5xi8> {keratin.kind = "input", keratin.name = "b"})
    -> (tensor<5xi8> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.or %a, %b : (tensor<5xi8>, tensor<5xi8>) -> tensor<5xi8>
  return %y : tensor<5xi8>
}
func.func @xor(%a: tensor<5xi8> {keratin.kind = "input", keratin.name = "a"}, %b: tensor<5xi8> {keratin.kind = "input", keratin.name = "b"})
    -> (tensor<5xi8> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.xor %a, %b : (tensor<5xi8>, tensor<5xi8>) -> tensor<5xi8>
  return %y : tensor<5xi8>
}
func.func @shift_left(%a: tensor<5xui32> {keratin.kind = "input", keratin.name = "a"}, %b: tensor<5xui32> {keratin.kind = "input", keratin.name = "b"})
    -> (tensor<5xui32> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.shift_left %a, %b : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
  return %y : tensor<5xui32>
}
func.func @shift_right(%a: tensor<5xui32> {keratin.kind = "input", keratin.name = "a"}, %b: tensor<5xui32> {keratin.kind = "input", keratin.name = "b"})
    -> (tensor<5xui32> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.shift_right %a, %b : (tensor<5xui32>, tensor<5xui32>) -> tensor<5xui32>
  return %y : tensor<5xui32>
}
func.func @compare(%a: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a"}, %b: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "b"})
    -> (tensor<?x3xi1, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.compare lt %a, %b : (tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xi1, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xi1, #keratin.dims<d0, 3>>
}
func.func @select(%a: tensor<?x3xi1, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a"}, %b: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "b"}, %c: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "c"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.select %a, %b, %c : (tensor<?x3xi1, #keratin.dims<d0, 3>>, tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @cast(%a: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a"})
    -> (tensor<?x3xi32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.cast %a : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xi32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xi32, #keratin.dims<d0, 3>>
}
func.func @constant()
    -> (tensor<2x2xbf16> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.constant dense<[[1.5, -2.0], [0.25, 3.0]]> : tensor<2x2xbf16>
  return %y : tensor<2x2xbf16>
}
func.func @iota(%x: tensor<?xi1, #keratin.dims<d0>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<2x?xf64, #keratin.dims<2, d0>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.iota {axis = 1 : i64} : tensor<2x?xf64, #keratin.dims<2, d0>>
  return %y : tensor<2x?xf64, #keratin.dims<2, d0>>
}
func.func @dim(%x: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<i32> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.dim %x {axis = 0 : i64} : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<i32>
  return %y : tensor<i32>
}
func.func @reshape(%a: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a"})
    -> (tensor<?xf32, #keratin.dims<3*d0>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.reshape %a : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?xf32, #keratin.dims<3*d0>>
  return %y : tensor<?xf32, #keratin.dims<3*d0>>
}
func.func @broadcast(%x: tensor<3xf32> {keratin.kind = "input", keratin.name = "x"}, %n: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "n"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.broadcast %x dims = [1] : (tensor<3xf32>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @transpose(%x: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<3x?xf32, #keratin.dims<3, d0>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.transpose %x permutation = [1, 0] : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<3x?xf32, #keratin.dims<3, d0>>
  return %y : tensor<3x?xf32, #keratin.dims<3, d0>>
}
func.func @slice(%x: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?x2xf32, #keratin.dims<d0, 2>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.slice %x starts = #keratin.dims<0, 0> strides = [1, 2] : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x2xf32, #keratin.dims<d0, 2>>
  return %y : tensor<?x2xf32, #keratin.dims<d0, 2>>
}
func.func @pad(%x: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?x6xf32, #keratin.dims<d0 + 2, 6>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.pad %x low = #keratin.dims<1, 0> interior = [0, 1] : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x6xf32, #keratin.dims<d0 + 2, 6>>
  return %y : tensor<?x6xf32, #keratin.dims<d0 + 2, 6>>
}
func.func @concatenate(%a: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a"}, %b: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "b"})
    -> (tensor<?x3xf32, #keratin.dims<2*d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.concatenate %a, %b {axis = 0 : i64} : (tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<2*d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<2*d0, 3>>
}
func.func @reverse(%x: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.reverse %x axes = [1] : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @gather(%x: tensor<4x2xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<3x2xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %i = keratin.constant dense<[3, 0, 2]> : tensor<3xi32>
  %y = keratin.gather %x, %i : (tensor<4x2xf32>, tensor<3xi32>) -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}
func.func @scatter_add(%x: tensor<3x2xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<4x2xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %i = keratin.constant dense<[3, 0, 3]> : tensor<3xi64>
  %y = keratin.scatter_add %i, %x : (tensor<3xi64>, tensor<3x2xf32>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}
func.func @dynamic_slice(%x: tensor<4x3xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<2x2xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %i = keratin.constant dense<1> : tensor<i32>
  %y = keratin.dynamic_slice %x, %i, %i : (tensor<4x3xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}
func.func @dynamic_unslice(%x: tensor<2x2xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<4x3xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %i = keratin.constant dense<1> : tensor<i32>
  %y = keratin.dynamic_unslice %x, %i, %i : (tensor<2x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}
func.func @reduce_sum(%x: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.reduce_sum %x axes = [1] : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?xf32, #keratin.dims<d0>>
  return %y : tensor<?xf32, #keratin.dims<d0>>
}
func.func @reduce_prod(%x: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.reduce_prod %x axes = [1] : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?xf32, #keratin.dims<d0>>
  return %y : tensor<?xf32, #keratin.dims<d0>>
}
func.func @reduce_max(%x: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.reduce_max %x axes = [1] : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?xf32, #keratin.dims<d0>>
  return %y : tensor<?xf32, #keratin.dims<d0>>
}
func.func @reduce_min(%x: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.reduce_min %x axes = [1] : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?xf32, #keratin.dims<d0>>
  return %y : tensor<?xf32, #keratin.dims<d0>>
}
func.func @reduce_any(%x: tensor<?x3xi1, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?xi1, #keratin.dims<d0>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.reduce_any %x axes = [1] : (tensor<?x3xi1, #keratin.dims<d0, 3>>) -> tensor<?xi1, #keratin.dims<d0>>
  return %y : tensor<?xi1, #keratin.dims<d0>>
}
func.func @reduce_all(%x: tensor<?x3xi1, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?xi1, #keratin.dims<d0>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.reduce_all %x axes = [1] : (tensor<?x3xi1, #keratin.dims<d0, 3>>) -> tensor<?xi1, #keratin.dims<d0>>
  return %y : tensor<?xi1, #keratin.dims<d0>>
}
func.func @arg_max(%x: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?xi64, #keratin.dims<d0>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.arg_max %x {axis = 1 : i64} : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?xi64, #keratin.dims<d0>>
  return %y : tensor<?xi64, #keratin.dims<d0>>
}
func.func @arg_min(%x: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?xi64, #keratin.dims<d0>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.arg_min %x {axis = 1 : i64} : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?xi64, #keratin.dims<d0>>
  return %y : tensor<?xi64, #keratin.dims<d0>>
}
func.func @cumsum(%x: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.cumsum %x {axis = 1 : i64, exclusive} : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @cumprod(%x: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.cumprod %x {axis = 1 : i64, reverse} : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @linear_recurrence(%a: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a"}, %b: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "b"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.linear_recurrence %a, %b {axis = 1 : i64} : (tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @dot_general(%a: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a"}, %b: tensor<3x4xf32> {keratin.kind = "input", keratin.name = "b"})
    -> (tensor<?x4xf32, #keratin.dims<d0, 4>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.dot_general %a, %b batch = [] x [] contract = [1] x [0] : (tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<3x4xf32>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
  return %y : tensor<?x4xf32, #keratin.dims<d0, 4>>
}
func.func @random_bits(%draw: tensor<i64> {keratin.kind = "input", keratin.name = "draw"})
    -> (tensor<5xui32> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.random_bits %draw {seed = 42 : i64} : (tensor<i64>) -> tensor<5xui32>
  return %y : tensor<5xui32>
}
func.func @require(%x: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.require at_least #keratin.dims<d0> #keratin.dims<1> "needs a row" %x : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @print(%x: tensor<2xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<2xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.print "golden" %x : tensor<2xf32>
  return %y : tensor<2xf32>
}
func.func @check_range(%x: tensor<?xi32, #keratin.dims<d0>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?xi32, #keratin.dims<d0>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.check_range %x lower = #keratin.dims<-1000> upper = #keratin.dims<1000> "a number is outside [-1000, 1000)" : tensor<?xi32, #keratin.dims<d0>>
  return %y : tensor<?xi32, #keratin.dims<d0>>
}
func.func @convolution(%x: tensor<?x4x3xf32, #keratin.dims<d0, 4, 3>> {keratin.kind = "input", keratin.name = "x"}, %w: tensor<2x3x2xf32> {keratin.kind = "input", keratin.name = "w"})
    -> (tensor<?x5x2xf32, #keratin.dims<d0, 5, 2>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.convolution %x, %w dims = "b0c,0cf->b0f" strides = [2] low = <d0> x_dilation = [3] dilation = [2] reversed = [true] : (tensor<?x4x3xf32, #keratin.dims<d0, 4, 3>>, tensor<2x3x2xf32>) -> tensor<?x5x2xf32, #keratin.dims<d0, 5, 2>>
  return %y : tensor<?x5x2xf32, #keratin.dims<d0, 5, 2>>
}
func.func @window_sum(%x: tensor<?x4xf32, #keratin.dims<d0, 4>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?x5xf32, #keratin.dims<d0, 5>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.window_sum %x window = [1, 3] strides = [1, 2] low = <0, 1> x_dilation = [1, 2] : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<?x5xf32, #keratin.dims<d0, 5>>
  return %y : tensor<?x5xf32, #keratin.dims<d0, 5>>
}
func.func @window_max(%x: tensor<?x5xf32, #keratin.dims<d0, 5>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.window_max %x window = [1, 3] strides = [1, 2] low = <0, 1> : (tensor<?x5xf32, #keratin.dims<d0, 5>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @window_pick(%x: tensor<?x5xi32, #keratin.dims<d0, 5>> {keratin.kind = "input", keratin.name = "x"}, %v: tensor<?x5xf32, #keratin.dims<d0, 5>> {keratin.kind = "input", keratin.name = "v"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.window_pick %x, %v window = [1, 3] strides = [1, 2] low = <0, 1> : (tensor<?x5xi32, #keratin.dims<d0, 5>>, tensor<?x5xf32, #keratin.dims<d0, 5>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @window_scatter(%x: tensor<?x5xf32, #keratin.dims<d0, 5>> {keratin.kind = "input", keratin.name = "x"}, %v: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "v"})
    -> (tensor<?x5xf32, #keratin.dims<d0, 5>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.window_scatter %x, %v window = [1, 3] strides = [1, 2] low = <0, 1> : (tensor<?x5xf32, #keratin.dims<d0, 5>>, tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x5xf32, #keratin.dims<d0, 5>>
  return %y : tensor<?x5xf32, #keratin.dims<d0, 5>>
}
func.func @scan(%x: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "x"}, %h: tensor<3xf32> {keratin.kind = "input", keratin.name = "h"})
    -> (tensor<3xf32> {keratin.kind = "output", keratin.name = "y"}, tensor<?xi64, #keratin.dims<d0>> {keratin.kind = "output", keratin.name = "places"}) {
  %y:2 = keratin.scan length = <d0> reverse init(%h) over(%x) with(%h) : (tensor<3xf32>, tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<3xf32>) -> (tensor<3xf32>, tensor<?xi64, #keratin.dims<d0>>) {
  ^bb0(%t: tensor<i64>, %s: tensor<3xf32>, %e: tensor<3xf32>, %c: tensor<3xf32>):
    %p = keratin.mul %e, %c : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %n = keratin.sub %p, %s : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    keratin.yield %n, %t : tensor<3xf32>, tensor<i64>
  }
  return %y#0, %y#1 : tensor<3xf32>, tensor<?xi64, #keratin.dims<d0>>
}
func.func @while(%x: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "x"}, %go: tensor<i1> {keratin.kind = "input", keratin.name = "go"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}, tensor<i64> {keratin.kind = "output", keratin.name = "steps"}, tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "sum"}) {
  %y:3 = keratin.while at_most = <2*d0> init(%go, %x) with(%x) : (tensor<i1>, tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<?x3xf32, #keratin.dims<d0, 3>>) -> (tensor<i1>, tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<i64>) {
  ^bb0(%t: tensor<i64>, %flag: tensor<i1>, %s: tensor<?x3xf32, #keratin.dims<d0, 3>>, %c: tensor<?x3xf32, #keratin.dims<d0, 3>>):
    %n = keratin.mul %s, %c : (tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
    keratin.yield %flag, %n : tensor<i1>, tensor<?x3xf32, #keratin.dims<d0, 3>>
  }
  %true = keratin.constant dense<true> : tensor<i1>
  %z:4 = keratin.while length = <d1> init(%true, %x) with() : (tensor<i1>, tensor<?x3xf32, #keratin.dims<d0, 3>>) -> (tensor<i1>, tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<i64>, tensor<?x?x3xf32, #keratin.dims<d1, d0, 3>>) {
  ^bb0(%t: tensor<i64>, %flag: tensor<i1>, %s: tensor<?x3xf32, #keratin.dims<d0, 3>>):
    %most = keratin.constant dense<2> : tensor<i64>
    %again = keratin.compare lt %t, %most : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %n = keratin.add %s, %s : (tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
    keratin.yield %again, %n, %s : tensor<i1>, tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<?x3xf32, #keratin.dims<d0, 3>>
  }
  %steps = keratin.add %y#2, %z#2 : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %sum = keratin.reduce_sum %z#3 axes = [0] : (tensor<?x?x3xf32, #keratin.dims<d1, d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y#1, %steps, %sum : tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<i64>, tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @if(%x: tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "output", keratin.name = "y"}) {
  %s = keratin.reduce_sum %x axes = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<f32>
  %zero = keratin.constant dense<0.0> : tensor<f32>
  %p = keratin.compare lt %s, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %y = keratin.if %p with(%x) : (tensor<i1>, tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>> {
  ^bb0(%a: tensor<?xf32, #keratin.dims<d0>>):
    %0 = keratin.neg %a : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
    keratin.yield %0 : tensor<?xf32, #keratin.dims<d0>>
  } else {
  ^bb0(%a: tensor<?xf32, #keratin.dims<d0>>):
    keratin.yield %a : tensor<?xf32, #keratin.dims<d0>>
  }
  return %y : tensor<?xf32, #keratin.dims<d0>>
}
func.func @sparse_dot(%v: tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "input", keratin.name = "values"},
                      %x: tensor<1x3xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<1x3xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %zero = keratin.constant dense<0> : tensor<i64>
  %p = keratin.broadcast %zero dims = [] : (tensor<i64>) -> tensor<?xi64, #keratin.dims<d0>>
  %y = keratin.sparse_dot %p, %p, %v, %x : (tensor<?xi64, #keratin.dims<d0>>, tensor<?xi64, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>, tensor<1x3xf32>) -> tensor<1x3xf32>
  return %y : tensor<1x3xf32>
}
func.func @truncate(%x: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?x3xf32, #keratin.dims<d1, 3>> {keratin.kind = "output", keratin.name = "y"}, tensor<?xi64, #keratin.dims<2*d1>> {keratin.kind = "output", keratin.name = "z"}) {
  %n = keratin.dim %x {axis = 0 : i64} : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<i64>
  %two = keratin.constant dense<2> : tensor<i64>
  %half = keratin.floor_div %n, %two : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %y = keratin.truncate %x, %half axis = 0 : (tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<i64>) -> tensor<?x3xf32, #keratin.dims<d1, 3>>
  %z = keratin.iota {axis = 0 : i64} : tensor<?xi64, #keratin.dims<2*d1>>
  return %y, %z : tensor<?x3xf32, #keratin.dims<d1, 3>>, tensor<?xi64, #keratin.dims<2*d1>>
}
func.func @ctc_beam_search(%x: tensor<?x4x3xf32, #keratin.dims<d0, 4, 3>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?x2x4xi64, #keratin.dims<d0, 2, 4>> {keratin.kind = "output", keratin.name = "labels"}, tensor<?x2xf32, #keratin.dims<d0, 2>> {keratin.kind = "output", keratin.name = "p"}) {
  %three = keratin.constant dense<3> : tensor<i32>
  %n = keratin.broadcast %three dims = [] : (tensor<i32>) -> tensor<?xi32, #keratin.dims<d0>>
  %l, %c, %p = keratin.ctc_beam_search %x, %n {beam_width = 5 : i64} : (tensor<?x4x3xf32, #keratin.dims<d0, 4, 3>>, tensor<?xi32, #keratin.dims<d0>>) -> (tensor<?x2x4xi64, #keratin.dims<d0, 2, 4>>, tensor<?x2xi64, #keratin.dims<d0, 2>>, tensor<?x2xf32, #keratin.dims<d0, 2>>)
  return %l, %p : tensor<?x2x4xi64, #keratin.dims<d0, 2, 4>>, tensor<?x2xf32, #keratin.dims<d0, 2>>
}
// A whole training step: a variable, its update, the state of a random node, a default and places.
func.func @update(%x: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "x"},
                  %rate: tensor<f32> {keratin.kind = "input", keratin.name = "rate",
                                      keratin.default = dense<0.5> : tensor<f32>},
                  %w: tensor<3xf32> {keratin.kind = "variable", keratin.name = "w"})
    -> (tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "output", keratin.name = "y"},
        tensor<3xf32> {keratin.kind = "update", keratin.variable = 0}) {
  %y = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0]
      : (tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<3xf32>) -> tensor<?xf32, #keratin.dims<d0>>
      loc("dense/"("net.py":57:0))
  %s = keratin.reduce_sum %x axes = [0] : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<3xf32>
  %r = keratin.broadcast %rate dims = [] : (tensor<f32>) -> tensor<3xf32>
  %m = keratin.mul %s, %r : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %n = keratin.sub %w, %m : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %y, %n : tensor<?xf32, #keratin.dims<d0>>, tensor<3xf32>
}
// Bodies that define sizes, of format 1.2: a truncate, and a loop with a name for its steps.
func.func @local_sizes(%x: tensor<?x5xf64, #keratin.dims<d0, 5>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?xf64, #keratin.dims<d0>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.scan length = <d0> init() over(%x) with() : (tensor<?x5xf64, #keratin.dims<d0, 5>>) -> tensor<?xf64, #keratin.dims<d0>> {
  ^bb0(%t: tensor<i64>, %e: tensor<5xf64>):
    %five = keratin.constant dense<5> : tensor<i64>
    %n = keratin.mod %t, %five : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %part = keratin.truncate %e, %n axis = 0 : (tensor<5xf64>, tensor<i64>) -> tensor<?xf64, #keratin.dims<d1>>
    %sum = keratin.reduce_sum %part axes = [0] : (tensor<?xf64, #keratin.dims<d1>>) -> tensor<f64>
    %true = keratin.constant dense<true> : tensor<i1>
    %z:4 = keratin.while length = <d2> init(%true, %sum) with() : (tensor<i1>, tensor<f64>) -> (tensor<i1>, tensor<f64>, tensor<i64>, tensor<?xf64, #keratin.dims<d2>>) {
    ^bb0(%u: tensor<i64>, %flag: tensor<i1>, %s: tensor<f64>):
      %most = keratin.constant dense<3> : tensor<i64>
      %again = keratin.compare lt %u, %most : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %next = keratin.sin %s : (tensor<f64>) -> tensor<f64>
      keratin.yield %again, %next, %s : tensor<i1>, tensor<f64>, tensor<f64>
    }
    %all = keratin.reduce_sum %z#3 axes = [0] : (tensor<?xf64, #keratin.dims<d2>>) -> tensor<f64>
    keratin.yield %all : tensor<f64>
  }
  return %y : tensor<?xf64, #keratin.dims<d0>>
}
// The length of a range whose end may be negative, of format 1.3.
func.func @value_parts(%n: tensor<i32> {keratin.kind = "input", keratin.name = "n", keratin.positive_part = 1 : i64, keratin.negative_part = 2 : i64})
    -> (tensor<?xi32, #keratin.dims<d1>> {keratin.kind = "output", keratin.name = "up"},
        tensor<?xi32, #keratin.dims<2*d2>> {keratin.kind = "output", keratin.name = "down"}) {
  %up = keratin.iota {axis = 0 : i64} : tensor<?xi32, #keratin.dims<d1>>
  %down = keratin.iota {axis = 0 : i64} : tensor<?xi32, #keratin.dims<2*d2>>
  return %up, %down : tensor<?xi32, #keratin.dims<d1>>, tensor<?xi32, #keratin.dims<2*d2>>
}
// Format 1.4.
func.func @tan(%a: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.tan %a : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @atan(%a: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.atan %a : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @erf(%a: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.erf %a : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @top_k(%x: tensor<?x5xf32, #keratin.dims<d0, 5>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?x2xi64, #keratin.dims<d0, 2>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.top_k %x : (tensor<?x5xf32, #keratin.dims<d0, 5>>) -> tensor<?x2xi64, #keratin.dims<d0, 2>>
  return %y : tensor<?x2xi64, #keratin.dims<d0, 2>>
}
func.func @scatter_last(%x: tensor<3x2xi32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<4x2xi32> {keratin.kind = "output", keratin.name = "y"}) {
  %i = keratin.constant dense<[3, 0, 3]> : tensor<3xi64>
  %y = keratin.scatter_last %i, %x : (tensor<3xi64>, tensor<3x2xi32>) -> tensor<4x2xi32>
  return %y : tensor<4x2xi32>
}
func.func @erfc(%a: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.erfc %a : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @erfinv(%a: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %x = keratin.tanh %a : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  %y = keratin.erfinv %x : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @lgamma(%a: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %x = keratin.exp %a : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  %y = keratin.lgamma %x : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @digamma(%a: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %x = keratin.exp %a : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  %y = keratin.digamma %x : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @bessel_i0e(%a: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.bessel_i0e %a : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @bessel_i1e(%a: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.bessel_i1e %a : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @zeta(%a: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a"}, %b: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "b"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %e = keratin.abs %a : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  %s = keratin.exp %e : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  %q = keratin.exp %b : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  %y = keratin.zeta %s, %q : (tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @igamma(%a: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a"}, %b: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "b"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %a_e = keratin.exp %a : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  %b_e = keratin.exp %b : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  %y = keratin.igamma %a_e, %b_e : (tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @igammac(%a: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a"}, %b: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "b"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %a_e = keratin.exp %a : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  %b_e = keratin.exp %b : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  %y = keratin.igammac %a_e, %b_e : (tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @gamma_sample_gradient(%a: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a"}, %b: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "b"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %a_e = keratin.exp %a : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  %b_e = keratin.exp %b : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  %y = keratin.gamma_sample_gradient %a_e, %b_e : (tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @betainc(%a: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a"}, %b: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "b"}, %c: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "c"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %a_e = keratin.exp %a : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  %b_e = keratin.exp %b : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  %c_e = keratin.logistic %c : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  %y = keratin.betainc %a_e, %b_e, %c_e : (tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @beta_sample_gradient(%a: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a"}, %b: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "b"}, %c: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "c"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %a_e = keratin.exp %a : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  %b_e = keratin.exp %b : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  %c_e = keratin.logistic %c : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  %y = keratin.beta_sample_gradient %a_e, %b_e, %c_e : (tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @cummax(%x: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.cummax %x {axis = 1 : i64, reverse} : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @cummin(%x: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.cummin %x {axis = 1 : i64, reverse} : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @cumlogsumexp(%x: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.cumlogsumexp %x {axis = 1 : i64, reverse} : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}
func.func @scatter_max(%x: tensor<3x2xi32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<4x2xi32> {keratin.kind = "output", keratin.name = "y"}) {
  %i = keratin.constant dense<[3, 0, 3]> : tensor<3xi64>
  %y = keratin.scatter_max %i, %x : (tensor<3xi64>, tensor<3x2xi32>) -> tensor<4x2xi32>
  return %y : tensor<4x2xi32>
}
func.func @scatter_min(%x: tensor<3x2xi32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<4x2xi32> {keratin.kind = "output", keratin.name = "y"}) {
  %i = keratin.constant dense<[3, 0, 3]> : tensor<3xi64>
  %y = keratin.scatter_min %i, %x : (tensor<3xi64>, tensor<3x2xi32>) -> tensor<4x2xi32>
  return %y : tensor<4x2xi32>
}
// Sizes that the user named, of format 1.4.
func.func @size_names(%a: tensor<?x?xf32, #keratin.dims<d0, d1>> {keratin.kind = "input", keratin.name = "a"},
                      %b: tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "input", keratin.name = "b"})
    -> (tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "output", keratin.name = "y"})
    attributes {keratin.sizes = ["batch"]} {
  %sum = keratin.reduce_sum %a axes = [1] : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?xf32, #keratin.dims<d0>>
  %y = keratin.add %sum, %b : (tensor<?xf32, #keratin.dims<d0>>, tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  return %y : tensor<?xf32, #keratin.dims<d0>>
}
// Limits of sizes, of format 1.4.
func.func @size_limits(%a: tensor<?x?xf32, #keratin.dims<d0, d1>> {keratin.kind = "input", keratin.name = "a"})
    -> (tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "output", keratin.name = "y"})
    attributes {keratin.sizes = ["batch", "length"],
                keratin.limits = {d0 = {max = 512}, d1 = {max = 512, min = 2, multiple_of = 3}}} {
  %y = keratin.reduce_sum %a axes = [1] : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?xf32, #keratin.dims<d0>>
  return %y : tensor<?xf32, #keratin.dims<d0>>
}
// A sharded size, of format 1.4.
func.func @shards(%a: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a", keratin.sharded = 0 : i64},
                  %b: tensor<2x?xf32, #keratin.dims<2, d0>> {keratin.kind = "input", keratin.name = "b", keratin.sharded = 1 : i64})
    -> (tensor<3xf32> {keratin.kind = "output", keratin.name = "s"}, tensor<2xf32> {keratin.kind = "output", keratin.name = "t"})
    attributes {keratin.sizes = ["batch"]} {
  %s = keratin.reduce_sum %a axes = [0] : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<3xf32>
  %t = keratin.reduce_sum %b axes = [1] : (tensor<2x?xf32, #keratin.dims<2, d0>>) -> tensor<2xf32>
  return %s, %t : tensor<3xf32>, tensor<2xf32>
}

// What ranks do together, of one rank.
func.func @all_gather(%x: tensor<3x2xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<3x2xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.all_gather %x : tensor<3x2xf32> -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}
func.func @all_reduce(%x: tensor<3x2xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<3x2xf32> {keratin.kind = "output", keratin.name = "y"}, tensor<3x2xf32> {keratin.kind = "output", keratin.name = "z"}) {
  %y = keratin.all_reduce max %x : tensor<3x2xf32>
  %z = keratin.all_reduce before %x : tensor<3x2xf32>
  return %y, %z : tensor<3x2xf32>, tensor<3x2xf32>
}
func.func @reduce_scatter(%x: tensor<3x2xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<3x2xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.reduce_scatter sum %x : tensor<3x2xf32> -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

func.func @all_to_all(%x: tensor<3x2xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<3x2xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.all_to_all %x : tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}
func.func @broadcast_from(%x: tensor<3x2xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<3x2xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.broadcast_from %x root = 0 : tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}
func.func @permute(%x: tensor<3x2xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<3x2xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.permute %x pairs = [0, 0] : tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

func.func @rank() -> (tensor<i64> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.rank : tensor<i64>
  return %y : tensor<i64>
}
func.func @rank_count() -> (tensor<i64> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.rank_count : tensor<i64>
  return %y : tensor<i64>
}

// What ranks do together along an axis of their mesh, of format 1.4.
func.func @mesh_axis(%x: tensor<3x2xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<3x2xf32> {keratin.kind = "output", keratin.name = "y"}, tensor<3x2xf32> {keratin.kind = "output", keratin.name = "z"}) {
  %y = keratin.all_reduce sum %x along "model" : tensor<3x2xf32>
  %z = keratin.permute %x pairs = [0, 0] along "data" : tensor<3x2xf32>
  return %y, %z : tensor<3x2xf32>, tensor<3x2xf32>
}

// A sharded size and a variable in parts, each along an axis of a mesh, of format 1.4.
func.func @variable_shards(%x: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "x", keratin.sharded = 0 : i64, keratin.mesh_axis = "data"},
                           %w: tensor<3x2xf32> {keratin.kind = "variable", keratin.name = "w", keratin.sharded = 1 : i64, keratin.mesh_axis = "model"})
    -> (tensor<?x2xf32, #keratin.dims<d0, 2>> {keratin.kind = "output", keratin.name = "y"})
    attributes {keratin.sizes = ["batch"]} {
  %y = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<3x2xf32>) -> tensor<?x2xf32, #keratin.dims<d0, 2>>
  return %y : tensor<?x2xf32, #keratin.dims<d0, 2>>
}

// Ops may have the parts of all ranks, of format 1.4.
func.func @gathered_parts(%a: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a", keratin.sharded = 0 : i64})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "s"})
    attributes {keratin.gathers_parts, keratin.sizes = ["batch"]} {
  %s = keratin.cumsum %a {axis = 0 : i64} : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %s : tensor<?x3xf32, #keratin.dims<d0, 3>>
}

// Each rank has a part of what an optimizer keeps, of format 1.4.
func.func @shards_states(%a: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a", keratin.sharded = 0 : i64},
                         %m: tensor<3xf32> {keratin.kind = "variable", keratin.name = "m"})
    -> (tensor<3xf32> {keratin.kind = "output", keratin.name = "s"},
        tensor<3xf32> {keratin.kind = "update", keratin.variable = 0 : i64})
    attributes {keratin.shards_states, keratin.sizes = ["batch"]} {
  %s = keratin.reduce_sum %a axes = [0] : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<3xf32>
  %new = keratin.add %m, %s : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %s, %new : tensor<3xf32>, tensor<3xf32>
}

func.func @enter_rank(%x: tensor<3xf32> {keratin.kind = "input", keratin.name = "x"}) -> (tensor<3xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.enter_rank %x : (tensor<3xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

func.func @leave_rank(%x: tensor<3xf32> {keratin.kind = "input", keratin.name = "x"}) -> (tensor<3xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.leave_rank %x : (tensor<3xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// Each rank subtracts the sum of its own rows, of format 1.4.
func.func @local_statistics(%a: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a", keratin.sharded = 0 : i64})
    -> (tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "output", keratin.name = "y"})
    attributes {keratin.local_statistics, keratin.sizes = ["batch"]} {
  %own = keratin.enter_rank %a : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  %s = keratin.reduce_sum %own axes = [0] : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<3xf32>
  %sums = keratin.broadcast %s dims = [1] : (tensor<3xf32>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  %centred = keratin.sub %own, %sums : (tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  %y = keratin.leave_rank %centred : (tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<?x3xf32, #keratin.dims<d0, 3>>
  return %y : tensor<?x3xf32, #keratin.dims<d0, 3>>
}

// Of definite matrices of any numbers.
func.func @cholesky(%a: tensor<?x3xf32, #keratin.dims<d0, 3>> {keratin.kind = "input", keratin.name = "a"})
    -> (tensor<3x3xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %unit = keratin.constant dense<[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]> : tensor<3x3xf32>
  %square = keratin.dot_general %a, %a batch = [] x [] contract = [0] x [0] : (tensor<?x3xf32, #keratin.dims<d0, 3>>, tensor<?x3xf32, #keratin.dims<d0, 3>>) -> tensor<3x3xf32>
  %x = keratin.add %square, %unit : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  %y = keratin.cholesky %x : (tensor<3x3xf32>) -> tensor<3x3xf32>
  return %y : tensor<3x3xf32>
}

func.func @triangular_solve(%b: tensor<3x2xf32> {keratin.kind = "input", keratin.name = "b"})
    -> (tensor<3x2xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %a = keratin.constant dense<[[2.0, 0.5, 1.0], [0.0, 4.0, -1.0], [0.0, 0.0, 8.0]]> : tensor<3x3xf32>
  %0 = keratin.triangular_solve %a, %b : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %1 = keratin.triangular_solve %a, %0 {transposed} : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %y = keratin.triangular_solve %a, %1 {lower, unit_diagonal} : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

func.func @lu(%x: tensor<2x3xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<2x3xf32> {keratin.kind = "output", keratin.name = "factors"}, tensor<2xi64> {keratin.kind = "output", keratin.name = "permutation"}) {
  %y:2 = keratin.lu %x : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2xi64>)
  return %y#0, %y#1 : tensor<2x3xf32>, tensor<2xi64>
}

func.func @qr(%a: tensor<?x2xf32, #keratin.dims<d0, 2>> {keratin.kind = "input", keratin.name = "a"})
    -> (tensor<3x2xf32> {keratin.kind = "output", keratin.name = "q"}, tensor<2x2xf32> {keratin.kind = "output", keratin.name = "r"}) {
  %bias = keratin.constant dense<[[4.0, 0.0], [0.0, 4.0], [1.0, -1.0]]> : tensor<3x2xf32>
  %sum = keratin.reduce_sum %a axes = [0] : (tensor<?x2xf32, #keratin.dims<d0, 2>>) -> tensor<2xf32>
  %rows = keratin.broadcast %sum dims = [1] : (tensor<2xf32>) -> tensor<3x2xf32>
  %x = keratin.add %rows, %bias : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %y:2 = keratin.qr %x : (tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<2x2xf32>)
  return %y#0, %y#1 : tensor<3x2xf32>, tensor<2x2xf32>
}

// Of different eigenvalues, whatever the numbers are.
func.func @eigh(%a: tensor<3xf32> {keratin.kind = "input", keratin.name = "a"})
    -> (tensor<3xf32> {keratin.kind = "output", keratin.name = "values"}, tensor<3x3xf32> {keratin.kind = "output", keratin.name = "vectors"}) {
  %steps = keratin.constant dense<[[-9.0, 1.0, 0.5], [1.0, 1.0, 2.0], [0.5, 2.0, 9.0]]> : tensor<3x3xf32>
  %rows = keratin.broadcast %a dims = [0] : (tensor<3xf32>) -> tensor<3x3xf32>
  %columns = keratin.broadcast %a dims = [1] : (tensor<3xf32>) -> tensor<3x3xf32>
  %products = keratin.mul %rows, %columns : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  %small = keratin.tanh %products : (tensor<3x3xf32>) -> tensor<3x3xf32>
  %x = keratin.add %small, %steps : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  %y:2 = keratin.eigh %x : (tensor<3x3xf32>) -> (tensor<3xf32>, tensor<3x3xf32>)
  return %y#0, %y#1 : tensor<3xf32>, tensor<3x3xf32>
}

func.func @svd(%a: tensor<2x3xf32> {keratin.kind = "input", keratin.name = "a"})
    -> (tensor<2x2xf32> {keratin.kind = "output", keratin.name = "u"}, tensor<2xf32> {keratin.kind = "output", keratin.name = "s"},
        tensor<2x3xf32> {keratin.kind = "output", keratin.name = "vt"}) {
  %bias = keratin.constant dense<[[9.0, 0.0, 1.0], [0.0, 4.0, -1.0]]> : tensor<2x3xf32>
  %small = keratin.tanh %a : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %x = keratin.add %small, %bias : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %y:3 = keratin.svd %x : (tensor<2x3xf32>) -> (tensor<2x2xf32>, tensor<2xf32>, tensor<2x3xf32>)
  return %y#0, %y#1, %y#2 : tensor<2x2xf32>, tensor<2xf32>, tensor<2x3xf32>
}

func.func @fft(%x: tensor<2x6xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<2x6xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0:2 = keratin.fft %x, %x : (tensor<2x6xf32>, tensor<2x6xf32>) -> (tensor<2x6xf32>, tensor<2x6xf32>)
  %1 = keratin.mul %0#0, %x : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xf32>
  %2:2 = keratin.fft %1, %0#1 {inverse} : (tensor<2x6xf32>, tensor<2x6xf32>) -> (tensor<2x6xf32>, tensor<2x6xf32>)
  %y = keratin.sub %2#0, %2#1 : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xf32>
  return %y : tensor<2x6xf32>
}

func.func @complex(%x: tensor<2x3xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<2x3xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %n = keratin.neg %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %z = keratin.complex %x, %n : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xcomplex<f32>>
  %y = keratin.real %z : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

func.func @real(%x: tensor<2x3xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<2x3xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %n = keratin.neg %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %z = keratin.complex %x, %n : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xcomplex<f32>>
  %y = keratin.real %z : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

func.func @imag(%x: tensor<2x3xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<2x3xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %n = keratin.neg %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %z = keratin.complex %x, %n : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xcomplex<f32>>
  %y = keratin.imag %z : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}
