// What two ranks do together in a function that is not sharded: for CollectivesProgram.c.
func.func @exchange(%x: tensor<2x3xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<2x3xf32> {keratin.kind = "output", keratin.name = "sum"}, tensor<4x3xf32> {keratin.kind = "output", keratin.name = "all"},
        tensor<1x3xf32> {keratin.kind = "output", keratin.name = "part"}, tensor<2x3xf32> {keratin.kind = "output", keratin.name = "last"},
        tensor<2x3xf32> {keratin.kind = "output", keratin.name = "traded"}, tensor<2x3xf32> {keratin.kind = "output", keratin.name = "moved"},
        tensor<i64> {keratin.kind = "output", keratin.name = "index"}, tensor<i64> {keratin.kind = "output", keratin.name = "count"}) {
  %sum = keratin.all_reduce sum %x : tensor<2x3xf32>
  %all = keratin.all_gather %x : tensor<2x3xf32> -> tensor<4x3xf32>
  %part = keratin.reduce_scatter max %x : tensor<2x3xf32> -> tensor<1x3xf32>
  %last = keratin.broadcast_from %x root = 1 : tensor<2x3xf32>
  %traded = keratin.all_to_all %x : tensor<2x3xf32>
  %moved = keratin.permute %x pairs = [0, 1] : tensor<2x3xf32>
  %index = keratin.rank : tensor<i64>
  %count = keratin.rank_count : tensor<i64>
  return %sum, %all, %part, %last, %traded, %moved, %index, %count
      : tensor<2x3xf32>, tensor<4x3xf32>, tensor<1x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<i64>, tensor<i64>
}
