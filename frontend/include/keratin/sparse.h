// Matrices of which only some elements are stored, and the K functions that take them.
//
// A sparse tensor has rank 2 and comes from `K::placeholder(shape, {.sparse = true})` or
// `K::variable(matrix)`. K::dot, concatenate, cast, identity and what asks for shapes take it as
// it is; every other function refuses it and says to use K::to_dense.
#ifndef KERATIN_SPARSE_H
#define KERATIN_SPARSE_H

#include "keratin/tensor.h"

#include <string>
#include <vector>

namespace keratin {

// Stored elements by coordinates (COO), in row-major order, each place once. Explicit zeros stay.
// One that is made by default, or moved from, is empty: all but assigning to it, destroying it and
// isEmpty() is a ValueError.
class SparseMatrix {
public:
  // Element i is values[i] at (rows[i], columns[i]), in any order; equal places are added up.
  // ValueError for lists of different lengths and for places outside the shape.
  static SparseMatrix coo(int64_t rowCount, int64_t columnCount, const std::vector<int64_t> &rows,
                          const std::vector<int64_t> &columns, const Array &values);
  // Row r holds the elements starts[r] to starts[r + 1].
  static SparseMatrix csr(int64_t rowCount, int64_t columnCount, const std::vector<int64_t> &starts,
                          const std::vector<int64_t> &columns, const Array &values);
  // The nonzero elements of an array of rank 2.
  static SparseMatrix fromDense(const Array &dense);

  bool isEmpty() const { return elements.isNone(); }
  const std::vector<int64_t> &shape() const { return checked("shape").dims; }
  DType dtype() const { return checked("dtype").elements.dtype(); }
  // Stored elements.
  int64_t size() const { return checked("size").elements.size(); }
  // int64 vectors, and the elements, of one length.
  const Array &rows() const { return checked("rows").rowNumbers; }
  const Array &columns() const { return checked("columns").columnNumbers; }
  const Array &values() const { return checked("values").elements; }
  SparseMatrix astype(DType dtype) const;
  Array toDense() const;

private:
  const SparseMatrix &checked(const char *call) const;

  std::vector<int64_t> dims;
  Array rowNumbers, columnNumbers, elements;
};

} // namespace keratin

namespace keratin::backend {

// A sparse variable: the stored elements are what is updated and what set_value sets; their places
// stay.
Tensor variable(const SparseMatrix &value, DTypeArgument dtype = None, const std::string &name = "",
                SourceLocation location = SourceLocation::current());
bool is_sparse(const Operand &tensor);
// A dense tensor is returned as it is.
Tensor to_dense(const Operand &tensor, SourceLocation location = SourceLocation::current());

} // namespace keratin::backend

#endif // KERATIN_SPARSE_H
