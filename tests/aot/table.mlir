// A second model for the same process: rows of a table by their numbers, which may be out of range.
func.func @rows(%i: tensor<?xi32, #keratin.dims<d0>> {keratin.kind = "input", keratin.name = "i"},
                %t: tensor<3x2xf64> {keratin.kind = "variable", keratin.name = "table",
                                     keratin.initial = dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf64>})
    -> (tensor<?x2xf64, #keratin.dims<d0, 2>> {keratin.kind = "output", keratin.name = "rows"}) {
  %0 = keratin.gather %t, %i : (tensor<3x2xf64>, tensor<?xi32, #keratin.dims<d0>>) -> tensor<?x2xf64, #keratin.dims<d0, 2>>
  return %0 : tensor<?x2xf64, #keratin.dims<d0, 2>>
}
// As many numbers as the input says.
func.func @up_to(%n: tensor<i32> {keratin.kind = "input", keratin.name = "n", keratin.symbol = 0 : i64})
    -> (tensor<?xi32, #keratin.dims<d0>> {keratin.kind = "output", keratin.name = "numbers"}) {
  %0 = keratin.iota {axis = 0 : i64} : tensor<?xi32, #keratin.dims<d0>>
  return %0 : tensor<?xi32, #keratin.dims<d0>>
}
// As many as it is below 0.
func.func @below(%n: tensor<i32> {keratin.kind = "input", keratin.name = "n", keratin.negative_part = 0 : i64})
    -> (tensor<?xi32, #keratin.dims<d0>> {keratin.kind = "output", keratin.name = "numbers"}) {
  %0 = keratin.iota {axis = 0 : i64} : tensor<?xi32, #keratin.dims<d0>>
  return %0 : tensor<?xi32, #keratin.dims<d0>>
}
// What is the same in every call.
func.func @structure()
    -> (tensor<3xi64> {keratin.kind = "output", keratin.name = "starts"}, tensor<2x2xi8> {keratin.kind = "output", keratin.name = "places"}) {
  %0 = keratin.constant dense<[0, -9223372036854775808, 9223372036854775807]> : tensor<3xi64>
  %1 = keratin.constant dense<[[0, 1], [-1, 127]]> : tensor<2x2xi8>
  return %0, %1 : tensor<3xi64>, tensor<2x2xi8>
}
