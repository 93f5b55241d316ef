// How a sparse Jacobian or Hessian is computed: its structure, and the few products that hold all
// of its elements.
#ifndef KERATIN_COMPILER_DRIVER_SPARSEDERIVATIVE_H
#define KERATIN_COMPILER_DRIVER_SPARSEDERIVATIVE_H

#include "absl/status/statusor.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace keratin::compiler {

enum class ProductMode { Forward, Reverse, Fewer, Symmetric };

// Products of a matrix with sums of columns, or rows.
struct ProductGroups {
  // Of each column, or row, the product that it is in; -1: none.
  std::vector<int32_t> numbers;
  int64_t count = 0; // of products
};

struct SparseDerivative {
  // Of each entry, in row-major order.
  std::vector<int64_t> rows, columns;
  // Of columns by the matrix, forwards, and of rows by the transposed one, in reverse.
  ProductGroups forward, reverse;
  // Ops between the two, if all of them work element by element or move elements; else none. Of few
  // such the products can be computed in one loop, with what they need of the values.
  std::optional<int64_t> opsByElement;
  // Where each entry is found in the products, which are one behind the other, the forward ones
  // first; or in what the function returns now, from which it takes no products.
  std::vector<int64_t> places;
  bool isOfFunction = false;
};

// Of the first result of the module's one function by its first argument, both of known size; for a
// function with the contract of Compiler.h, which is consumed, or with `mayChange` may become one
// that returns the entries, among others. Symmetric: its matrix is, as a
// gradient's is. `name` begins messages. Errors and abandoned work are as those of compile(). A
// structure that is found has its entries where the function's derivative may differ from zero.
absl::StatusOr<SparseDerivative> findSparseDerivative(mlir::ModuleOp module, ProductMode mode,
                                                      bool mayChange, const std::string &name);

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_DRIVER_SPARSEDERIVATIVE_H
