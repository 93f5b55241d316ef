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

def Keratin_AllReduceOp : Keratin_Op<"all_reduce", [AllTypesMatch<["x", "y"]>]> {
  let summary = "the sum, the largest or the smallest of what all ranks have, element by element";
  let isSaved = 0;
  let kernel = "Collective";
  let runtimeFunction = "collective";
  let operations = "DimExpr(0)";
  let canFail = 1;
  let description = [{
    y[i] = x[i] of rank 0 + ... + x[i] of the last rank, in this order; the largest or the smallest
    of them. All ranks have the same y, but for `before`, the sum over the ranks before this one:
    where its part of a whole begins. Of booleans the sum is `or`. All ranks come to the same ops
    in the same order: so it has an effect, and is neither moved, merged nor left out. Where a rank
    has failed, or wants something else, the call fails on all of them. No gradient:
    --keratin-shard makes it, behind all gradients.

    ```mlir
    %y = keratin.all_reduce sum %x : tensor<4xf32>
    ```
  }];
  let arguments = (ins Keratin_Tensor:$x, Keratin_RankReductionAttr:$reduction);
  let results = (outs Keratin_Tensor:$y);
  let assemblyFormat = "$reduction $x attr-dict `:` type($y)";
  let isDifferentiable = 0;
}

#endif // KERATIN_COLLECTIVE_OPS
