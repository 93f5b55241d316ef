// Passes of passes/fusion; included by passes/Passes.td.

def FormKernels : KeratinPass<"form-kernels"> {
  let summary = "group ops into kernels that are compiled to one loop nest each";
  let description = [{
    Joins producers with consumers as long as ir::analyzeIterationSpace finds one loop nest for
    them and no cycle arises: elementwise chains with several results, reductions with what they
    read and what reads them, contractions with what follows from their tiles. Broadcasts, iota,
    sizes and scalar constants belong to everyone who reads them, and so do casts of short integers
    in front of contractions. Reshapes stay outside as
    views, and so do slices that take rows of what only loops read. Loops and branches stand
    between kernels, and their regions hold kernels of their own. Random bits are a kernel of their
    own or, by an option, belong to the elementwise kernel that reads them. The gradient of a gather
    is one kernel with the update of its variable (`update-rows`). Attention is one kernel with what
    follows from it, and computes masks of queries and keys itself, if nobody else reads its
    scores and weights, and its gradients are another one, which makes these again (`attention`).
    Reductions of what one of them reads anyway are one kernel, those of columns beside those of
    rows too (`columns`). What a step yields as it was given is copied by a kernel that reads it
    anyway, if there is one.

    ```mlir
    %0 = keratin.exp %x : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %1 = keratin.reduce_sum %0 axes = [1] : (tensor<8x4xf32>) -> tensor<8xf32>
    ```
    becomes
    ```mlir
    %1 = keratin.kernel (%x) : (tensor<8x4xf32>) -> tensor<8xf32> {
    ^bb0(%a: tensor<8x4xf32>):
      %0 = keratin.exp %a : (tensor<8x4xf32>) -> tensor<8x4xf32>
      %2 = keratin.reduce_sum %0 axes = [1] : (tensor<8x4xf32>) -> tensor<8xf32>
      keratin.yield %2 : tensor<8xf32>
    }
    ```
  }];
  let options = [
    Option<"maxOps", "max-ops", "int64_t", "144",
        "ops of a kernel at most: longer ones take long to compile and run out of registers">,
    Option<"fuse", "fuse", "bool", "true",
        "false: every op is a kernel of its own (to find out what fusion does)">,
    Option<"maxTileTensors", "max-tile-tensors", "int64_t", "4",
        "tensors of the full shape beside a contraction's tile at most: further ones stand at the "
        "same place of their pages, and loads wait for stores">,
    Option<"maxRecomputed", "max-recomputed", "int64_t", "3",
        "ops at most that are done anew for every element that reads them">,
    Option<"maxMoves", "max-moves", "int64_t", "4",
        "ops at most that compute an index out of an index: a chain makes every access a gather">,
    Option<"smallElements", "small-elements", "int64_t", "1024",
        "elements of which calls of kernels take longer than the work: such kernels of a step are "
        "joined even if neither reads the other">,
    Option<"fuseRandom", "fuse-random", "bool", "false",
        "random bits are made by the elementwise kernels that read them, not by one of their own">,
    Option<"randomLine", "random-line", "int64_t", "0",
        "with fuse-random: those of lines whose length is known to be a multiple of so many are "
        "made by reductions, and by what follows from tiles, too; 0: none">,
    Option<"updateRows", "update-rows", "bool", "true",
        "rows that are scattered and added to a variable, perhaps times a number, are one kernel "
        "with the sum, which leaves the other rows alone; their indices are checked before">,
    Option<"attention", "attention", "ir::AttentionKinds",
        "ir::AttentionKinds::Exact | ir::AttentionKinds::Gradients",
        "which attention, two products with softmax between them, is one kernel without a matrix "
        "of scores", [{
          llvm::cl::values(
            clEnumValN(ir::AttentionKinds::None, "none", "none"),
            clEnumValN(ir::AttentionKinds::Exact, "exact", "of any types, where weights are not "
                       "rounded"),
            clEnumValN(ir::AttentionKinds::Exact | ir::AttentionKinds::Gradients,
                       "exact+gradients", "the same, and gradients of float32 and float64"),
            clEnumValN(ir::AttentionKinds::Halves, "halves", "of float16 and bfloat16 and of widths "
                       "that are multiples of 8 up to 128; weights may be rounded before they are "
                       "divided by their sum"),
            clEnumValN(ir::AttentionKinds::Halves | ir::AttentionKinds::Gradients,
                       "halves+gradients", "the same, and their gradients"),
            clEnumValN(ir::AttentionKinds::Halves | ir::AttentionKinds::Tf32, "halves+tf32",
                       "halves, and float32 of widths that are multiples of 4"),
            clEnumValN(ir::AttentionKinds::Halves | ir::AttentionKinds::Tf32 |
                           ir::AttentionKinds::Gradients,
                       "halves+tf32+gradients",
                       "the same, and their gradients, of float32 up to widths of 64"))
        }]>,
    Option<"columns", "columns", "bool", "true",
        "kernels that reduce rows also reduce columns of what they compute, in memory that they "
        "get as a result more">
  ];
}

def FuseProducts : KeratinPass<"fuse-products"> {
  let summary = "one rounding for a product that is only added to something";
  let description = [{
    A product of floats whose only use is a sum or a difference becomes `keratin.multiply_add` with
    it; of two such products of a sum the first. A product with another use is rounded, so that
    `x * y - x * y` is 0 wherever it is finite. This is the one place where products are fused into sums: it goes by the
    graph, before kernels are formed, and no target fuses any other, so that all targets that have
    the instruction give the same bits.

    ```mlir
    %0 = keratin.mul %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = keratin.sub %z, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
    becomes
    ```mlir
    %0 = keratin.neg %x : (tensor<4xf32>) -> tensor<4xf32>
    %1 = keratin.multiply_add %0, %y, %z : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def NormalizeContractions : KeratinPass<"normalize-contractions"> {
  let summary = "transpose operands of contractions whose dimensions have no single stride, and "
      "what a loop would transpose at each step";
  let description = [{
    A contraction is compiled as a batched matrix product, whose rows, columns and depth each
    need one stride (ir::getContractionShape). Where memory does not have it, the operand is
    transposed to batch, rows, depth or batch, depth, rows first, so that its innermost
    dimension stays if it can.

    The kernel itself transposes b if its columns are not contiguous. A capture of a loop it
    would transpose at each step: that is transposed here, and what comes after moves the
    transpose out of the loop.
  }];
}

def OpenScalars : KeratinPass<"open-scalars"> {
  let summary = "make operands of the scalars in kernels that might be others";
  let description = [{
    Floating scalars that are finite, and neither 0 nor a power of two, become constants outside of
    kernels. They lie in memory then, and the code is the same whatever they are. Their attribute
    `keratin.scalar` numbers them in the order in which they come up; equal ones have one number.

    ```mlir
    %0 = keratin.kernel (%x) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%a: tensor<4xf32>):
      %1 = keratin.constant dense<0.1> : tensor<f32>
      %2 = keratin.broadcast %1 dims = [] : (tensor<f32>) -> tensor<4xf32>
      ...
    ```
    becomes
    ```mlir
    %c = keratin.constant {keratin.scalar = 0} dense<0.1> : tensor<f32>
    %0 = keratin.kernel (%x, %c) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32> {
    ^bb0(%a: tensor<4xf32>, %b: tensor<f32>):
      %2 = keratin.broadcast %b dims = [] : (tensor<f32>) -> tensor<4xf32>
      ...
    ```
  }];
}

def SplitConcatenations : KeratinPass<"split-concatenations"> {
  let summary = "make a tree of a concatenation of many operands";
  let description = [{
    Each element of a concatenation looks for its operand by comparing, and each comparison is a
    branch to compile. In a tree that is a few comparisons and a copy for each level, whatever
    the number of operands.

    Where operands are copied, one number everywhere that is several of them is a broadcast for
    each: each operand has one place then, where it can be made.

    ```mlir
    %0 = keratin.concatenate %a, %b, %c {axis = 0 : i64}
        : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<6xf32>
    ```
    becomes, with max-operands=2,
    ```mlir
    %1 = keratin.concatenate %a, %b {axis = 0 : i64} : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
    %0 = keratin.concatenate %1, %c {axis = 0 : i64} : (tensor<4xf32>, tensor<2xf32>) -> tensor<6xf32>
    ```
  }];
  let options = [
    Option<"maxOperands", "max-operands", "int64_t", "32",
        "operands of one concatenation at most, at least 2">
  ];
}
