// Factorizations of matrices, and what is solved by them. Before kernels are formed they become loops
// and contractions (passes/linalg).
#ifndef KERATIN_LINEAR_ALGEBRA_OPS
#define KERATIN_LINEAR_ALGEBRA_OPS

include "ir/dialect/KeratinBase.td"

// Of the last two dimensions; the ones before are batches.
class Keratin_MatrixOp<string mnemonic> : Keratin_Op<mnemonic, [Pure]> {
  let savedSince = 5;
  let batching = "dimensions";
  let hasVerifier = 1;
  let hasCustomVjp = 1;
}

def Keratin_CholeskyOp : Keratin_MatrixOp<"cholesky"> {
  let summary = "the lower triangle L with x = L L^T";
  let description = [{
    Of symmetric positive definite matrices, of which the lower triangle is read; zeros above the
    diagonal of the result. NaN where a matrix is not positive definite. Gradient: symmetric
    (Murray: Differentiation of the Cholesky decomposition, 2016).

    ```mlir
    %y = keratin.cholesky %x : (tensor<8x4x4xf32>) -> tensor<8x4x4xf32>
    ```
  }];
  let arguments = (ins Keratin_FloatTensor:$x);
  let results = (outs Keratin_FloatTensor:$y);
}

def Keratin_TriangularSolveOp : Keratin_MatrixOp<"triangular_solve"> {
  let summary = "y with A y = b, where A is a triangle of a";
  let description = [{
    A is the upper triangle of a or, with `lower`, the lower one, of whose diagonal ones are taken
    with `unit_diagonal`; with `transposed` it is A^T y = b. Elements outside are not read. Zeros on
    the diagonal give infinities or NaN. Gradient: of b triangular_solve with the transpose, of a
    minus that times y^T, in the triangle.
  }];
  let arguments = (ins Keratin_FloatTensor:$a, Keratin_FloatTensor:$b, UnitAttr:$lower,
      UnitAttr:$transposed, UnitAttr:$unit_diagonal);
  let results = (outs Keratin_FloatTensor:$y);
}

def Keratin_LuOp : Keratin_MatrixOp<"lu"> {
  let summary = "the factors of x[permutation] = L U, with partial pivoting";
  let description = [{
    factors has U in its upper triangle and L, whose diagonal is ones, below; permutation is the
    order of the rows, int64. The pivot is the first of the largest in a column; a column of zeros
    is left. Gradient: of the factors (square matrices).
  }];
  let arguments = (ins Keratin_FloatTensor:$x);
  let results = (outs Keratin_FloatTensor:$factors, TensorOf<[I64]>:$permutation);
}

def Keratin_QrOp : Keratin_MatrixOp<"qr"> {
  let summary = "x = Q R with orthonormal columns of Q and an upper triangle R";
  let description = [{
    Of m x n matrices: q is m x k and r is k x n, where k is the smaller of both. By reflections of
    Householder; the diagonal of r has any sign. Gradient: for m >= n and full rank.
  }];
  let arguments = (ins Keratin_FloatTensor:$x);
  let results = (outs Keratin_FloatTensor:$q, Keratin_FloatTensor:$r);
}

def Keratin_EighOp : Keratin_MatrixOp<"eigh"> {
  let summary = "eigenvalues, ascending, and eigenvectors of symmetric matrices";
  let description = [{
    The lower triangle of x is read. vectors has the eigenvector of values[i] as column i, of length
    one and of any sign. By rotations of Jacobi. Gradient: infinite or NaN for eigenvectors of equal
    eigenvalues.
  }];
  let arguments = (ins Keratin_FloatTensor:$x);
  let results = (outs Keratin_FloatTensor:$values, Keratin_FloatTensor:$vectors);
}

def Keratin_SvdOp : Keratin_MatrixOp<"svd"> {
  let summary = "x = U diag(s) V^T with orthonormal columns of U and V, singular values descending";
  let description = [{
    Of m x n matrices: u is m x k, s has k elements, vt is k x n, where k is the smaller of both. By
    one-sided rotations of Jacobi. Gradient: infinite or NaN for vectors of equal singular values.
  }];
  let arguments = (ins Keratin_FloatTensor:$x);
  let results = (outs Keratin_FloatTensor:$u, Keratin_FloatTensor:$s, Keratin_FloatTensor:$vt);
}

#endif // KERATIN_LINEAR_ALGEBRA_OPS
