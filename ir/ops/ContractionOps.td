// Sums of products.
#ifndef KERATIN_CONTRACTION_OPS
#define KERATIN_CONTRACTION_OPS

include "ir/dialect/KeratinBase.td"

def Keratin_DotGeneralOp : Keratin_Op<"dot_general", [Pure, InferTypeOpAdaptor]> {
  let summary = "batched contraction of two tensors";
  let savedSince = 0;
  let isContraction = 1;
  let isTiled = 1;
  let isMadeByElement = 1;
  let batching = "own";
  let linearIn = ["a", "b"];
  let bounds = "Contraction";
  let kernel = "Contraction";
  let operations = "contraction(op)";
  let description = [{
    Sums over pairs of contracted dimensions for each index of the paired batch dimensions. The
    result has the batch dimensions, then the rest of a, then the rest of b, each in order.
    Gradient: dot_general with the other operand, transposed into place.

    ```mlir
    %y = keratin.dot_general %a, %b batch = [] x [] contract = [1] x [0]
        : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    ```
  }];
  let arguments = (ins Keratin_NumberTensor:$a, Keratin_NumberTensor:$b, DenseI64ArrayAttr:$a_batch,
      DenseI64ArrayAttr:$b_batch,
                       DenseI64ArrayAttr:$a_contract, DenseI64ArrayAttr:$b_contract);
  let results = (outs Keratin_NumberTensor:$y);
  let assemblyFormat = [{
    $a `,` $b `batch` `=` $a_batch `x` $b_batch `contract` `=` $a_contract `x` $b_contract attr-dict `:`
    functional-type(operands, results)
  }];
  let hasCustomVjp = 1;
  let jvp = "product";
}

#endif // KERATIN_CONTRACTION_OPS
