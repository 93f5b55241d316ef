// What the ranks of a job do together, and which of them one is (docs/distributed.md).
#ifndef KERATIN_COLLECTIVE_OPS
#define KERATIN_COLLECTIVE_OPS

include "ir/dialect/KeratinBase.td"

def Keratin_RankSum : I64EnumAttrCase<"Sum", 0, "sum">;
def Keratin_RankMax : I64EnumAttrCase<"Max", 1, "max">;
def Keratin_RankMin : I64EnumAttrCase<"Min", 2, "min">;
def Keratin_RankBefore : I64EnumAttrCase<"Before", 3, "before">;
def Keratin_RankMean : I64EnumAttrCase<"Mean", 4, "mean">;
def Keratin_RankReductionAttr : I64EnumAttr<"RankReduction", "what is made of an element of all ranks",
    [Keratin_RankSum, Keratin_RankMax, Keratin_RankMin, Keratin_RankBefore, Keratin_RankMean]> {
  let cppNamespace = "::keratin::ir";
}

def Keratin_MeshAxisAttr : StringBasedAttr<
    And<[CPred<"::llvm::isa<::mlir::StringAttr>($_self)">,
         CPred<"::keratin::ir::isMeshAxis(::llvm::cast<::mlir::StringAttr>($_self).getValue())">]>,
    "the name of an axis of a mesh">;

// All ranks come to the same of them in the same order: so they have an effect, and are neither
// moved, merged nor left out. Where a rank has failed, or wants something else, the call fails on
// all of them. With `mesh_axis` the ranks that are meant, by their places, are those along this axis
// of the mesh that the job is arranged in. Gradients are those of the sum of what these make.
class Keratin_CollectiveOp<string mnemonic, dag own, list<Trait> traits = []>
    : Keratin_Op<mnemonic, traits> {
  let arguments = !con(own, (ins OptionalAttr<Keratin_MeshAxisAttr>:$mesh_axis));
  let savedSince = 4;
  let takesComplex = 1;
  let kernel = "Collective";
  let runtimeFunction = "collective";
  let operations = "DimExpr(0)";
  let canFail = 1;
  let hasCustomVjp = 1;
}

def Keratin_AllReduceOp : Keratin_CollectiveOp<"all_reduce",
    (ins Keratin_Tensor:$x, Keratin_RankReductionAttr:$reduction), [AllTypesMatch<["x", "y"]>]> {
  let summary = "the sum, the mean, the largest or the smallest of what all ranks have";
  let description = [{
    y[i] = x[i] of rank 0 + ... + x[i] of the last rank, in this order; the mean, the largest or the
    smallest of them. All ranks have the same y, but for `before`, the sum over the ranks before
    this one: where its part of a whole begins. Of booleans the sum is `or`; the mean is of floats.
    Gradient: of a sum the sum of dy, of a mean their mean; of the largest or smallest that sum, in
    equal shares to where it comes from.

    ```mlir
    %y = keratin.all_reduce sum %x : tensor<4xf32>
    %z = keratin.all_reduce sum %x along "model" : tensor<4xf32>
    ```
  }];
  let results = (outs Keratin_Tensor:$y);
  let assemblyFormat = "$reduction $x (`along` $mesh_axis^)? attr-dict `:` type($y)";
  let hasVerifier = 1;
  let hasCustomJvp = 1;
}

def Keratin_AllGatherOp : Keratin_CollectiveOp<"all_gather", (ins Keratin_Tensor:$x)> {
  let summary = "the rows that all ranks have, one rank's behind the other's";
  let description = [{
    In the order of ranks, of which each may have another number of rows, none too: y has as many
    as all x together, which is checked by the call. Along another dimension it stands between
    transpositions. Gradient: reduce_scatter of dy.

    ```mlir
    %y = keratin.all_gather %x : tensor<?x4xf32, #keratin.dims<d0, 4>> -> tensor<?x4xf32, #keratin.dims<d1, 4>>
    ```
  }];
  let results = (outs Keratin_Tensor:$y);
  let assemblyFormat = "$x (`along` $mesh_axis^)? attr-dict `:` type($x) `->` type($y)";
  let hasVerifier = 1;
  let jvp = "linear";
}

def Keratin_ReduceScatterOp : Keratin_CollectiveOp<"reduce_scatter",
    (ins Keratin_Tensor:$x, Keratin_RankReductionAttr:$reduction)> {
  let summary = "this rank's rows of what all_reduce makes of all ranks'";
  let description = [{
    What all_reduce makes of x, of which each rank gets as many rows as its y has, in the order of
    ranks: together they are those of x, which is checked by the call. There is none of `before`.
    Gradient: of a sum all_gather of dy, of a mean that over the number of ranks; of the largest or
    smallest all_gather of dy, in equal shares to where it comes from.

    ```mlir
    %y = keratin.reduce_scatter sum %x : tensor<?x4xf32, #keratin.dims<d1, 4>> -> tensor<?x4xf32, #keratin.dims<d0, 4>>
    ```
  }];
  let results = (outs Keratin_Tensor:$y);
  let assemblyFormat = "$reduction $x (`along` $mesh_axis^)? attr-dict `:` type($x) `->` type($y)";
  let hasVerifier = 1;
  let hasCustomJvp = 1;
}

def Keratin_BroadcastFromOp : Keratin_CollectiveOp<"broadcast_from",
    (ins Keratin_Tensor:$x, I64Attr:$root), [AllTypesMatch<["x", "y"]>]> {
  let summary = "what one rank has";
  let description = [{
    y = x of the rank `root`, on all ranks. A rank that there is not is an error of the call.
    Gradient: on that rank the sum of all ranks' dy, zeros on the others.

    ```mlir
    %y = keratin.broadcast_from %x root = 0 : tensor<4xf32>
    ```
  }];
  let results = (outs Keratin_Tensor:$y);
  let assemblyFormat = "$x `root` `=` $root (`along` $mesh_axis^)? attr-dict `:` type($y)";
  let hasVerifier = 1;
  let jvp = "linear";
}

def Keratin_AllToAllOp : Keratin_CollectiveOp<"all_to_all", (ins Keratin_Tensor:$x),
    [AllTypesMatch<["x", "y"]>]> {
  let summary = "of what each rank has the part that is for this one";
  let description = [{
    The elements of x, row by row, are as many equal parts as there are ranks: part r goes to rank
    r, and y are the parts for this rank, in the order of ranks. Another number of elements is an
    error of the call. Gradient: all_to_all of dy, which brings each part back.

    ```mlir
    %y = keratin.all_to_all %x : tensor<8x4xf32>
    ```
  }];
  let results = (outs Keratin_Tensor:$y);
  let assemblyFormat = "$x (`along` $mesh_axis^)? attr-dict `:` type($y)";
  let jvp = "linear";
}

def Keratin_PermuteOp : Keratin_CollectiveOp<"permute",
    (ins Keratin_Tensor:$x, DenseI64ArrayAttr:$pairs), [AllTypesMatch<["x", "y"]>]> {
  let summary = "what another rank has";
  let description = [{
    Of each of the `pairs`, a rank and another one or the same, y of the second is x of the first.
    No rank is twice the first, or twice the second; y of one that is never the second is zeros. A
    rank that there is not is an error of the call. Gradient: permute of dy by the pairs turned
    round.

    ```mlir
    %y = keratin.permute %x pairs = [0, 1, 1, 2] : tensor<4xf32>
    ```
  }];
  let results = (outs Keratin_Tensor:$y);
  let assemblyFormat = "$x `pairs` `=` $pairs (`along` $mesh_axis^)? attr-dict `:` type($y)";
  let hasVerifier = 1;
  let jvp = "linear";
  let fillsWithZeros = 1;
}

// No message: a call knows its rank, as it knows its sizes.
class Keratin_RankNumberOp<string mnemonic> : Keratin_Op<mnemonic, [Pure]> {
  let costsNothing = 1;
  let freeToRepeat = "true";
  let isMadeByElement = 1;
  let arguments = (ins OptionalAttr<Keratin_MeshAxisAttr>:$mesh_axis);
  let results = (outs 0DTensorOf<[I64]>:$y);
  let assemblyFormat = "(`along` $mesh_axis^)? attr-dict `:` type($y)";
  let isDifferentiable = 0;
  let extraClassDeclaration = [{
    // The symbol, which the compiler alone knows; null: it has none yet.
    static constexpr ::llvm::StringLiteral kSizeAttr = "keratin.size";
    ::keratin::ir::DimsAttr getSizeAttr() {
      return (*this)->getAttrOfType<::keratin::ir::DimsAttr>(kSizeAttr);
    }
    void setSizeAttr(::keratin::ir::DimsAttr size) { (*this)->setAttr(kSizeAttr, size); }
    ::keratin::ir::DimExpr getSize() { return getSizeAttr().getDims()[0]; }
  }];
}

def Keratin_RankOp : Keratin_RankNumberOp<"rank"> {
  let summary = "which of the ranks this one is";
  let savedSince = 4;
  let description = [{
    y is the rank's number, or with `mesh_axis` its place among those along this axis of the mesh;
    0 of a rank alone. No gradient. --keratin-shard gives it a symbol, which is a size of the call.

    ```mlir
    %y = keratin.rank : tensor<i64>
    %z = keratin.rank along "model" : tensor<i64>
    ```
  }];
}

def Keratin_RankCountOp : Keratin_RankNumberOp<"rank_count"> {
  let summary = "how many ranks there are";
  let savedSince = 6;
  let description = [{
    y is the number of ranks of the job, or with `mesh_axis` of those along this axis of the mesh; 1
    for a rank alone. No gradient. --keratin-shard gives it a symbol, which is a size of the call.

    ```mlir
    %y = keratin.rank_count : tensor<i64>
    %z = keratin.rank_count along "model" : tensor<i64>
    ```
  }];
}

#endif // KERATIN_COLLECTIVE_OPS
