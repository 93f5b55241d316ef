// What the ranks of a job do together (docs/distributed.md).
#ifndef KERATIN_COLLECTIVE_OPS
#define KERATIN_COLLECTIVE_OPS

include "ir/dialect/KeratinBase.td"

def Keratin_RankSum : I64EnumAttrCase<"Sum", 0, "sum">;
def Keratin_RankMax : I64EnumAttrCase<"Max", 1, "max">;
def Keratin_RankMin : I64EnumAttrCase<"Min", 2, "min">;
def Keratin_RankBefore : I64EnumAttrCase<"Before", 3, "before">;
def Keratin_RankReductionAttr : I64EnumAttr<"RankReduction", "what is made of an element of all ranks",
    [Keratin_RankSum, Keratin_RankMax, Keratin_RankMin, Keratin_RankBefore]> {
  let cppNamespace = "::keratin::ir";
}

// All ranks come to the same of them in the same order: so they have an effect, and are neither
// moved, merged nor left out. Where a rank has failed, or wants something else, the call fails on
// all of them. Gradients are those of the sum of what all ranks make.
class Keratin_CollectiveOp<string mnemonic, list<Trait> traits = []> : Keratin_Op<mnemonic, traits> {
  let savedSince = 4;
  let kernel = "Collective";
  let runtimeFunction = "collective";
  let operations = "DimExpr(0)";
  let canFail = 1;
  let hasCustomVjp = 1;
}

def Keratin_AllReduceOp : Keratin_CollectiveOp<"all_reduce", [AllTypesMatch<["x", "y"]>]> {
  let summary = "the sum, the largest or the smallest of what all ranks have, element by element";
  let description = [{
    y[i] = x[i] of rank 0 + ... + x[i] of the last rank, in this order; the largest or the smallest
    of them. All ranks have the same y, but for `before`, the sum over the ranks before this one:
    where its part of a whole begins. Of booleans the sum is `or`. Gradient: of a sum the sum of
    dy; of the largest or smallest that sum, in equal shares to where it comes from.

    ```mlir
    %y = keratin.all_reduce sum %x : tensor<4xf32>
    ```
  }];
  let arguments = (ins Keratin_Tensor:$x, Keratin_RankReductionAttr:$reduction);
  let results = (outs Keratin_Tensor:$y);
  let assemblyFormat = "$reduction $x attr-dict `:` type($y)";
}

def Keratin_AllGatherOp : Keratin_CollectiveOp<"all_gather"> {
  let summary = "the rows that all ranks have, one rank's behind the other's";
  let description = [{
    In the order of ranks, of which each may have another number of rows, none too: y has as many
    as all x together, which is checked by the call. Along another dimension it stands between
    transpositions. Gradient: reduce_scatter of dy.

    ```mlir
    %y = keratin.all_gather %x : tensor<?x4xf32, #keratin.dims<d0, 4>> -> tensor<?x4xf32, #keratin.dims<d1, 4>>
    ```
  }];
  let arguments = (ins Keratin_Tensor:$x);
  let results = (outs Keratin_Tensor:$y);
  let assemblyFormat = "$x attr-dict `:` type($x) `->` type($y)";
  let hasVerifier = 1;
}

def Keratin_ReduceScatterOp : Keratin_CollectiveOp<"reduce_scatter"> {
  let summary = "this rank's rows of the sum, the largest or the smallest of what all ranks have";
  let description = [{
    What all_reduce makes of x, of which each rank gets as many rows as its y has, in the order of
    ranks: together they are those of x, which is checked by the call. There is none of `before`.
    Gradient: of a sum all_gather of dy; of the largest or smallest that, in equal shares to where
    it comes from.

    ```mlir
    %y = keratin.reduce_scatter sum %x : tensor<?x4xf32, #keratin.dims<d1, 4>> -> tensor<?x4xf32, #keratin.dims<d0, 4>>
    ```
  }];
  let arguments = (ins Keratin_Tensor:$x, Keratin_RankReductionAttr:$reduction);
  let results = (outs Keratin_Tensor:$y);
  let assemblyFormat = "$reduction $x attr-dict `:` type($x) `->` type($y)";
  let hasVerifier = 1;
}

#endif // KERATIN_COLLECTIVE_OPS
