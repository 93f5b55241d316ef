// Sparse tensors in the graph: a keratin.sparse_matrix of three vectors, which no function's code
// sees.
#ifndef KERATIN_FRONTEND_GRAPH_SPARSEPARTS_H
#define KERATIN_FRONTEND_GRAPH_SPARSEPARTS_H

#include "frontend/graph/Call.h"

namespace keratin::frontend {

struct SparseParts {
  Value rows, columns; // int64
  Value values;
  ir::Shape shape; // of the matrix
};

// nullopt for a dense value.
std::optional<SparseParts> sparseParts(Value value);
std::optional<SparseParts> sparseParts(const Operand &operand);
// What the user was given it as.
bool hasSparseRole(const Tensor &tensor, ir::SparseRole role);

Value sparseMatrix(Call &call, const SparseParts &parts,
                   ir::SparseRole role = ir::SparseRole::Value);
// Sizes that are fed may be anything: a condition of what is computed from the parts.
void requireSizes(Call &call, const SparseParts &parts);
Value toDense(Call &call, const SparseParts &parts);
// The tensor itself, or the dense one that a sparse one stands for.
Tensor fetched(const char *function, const Tensor &tensor, SourceLocation location);

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_GRAPH_SPARSEPARTS_H
