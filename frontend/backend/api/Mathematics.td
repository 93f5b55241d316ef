// What keras.backend does not have and NumPy, SciPy and TensorFlow do.
class Keratin_Mathematics<string name, string signature> : Keratin_Extension<name, signature>;

class Keratin_PairFunction<string name, string signature, string what, string result>
    : Keratin_Mathematics<name, name # signature> {
  let documentation = what # [{

    Args:
        }] # !subst("(", "", !subst(")", "", signature)) # [{: tensors or what becomes tensors, which are broadcast; integers and bools become
            floatx().

    Returns:
        }] # result;
}

//===-- Element by element ----------------------------------------------------------------------===//

def Api_expm1 : Keratin_FloatExtension<"expm1",
    "exp(x) - 1 without cancellation near 0, element by element.">;
def Api_log1p : Keratin_FloatExtension<"log1p",
    "log(1 + x) without cancellation near 0, element by element.">;
def Api_sinc : Keratin_FloatExtension<"sinc",
    "sin(pi * x) / (pi * x), 1 at 0, element by element.">;
def Api_hypot : Keratin_PairFunction<"hypot", "(x, y)",
    "sqrt(x * x + y * y) without overflow, element by element.",
    "A tensor of the wider dtype. At (0, 0) the gradient is 0.">;
def Api_atan2 : Keratin_PairFunction<"atan2", "(y, x)",
    "The angle of the point (x, y) in radians, from -pi to pi, element by element.",
    [{A tensor of the wider dtype, for zeros with the signs that C's atan2 has. At (0, 0) the
        gradient is 0.}]>;
def Api_xlogy : Keratin_PairFunction<"xlogy", "(x, y)",
    "x * log(y), and 0 where x is 0, element by element.",
    [{A tensor of the wider dtype; NaN where y is. Where x is 0 and log(y) is not finite the
        gradient is 0.}]>;

def Api_erfc : Keratin_FloatExtension<"erfc",
    "1 - erf(x) without cancellation, element by element.">;
def Api_erfinv : Keratin_FloatExtension<"erfinv",
    [{The inverse of erf, element by element: infinite at -1 and 1, NaN beyond.}]>;
def Api_ndtr : Keratin_FloatExtension<"ndtr",
    [{The distribution function of the normal distribution with mean 0 and variance 1, element by
    element.}]>;
def Api_log_ndtr : Keratin_FloatExtension<"log_ndtr",
    "log(ndtr(x)), which keeps its digits however small ndtr(x) is, element by element.">;
def Api_ndtri : Keratin_Mathematics<"ndtri", "ndtri(p)"> {
  let documentation = [{
    The inverse of ndtr, element by element.

    Args:
        p: a tensor or what becomes one; integers and bools become floatx().

    Returns:
        A tensor of p's shape and dtype: -inf at 0, inf at 1, NaN outside.
  }];
}
def Api_lgamma : Keratin_FloatExtension<"lgamma",
    "log(abs(gamma(x))), element by element; inf at 0, -1, -2, ….">;
def Api_digamma : Keratin_FloatExtension<"digamma",
    "The derivative of lgamma, element by element; NaN at -1, -2, ….">;
def Api_polygamma : Keratin_Mathematics<"polygamma", "polygamma(n, x)"> {
  let documentation = [{
    The n-th derivative of digamma, element by element.

    Args:
        n: an int from 0 to 170, whose factorial a float64 holds.
        x: a tensor or what becomes one; integers and bools become floatx().

    Returns:
        A tensor of x's shape and dtype. At 0, -1, -2, … inf for odd n; for even n NaN, but -inf at 0
        and inf at -0.

    Raises:
        ValueError: for another n.
  }];
}
def Api_igamma : Keratin_PairFunction<"igamma", "(a, x)",
    "The lower incomplete gamma function, regularized, as scipy.special.gammainc.",
    [{A tensor of the wider dtype: from 0 to 1; NaN for a negative a or x. Gradients flow to both; a has
        no second derivative.}]>;
def Api_igammac : Keratin_PairFunction<"igammac", "(a, x)",
    "1 - igamma(a, x), which keeps its digits where that is small, as scipy.special.gammaincc.",
    [{A tensor of the wider dtype: from 0 to 1; NaN for a negative a or x. Gradients flow to both; a has
        no second derivative.}]>;
def Api_betainc : Keratin_Mathematics<"betainc", "betainc(a, b, x)"> {
  let documentation = [{
    The incomplete beta function, regularized, element by element, as scipy.special.betainc.

    Args:
        a, b, x: tensors or what becomes tensors, which are broadcast; integers and bools become
            floatx().

    Returns:
        A tensor of the widest dtype: from 0 to 1; NaN for a negative a or b, and for an x that is
        not between 0 and 1. Gradients flow to all; a and b have no second derivatives.
  }];
}
def Api_zeta : Keratin_PairFunction<"zeta", "(x, q)",
    "The zeta function of Hurwitz, the sum of (q + k)**-x over k = 0, 1, …, element by element.",
    [{A tensor of the wider dtype: inf where x is 1 and where q is 0, -1, -2, …; NaN where x is less,
        and for other negative q where x is no whole number. x gets no gradient.}]>;
def Api_bessel_i0e : Keratin_FloatExtension<"bessel_i0e",
    [{exp(-abs(x)) times the modified Bessel function of the first kind of order 0, element by
    element.}]>;
def Api_bessel_i1e : Keratin_FloatExtension<"bessel_i1e",
    [{exp(-abs(x)) times the modified Bessel function of the first kind of order 1, element by
    element.}]>;

//===-- Along axes ------------------------------------------------------------------------------===//

class Keratin_RunningFunction<string name, string what, string result>
    : Keratin_Mathematics<name, name # "(x, axis=0)"> {
  let documentation = what # [{

    Args:
        x: a tensor or what becomes one.
        axis: one axis.

    Returns:
        }] # result;
}
def Api_cummax : Keratin_RunningFunction<"cummax",
    "The largest element so far along an axis, for each element.",
    "A tensor of x's shape and dtype, NaN from the first NaN on. The gradient goes to the first of equals.">;
def Api_cummin : Keratin_RunningFunction<"cummin",
    "The smallest element so far along an axis, for each element.",
    "A tensor of x's shape and dtype, NaN from the first NaN on. The gradient goes to the first of equals.">;
def Api_cumlogsumexp : Keratin_RunningFunction<"cumlogsumexp",
    "log(cumsum(exp(x))) along an axis, computed without overflow.",
    "A tensor of x's shape and dtype, floatx() for integers and bools.">;

def Api_sort : Keratin_Mathematics<"sort", "sort(x, axis=-1)"> {
  let documentation = [{
    The elements along an axis in ascending order.

    Args:
        x: a tensor or what becomes one.
        axis: one axis.

    Returns:
        A tensor of x's shape and dtype, NaN last. The gradient goes to where an element was.
  }];
}
def Api_argsort : Keratin_Mathematics<"argsort", "argsort(x, axis=-1)"> {
  let documentation = [{
    Where the elements along an axis come from that stand in ascending order.

    Args:
        x: a tensor or what becomes one.
        axis: one axis.

    Returns:
        An int64 tensor of x's shape; equals in their order, NaN last.
  }];
}
def Api_searchsorted : Keratin_Mathematics<"searchsorted",
    "searchsorted(sorted_sequence, values, side='left')"> {
  let documentation = [{
    How many elements of a vector in ascending order come before values.

    Args:
        sorted_sequence: a vector or what becomes one; whether it is in order is not looked at.
        values: a tensor or what becomes one, of any shape.
        side: 'left': the smaller elements; 'right': equals, too.

    Returns:
        An int64 tensor of the values' shape: where each would be inserted. NaN counts as larger
        than any number.

    Raises:
        ValueError: for another side, and a sequence that is no vector.
  }];
}
def Api_take_along_axis : Keratin_Mathematics<"take_along_axis",
    "take_along_axis(x, indices, axis=-1)"> {
  let documentation = [{
    The elements at places along an axis, each line with its own: x[i, indices[i, j]].

    Args:
        x: a tensor or what becomes one.
        indices: integers of x's rank, from 0, as argsort() gives them. Sizes of other axes are
            broadcast.
        axis: one axis.

    Returns:
        A tensor of the indices' shape and x's dtype.

    Raises:
        TypeError: for indices that are no integers.
        ValueError: for another rank; at the call, for an index outside the axis.
  }];
}
def Api_roll : Keratin_Mathematics<"roll", "roll(x, shift, axis=None)"> {
  let takesComplex = 1;
  let documentation = [{
    The elements moved along axes; those that leave one come in at its other end.

    Args:
        x: a tensor or what becomes one.
        shift: by how many places, an int or an integer scalar, also negative; or one for each axis.
        axis: an axis or a list of them; None: all elements in a row.

    Returns:
        A tensor of x's shape and dtype: [1, 2, 3] by 1 is [3, 1, 2].

    Raises:
        ValueError: if there are as many shifts neither as one nor as the axes.
  }];
}

class Keratin_NanReduction<string name, string what, string result>
    : Keratin_Mathematics<name, name # "(x, axis=None, keepdims=False)"> {
  let hasAddress = 0;
  let documentation = what # [{

    Args:
        x: a tensor or what becomes one.
        axis: an axis or a list of them, negative ones from the end; None: all; []: none.
        keepdims: whether these axes stay, with size 1.

    Returns:
        }] # result;
}
def Api_nansum : Keratin_NanReduction<"nansum", "The sum of all elements along axes but NaN.",
    "A tensor of x's dtype, int32 for bools; 0 over no number.">;
def Api_nanprod : Keratin_NanReduction<"nanprod", "The product of all elements along axes but NaN.",
    "A tensor of x's dtype, int32 for bools; 1 over no number.">;
def Api_nanmax : Keratin_NanReduction<"nanmax", "The largest of all elements along axes but NaN.",
    "A tensor of x's dtype, int32 for bools; NaN over no number.">;
def Api_nanmin : Keratin_NanReduction<"nanmin", "The smallest of all elements along axes but NaN.",
    "A tensor of x's dtype, int32 for bools; NaN over no number.">;
def Api_nanmean : Keratin_NanReduction<"nanmean", "The mean of all elements along axes but NaN.",
    "A tensor of x's dtype, floatx() for integers and bools; NaN over no number.">;
def Api_nanvar : Keratin_NanReduction<"nanvar",
    "The population variance of all elements along axes but NaN.",
    "A tensor of x's dtype, floatx() for integers and bools; NaN over no number.">;
def Api_nanstd : Keratin_NanReduction<"nanstd",
    "The standard deviation of all elements along axes but NaN.",
    [{A tensor of x's dtype, floatx() for integers and bools; NaN over no number. Where the
        variance is 0 the gradient is not finite.}]>;

//===-- Segments --------------------------------------------------------------------------------===//

class Keratin_SegmentReduction<string name, string what, string result>
    : Keratin_Mathematics<name, name # "(x, segment_ids, num_segments)"> {
  let documentation = what # [{

    Args:
        x: a tensor or what becomes one, of rank 1 or more.
        segment_ids: an integer for each row of x, in no order: its segment.
        num_segments: how many segments there are, an int or a scalar tensor.

    Returns:
        }] # result # [{

    Raises:
        TypeError: for ids that are no integers.
        ValueError: for ids that are not as many as rows; at the call, for one that is negative or
            not below num_segments.
  }];
}
def Api_segment_sum : Keratin_SegmentReduction<"segment_sum",
    "The sums of the rows that belong to one segment.",
    [{A tensor (num_segments, ...) of x's dtype, int32 for bools; 0 for a segment without rows.
        Rows are added in their order.}]>;
def Api_segment_mean : Keratin_SegmentReduction<"segment_mean",
    "The means of the rows that belong to one segment.",
    [{A tensor (num_segments, ...) of x's dtype, floatx() for integers and bools; 0 for a segment
        without rows.}]>;
def Api_segment_max : Keratin_SegmentReduction<"segment_max",
    "The largest elements of the rows that belong to one segment.",
    [{A tensor (num_segments, ...) of x's dtype, int32 for bools; -inf, or the smallest integer, for a
        segment without rows, and NaN for one with NaN. The gradient is shared among equals.}]>;
def Api_segment_min : Keratin_SegmentReduction<"segment_min",
    "The smallest elements of the rows that belong to one segment.",
    [{A tensor (num_segments, ...) of x's dtype, int32 for bools; inf, or the largest integer, for a
        segment without rows, and NaN for one with NaN. The gradient is shared among equals.}]>;
def Api_bincount : Keratin_Mathematics<"bincount", "bincount(x, length, weights=None)"> {
  let documentation = [{
    How often each of the numbers from 0 on is among integers.

    Args:
        x: integers, of any shape.
        length: how many numbers are counted, an int or a scalar tensor.
        weights: None, or what each element counts; broadcast to x's shape.

    Returns:
        A vector of this length: int64, or of the weights' dtype.

    Raises:
        TypeError: for x that has no integers.
        ValueError: at the call, for an element that is negative or not below length.
  }];
}
def Api_unique : Keratin_Mathematics<"unique", "unique(x, size=None)"> {
  let documentation = [{
    The elements that differ, in ascending order.

    Args:
        x: a tensor or what becomes one, taken as a vector.
        size: how many are returned, an int or a scalar tensor; None: as many as there are, a size
            that the call finds out.

    Returns:
        A tuple of four: the values, vector of x's dtype, NaN (once) last; where the first of each is,
        int64; for each element of x its number among the values, int64, of x's shape; and how often
        each is there, int64. With size zeros are behind the last one, whose counts are 0. The
        gradient goes to the first of each.

    Raises:
        ValueError: at the call, where more than size elements differ.
  }];
}
def Api_histogram : Keratin_Mathematics<"histogram", "histogram(x, bins, low, high)"> {
  let documentation = [{
    How many elements are in each of equal parts of a range.

    Args:
        x: a tensor or what becomes one; integers and bools become floatx().
        bins: how many parts, an int.
        low, high: the ends of the range, two numbers. Elements outside, and NaN, are not counted.

    Returns:
        An int64 vector. A part has its lower edge and not its upper one, but for the last.

    Raises:
        ValueError: for no bins, and a range that is empty or not finite.
  }];
}

//===-- Matrices --------------------------------------------------------------------------------===//

class Keratin_Triangle<string name, string where>
    : Keratin_Mathematics<name, name # "(x, k=0)"> {
  let documentation = "The matrices in the last two axes " # where # [{ a diagonal, 0 elsewhere.

    Args:
        x: a tensor or what becomes one, of rank 2 or more.
        k: the diagonal, an int: 0 is the main one, 1 the next above it.

    Returns:
        A tensor of x's shape and dtype.

    Raises:
        ValueError: for a scalar or a vector.
  }];
}
def Api_tril : Keratin_Triangle<"tril", "on and below">;
def Api_triu : Keratin_Triangle<"triu", "on and above">;
def Api_band_part : Keratin_Mathematics<"band_part", "band_part(x, num_lower, num_upper)"> {
  let documentation = [{
    The matrices in the last two axes near the main diagonal, 0 elsewhere.

    Args:
        x: a tensor or what becomes one, of rank 2 or more.
        num_lower, num_upper: how many diagonals below and above the main one stay, ints; a
            negative one: all.

    Returns:
        A tensor of x's shape and dtype.

    Raises:
        ValueError: for a scalar or a vector.
  }];
}
def Api_kron : Keratin_Mathematics<"kron", "kron(x, y)"> {
  let documentation = [{
    The Kronecker product: each element of x multiplied by the whole y, in its place.

    Args:
        x, y: tensors or what becomes tensors; the shorter shape has axes of size 1 before it.

    Returns:
        A tensor of the wider dtype, whose sizes are the products of theirs.
  }];
}
def Api_cross : Keratin_Mathematics<"cross", "cross(x, y, axis=-1)"> {
  let documentation = [{
    The cross products of vectors of three along an axis.

    Args:
        x, y: tensors or what becomes tensors; they are broadcast.
        axis: one axis, of size 3.

    Returns:
        A tensor of the wider dtype.

    Raises:
        TypeError: for bools.
        ValueError: for an axis of another size.
  }];
}
def Api_norm : Keratin_Mathematics<"norm", "norm(x, ord=None, axis=None, keepdims=False)"> {
  let hasAddress = 0;
  let documentation = [{
    Norms of vectors or matrices, as of numpy.linalg.norm.

    Args:
        x: a tensor or what becomes one; integers and bools become floatx().
        ord: of vectors a number p: sum(abs(x)**p)**(1 / p), inf: the largest of abs(x), -inf: the
            smallest, 0: how many are not 0; None: 2. Of matrices 1, -1: the largest, the smallest
            sum of abs(x) of a column; inf, -inf: of a row; 'fro', None: the square root of the
            sum of squares; 2, -2: the largest, the smallest singular value, 'nuc': their sum.
        axis: the axis of the vectors, or two of matrices, rows first; None: all elements if ord is
            None, else x is a vector or a matrix.
        keepdims: whether these axes stay, with size 1.

    Returns:
        A tensor of x's dtype. Where the sum under a root is 0 its gradient is 0.

    Raises:
        ValueError: for another ord, and more than two axes.
  }];
}
def Api_matrix_power : Keratin_Mathematics<"matrix_power", "matrix_power(x, n)"> {
  let documentation = [{
    The products of n equal square matrices in the last two axes.

    Args:
        x: a tensor or what becomes one, of rank 2 or more.
        n: an int; 0 gives unit matrices, a negative one the powers of the inverses.

    Returns:
        A tensor of x's shape and dtype; of integers and a negative n, floatx().

    Raises:
        TypeError: for bools.
        ValueError: for matrices that are not square; at the call, for a singular one if n is
            negative.
  }];
}

//===-- Factorizations --------------------------------------------------------------------------===//

def Api_cholesky : Keratin_Mathematics<"cholesky", "cholesky(x, check=True)"> {
  let documentation = [{
    The lower triangles l with x = l times its transpose, as of numpy.linalg.cholesky.

    Args:
        x: symmetric positive definite matrices in the last two axes, of which the lower triangle
            is read; integers and bools become floatx().
        check: whether the call fails for a matrix that is not positive definite; if not, the
            result is NaN there.

    Returns:
        A tensor of x's shape and dtype. The gradient is symmetric.

    Raises:
        ValueError: for matrices that are not square; at the call, with check, for one that is not
            positive definite.
  }];
}
def Api_cholesky_solve : Keratin_Mathematics<"cholesky_solve", "cholesky_solve(l, b)"> {
  let documentation = [{
    The solutions y of l times its transpose times y = b, where cholesky() has made l.

    Args:
        l: lower triangles in the last two axes; what lies above is not read.
        b: a vector, which is one column, or matrices; axes before the last two are broadcast.

    Returns:
        A tensor of b's shape, broadcast, and the wider dtype.

    Raises:
        ValueError: for matrices l that are not square, and for another number of rows of b.
  }];
}
def Api_triangular_solve : Keratin_Mathematics<"triangular_solve",
    "triangular_solve(a, b, lower=True, transposed=False, unit_diagonal=False, check=True)"> {
  let hasAddress = 0;
  let documentation = [{
    The solutions y of a y = b, where a are triangles, as of scipy.linalg.solve_triangular.

    Args:
        a: square matrices in the last two axes.
        b: a vector, which is one column, or matrices; axes before the last two are broadcast.
        lower: whether the lower triangle of a is read; if not, the upper one.
        transposed: whether the transpose of that is solved with.
        unit_diagonal: whether there are ones on the diagonal, whatever a has there.
        check: whether the call fails for a zero on the diagonal; if not, the result is NaN there.

    Returns:
        A tensor of b's shape, broadcast, and the wider dtype.

    Raises:
        ValueError: for matrices a that are not square, and for another number of rows of b; at
            the call, with check, for a zero on a diagonal.
  }];
}
def Api_lu : Keratin_Mathematics<"lu", "lu(x)"> {
  let pythonResult = "Tuple[Tensor, Tensor]";
  let documentation = [{
    The factors of matrices with rows exchanged, as of scipy.linalg.lu_factor.

    Args:
        x: matrices in the last two axes; integers and bools become floatx().

    Returns:
        (factors, permutation): x[permutation] is L times U, where factors has U in its upper
        triangle and L, whose diagonal is ones, below. The permutation is the order of the rows,
        int64. The factors have a gradient if the matrices are square.

    Raises:
        ValueError: for a scalar or a vector.
  }];
}
def Api_solve : Keratin_Mathematics<"solve", "solve(a, b, check=True)"> {
  let documentation = [{
    The solutions y of a y = b, as of numpy.linalg.solve.

    Args:
        a: square matrices in the last two axes.
        b: a vector, which is one column, or matrices; axes before the last two are broadcast.
        check: whether the call fails for a singular matrix; if not, the result is NaN there.

    Returns:
        A tensor of b's shape, broadcast, and the wider dtype; of integers and bools floatx().

    Raises:
        ValueError: for matrices a that are not square, and for another number of rows of b; at
            the call, with check, for a singular matrix.
  }];
}
def Api_inv : Keratin_Mathematics<"inv", "inv(x, check=True)"> {
  let documentation = [{
    The inverse matrices, as of numpy.linalg.inv.

    Args:
        x: square matrices in the last two axes; integers and bools become floatx().
        check: whether the call fails for a singular matrix; if not, the result is NaN there.

    Returns:
        A tensor of x's shape and dtype.

    Raises:
        ValueError: for matrices that are not square; at the call, with check, for a singular one.
  }];
}
def Api_det : Keratin_Mathematics<"det", "det(x)"> {
  let documentation = [{
    The determinants, as of numpy.linalg.det.

    Args:
        x: square matrices in the last two axes; integers and bools become floatx().

    Returns:
        A tensor without these axes. Where a determinant is 0 its second gradient is not finite.

    Raises:
        ValueError: for matrices that are not square.
  }];
}
def Api_slogdet : Keratin_Mathematics<"slogdet", "slogdet(x)"> {
  let pythonResult = "Tuple[Tensor, Tensor]";
  let documentation = [{
    The signs of determinants and the logarithms of their sizes, as of numpy.linalg.slogdet.

    Args:
        x: square matrices in the last two axes; integers and bools become floatx().

    Returns:
        (sign, logabsdet): -1, 0 or 1, and log(abs(det(x))), -inf where that is 0.

    Raises:
        ValueError: for matrices that are not square.
  }];
}

//===-- Orthonormal factors ---------------------------------------------------------------------===//

def Api_qr : Keratin_Mathematics<"qr", "qr(x)"> {
  let pythonResult = "Tuple[Tensor, Tensor]";
  let documentation = [{
    Matrices as products of orthonormal columns and upper triangles, as of numpy.linalg.qr.

    Args:
        x: matrices in the last two axes, m rows and n columns; integers and bools become floatx().

    Returns:
        (q, r): of m rows and k columns, and of k rows and n columns, where k is the smaller of m
        and n. There is a gradient if m is n or more; it is finite if the columns are independent.

    Raises:
        ValueError: for a scalar or a vector.
  }];
}
def Api_eigh : Keratin_Mathematics<"eigh", "eigh(x)"> {
  let pythonResult = "Tuple[Tensor, Tensor]";
  let documentation = [{
    The eigenvalues and eigenvectors of symmetric matrices, as of numpy.linalg.eigh.

    Args:
        x: square matrices in the last two axes, of which the lower triangle is read; integers and
            bools become floatx().

    Returns:
        (values, vectors): the eigenvalues, ascending, and the eigenvectors as columns, of length 1;
        the first of the largest elements of each is positive. NaN for a matrix that is not finite.
        The gradient is symmetric; that of vectors is not finite where eigenvalues are equal.

    Raises:
        ValueError: for matrices that are not square.
  }];
}
def Api_eigvalsh : Keratin_Mathematics<"eigvalsh", "eigvalsh(x)"> {
  let documentation = [{
    The eigenvalues of symmetric matrices, as of numpy.linalg.eigvalsh.

    Args:
        x: square matrices in the last two axes, of which the lower triangle is read; integers and
            bools become floatx().

    Returns:
        A tensor without the last axis: the eigenvalues, ascending. The gradient is symmetric.

    Raises:
        ValueError: for matrices that are not square.
  }];
}
def Api_svd : Keratin_Mathematics<"svd", "svd(x)"> {
  let pythonResult = "Tuple[Tensor, Tensor, Tensor]";
  let documentation = [{
    Singular values and vectors, as of numpy.linalg.svd with full_matrices=False.

    Args:
        x: matrices in the last two axes, m rows and n columns; integers and bools become floatx().

    Returns:
        (u, s, vt): x is u times the diagonal matrix of s times vt. u has m rows and k columns, vt
        k rows and n columns, where k is the smaller of m and n; the singular values s are
        descending. The first of the largest elements in a row of vt is positive. NaN for a matrix
        that is not finite. The gradient of u and vt is not finite where singular values are equal.

    Raises:
        ValueError: for a scalar or a vector.
  }];
}
def Api_pinv : Keratin_Mathematics<"pinv", "pinv(x, rcond=None)"> {
  let documentation = [{
    The pseudoinverses of matrices, as of numpy.linalg.pinv.

    Args:
        x: matrices in the last two axes; integers and bools become floatx().
        rcond: singular values count if they are above so much of the largest, a float; None: the
            larger size of the matrices times the dtype's epsilon.

    Returns:
        A tensor of x's dtype, whose last two sizes are exchanged. With rcond the gradient is not
        finite where singular values are equal.

    Raises:
        ValueError: for a scalar or a vector, and a negative rcond.
  }];
}
def Api_lstsq : Keratin_Mathematics<"lstsq", "lstsq(a, b, rcond=None)"> {
  let documentation = [{
    Solutions of a y = b in the sense of least squares, as of numpy.linalg.lstsq.

    Args:
        a: matrices in the last two axes, of any shape and rank.
        b: a vector, which is one column, or matrices; axes before the last two are broadcast.
        rcond: singular values of a count if they are above so much of the largest, a float; None:
            the larger size of the matrices times the dtype's epsilon.

    Returns:
        The shortest of the y for which a y - b is shortest: a tensor of the wider dtype; of
        integers and bools floatx(). With rcond the gradient of a is not finite where singular
        values of a are equal.

    Raises:
        ValueError: for another number of rows of b, and a negative rcond.
  }];
}
def Api_matrix_rank : Keratin_Mathematics<"matrix_rank", "matrix_rank(x, tol=None)"> {
  let documentation = [{
    How many singular values matrices have, as of numpy.linalg.matrix_rank.

    Args:
        x: matrices in the last two axes; integers and bools become floatx().
        tol: those above it count, a float; None: those above the largest times the larger size of
            the matrices times the dtype's epsilon.

    Returns:
        An int64 tensor without these axes.

    Raises:
        ValueError: for a scalar or a vector, and a negative tol.
  }];
}
def Api_expm : Keratin_Mathematics<"expm", "expm(x)"> {
  let documentation = [{
    The exponentials of matrices, as of scipy.linalg.expm.

    Args:
        x: square matrices in the last two axes; integers and bools become floatx().

    Returns:
        A tensor of x's shape and dtype.

    Raises:
        ValueError: for matrices that are not square.
  }];
}

//===-- Grids -----------------------------------------------------------------------------------===//

def Api_linspace : Keratin_Mathematics<"linspace",
    "linspace(start, stop, num=50, endpoint=True, dtype=None)"> {
  let hasAddress = 0;
  let documentation = [{
    Numbers at equal distances.

    Args:
        start, stop: the first and, with endpoint, the last: numbers or scalar tensors.
        num: how many, an int or a scalar tensor.
        endpoint: whether stop is one of them; if not, it is the one behind.
        dtype: a name; None: floatx(). They are computed in float64.

    Returns:
        A vector.

    Raises:
        ValueError: for a negative num, and a start or stop that is no scalar.
  }];
}
def Api_meshgrid : Keratin_Mathematics<"meshgrid", "meshgrid(xs, indexing='xy')"> {
  let takesComplex = 1;
  let pythonResult = "List[Tensor]";
  let documentation = [{
    The coordinates of all points of a grid.

    Args:
        xs: a list of vectors or what becomes vectors: the coordinates along each axis.
        indexing: 'ij': axis i of the results is that of vector i; 'xy': the first two change
            places, rows being y.

    Returns:
        A list of tensors, one for each vector, with an axis for each of them.

    Raises:
        ValueError: for another indexing, and what is no vector.
  }];
}
