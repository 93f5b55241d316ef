// Products with matrices of which only some elements are stored.
#ifndef KERATIN_SPARSE_OPS
#define KERATIN_SPARSE_OPS

include "ir/dialect/KeratinBase.td"

def Keratin_SparseDotOp : Keratin_Op<"sparse_dot", [Pure]> {
  let summary = "product of a sparse matrix and a dense one";
  let batching = "map";
  let savedSince = 1;
  let where = ["rows", "columns"];
  let bounds = "Contraction";
  let kernel = "SparseDot";
  let operations = "sparseDot(op)";
  let canFail = 1;
  let description = [{
    y = 0; y[rows[i], j] += values[i] * x[columns[i], j] for each stored element i in order.
    `rows`, `columns` and `values` are vectors of one length; an index outside y or x is an
    error of the call. With rows and columns exchanged this is the product with the transposed
    matrix, so the gradient of x is sparse_dot again; that of values is the sum over j of
    dy[rows[i], j] * x[columns[i], j]. Coordinates in row-major order are walked fastest.
  }];
  let arguments = (ins Keratin_IntTensor:$rows, Keratin_IntTensor:$columns,
      Keratin_NumberTensor:$values, Keratin_NumberTensor:$x);
  let results = (outs Keratin_NumberTensor:$y);
  let hasVerifier = 1;
  let hasCustomVjp = 1;
  let jvp = "product";
}

#endif // KERATIN_SPARSE_OPS
