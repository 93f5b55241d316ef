// K functions: sparse Jacobians and Hessians, and the vectors that sparse tensors are made of.
#ifndef KERATIN_SPARSE_DERIVATIVES_H
#define KERATIN_SPARSE_DERIVATIVES_H

#include "keratin/tensor.h"

#include <string>
#include <vector>

namespace keratin::backend {

// The vectors that the tensor is made of, of one length: the row of each stored element, its
// column, both int64, and its value. format "csr": in place of the rows, where each row starts, and
// at last the number of elements; for a tensor whose places are known when the graph is built, in
// row-major order, as those of derivatives are.
std::vector<Tensor> sparse_parts(const Tensor &tensor, const std::string &format = "coo",
                                 SourceLocation location = SourceLocation::current());

// The derivative of each element of the output by each of the input, which have known sizes: a
// sparse tensor with a row for each element of the output and a column for each of the input, both
// in row-major order. The places that are stored are found when the graph is built; of those that
// are not the derivative is zero, whatever the input is. As few products as possible are computed:
// mode "forward", by jvp, for columns that share no row; "reverse", by vector_jacobian_product, for
// rows that share no column; "auto": whichever are fewer.
Tensor sparse_jacobian(const Tensor &output, const Tensor &input, const std::string &mode = "auto",
                       SourceLocation location = SourceLocation::current());
// The second derivatives of the loss (its sum, if it is no scalar) by all pairs of elements of x,
// in the same way; products of columns from which symmetry gives the rest.
Tensor sparse_hessian(const Tensor &loss, const Tensor &x,
                      SourceLocation location = SourceLocation::current());

} // namespace keratin::backend

#endif // KERATIN_SPARSE_DERIVATIVES_H
