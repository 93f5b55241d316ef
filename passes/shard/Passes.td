// Passes of passes/shard; included by passes/Passes.td.

def Shard : KeratinPass<"shard"> {
  let summary = "Makes of a function the part of it that each rank of a job computes.";
  let description = [{
    Of functions with arguments that have `keratin.sharded`, the dimension along which each rank
    is given a part of what the function is about; the attribute becomes `keratin.part`, which
    results that are parts get, too. A size that is sharded is a symbol, so it goes through the
    graph in the types of values: from here on it is the size of the rank's own part. What is computed element by element along it stays as it is. A sum, a
    contraction or a scatter over it is one rank's share of the sum, and so is the size itself.
    Shares are added, scaled, moved and summed up further as they are; where anything else needs
    the whole, there is one `keratin.all_reduce` behind all of that. What is scaled of a share that
    is needed whole as well is made of the whole. Shares that are ready before the first of them is
    needed go in one, of 25 MiB at most, the last of 4 MiB; what other shares are made of goes apart
    from gradients, for which nothing waits.

    With `keratin.mesh_axis` beside it the ranks are those along this axis of the mesh, and so are
    their messages. Of several axes one is seen to after the other, those of variables first: what
    has parts along another is as it is. What the function itself has ranks do along another axis
    all those along this one do, with parts too, where no rows are moved that are parts.

    Loops are as their bodies; a state that begins with zeros and is a sum of shares is a share.
    Places along the sharded size count from the rank's part where all that is made of them picks
    rows of the part: of d0 * 5 rows, 5 * s + c. A place of another rank's rows is an error of the
    call.

    ```mlir
    %sample = keratin.iota {axis = 0 : i64} : tensor<?xi64, #keratin.dims<d0>>
    ```

    What would need elements of other ranks (cumsum, concatenation, gathers and positions along
    the sharded size) is an error of the graph with the line that made the op. In a function with
    `keratin.gathers_parts` the op gets the parts of all ranks instead (`keratin.all_gather`), and
    computes the whole on each of them; it stays whole for ops that need it so, and a slice is the
    rank's part for the others. The sizes of the whole, and of what the ranks before this one have,
    are computed by the call. That costs the memory of the whole on every rank, and messages of
    it, so it is asked for.

    Of variables with `keratin.in_parts` each rank has a part of the elements, in one line, as
    ir/shapes/EvenParts.h says; its symbols are the rank's number and that of all ranks. What is
    computed of them element by element, and what only that needs, is done on parts: a share comes
    by `keratin.reduce_scatter`, in messages as those of shares that are needed whole, of another
    value there is a slice, and whoever needs the whole of a result gets it by
    `keratin.all_gather`.

    Of a variable with `keratin.own_part` each rank has a part along the dimension that is sharded:
    <4*d1, 4>, of equal ones, is the one of rank d1, <d1, d2> one that begins somewhere and has some
    size. All dimensions that follow from it have the part's size, and only these: a product along
    columns is a part, one over rows a share. A value that is whole, a bias, is cut where it meets
    a part. A gather of rows of which each rank has some picks the rank's own, and zeros for the
    others (`keratin.own_rows`): a share. What is scattered by the same indices into as many rows is
    a part of the rows, too. Where the indices are in parts along the same axis they come to all
    ranks by `keratin.all_gather`, as what is scattered does, and what is found goes back by
    `keratin.reduce_scatter`.

    ```mlir
    %checked = keratin.check_range %indices lower = <0> upper = <8> "gather: …" : tensor<3xi32>
    %own = keratin.sub %checked, %begin : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    %rows = keratin.gather %part, %own {keratin.own_rows} : (tensor<4x2xf32>, tensor<3xi32>) -> tensor<3x2xf32>
    %y = keratin.all_reduce sum %rows : tensor<3x2xf32>
    ```

    `keratin.rank` and `keratin.rank_count` get a symbol in their attribute `keratin.size`, one for
    each axis: a call knows its rank and how many there are as it knows its sizes.

    Between `keratin.enter_rank` and `keratin.leave_rank` each rank computes by itself, with its own
    rows of the sizes that inputs have: no message is sent for that, and what leaves is a part, or a
    share of a sum. Along the axis of variables in parts it is as anything else.

    Before:
    ```mlir
    func.func @f(%x: tensor<?x4xf32, #keratin.dims<d0, 4>> {keratin.sharded = 0 : i64}) -> tensor<4xf32> {
      %y = keratin.reduce_sum %x axes = [0] : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<4xf32>
    ```
    After, with `keratin.part = 0` on %x:
    ```mlir
      %y = keratin.reduce_sum %x axes = [0] : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<4xf32>
      %0 = keratin.all_reduce sum %y : tensor<4xf32>
    ```
  }];
  let options = [
    Option<"bucketBytes", "bucket-bytes", "int64_t", "26214400", "at most in one message of several values">,
    Option<"lastBucketBytes", "last-bucket-bytes", "int64_t", "4194304", "at most in the last of these messages, beside which nothing is computed">,
  ];
}
