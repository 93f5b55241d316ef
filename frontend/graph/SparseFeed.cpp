#include "frontend/graph/SparseFeed.h"

#include "frontend/graph/SparseParts.h"

using namespace keratin;
using namespace keratin::frontend;

std::vector<Tensor> frontend::sparseComponents(const Tensor &placeholder) {
  Graph &graph = Graph::get();
  SparseParts parts = *sparseParts(valueOf(placeholder));
  std::vector<Tensor> components = {tensorOf(parts.rows), tensorOf(parts.columns),
                                    tensorOf(parts.values)};
  for (const DimExpr &size : parts.shape)
    if (size.isSymbol())
      components.push_back(tensorOf(graph.symbols[size.symbolId()].owner->getResult(0)));
  return components;
}

std::vector<Array> frontend::sparseFeed(const std::string &function, const SparseInput &input,
                                        const SparseMatrix &matrix) {
  for (size_t i = 0; i < 2; ++i)
    if (input.shape[i] && *input.shape[i] != matrix.shape()[i])
      throw ValueError(function + ": the value for '" + input.name + "'" + input.place +
                       " has shape " + toString(matrix.shape()) + "; needed " +
                       toString(input.shape));
  std::vector<Array> values = {matrix.rows(), matrix.columns(),
                               matrix.values().astype(input.dtype)};
  for (size_t i = 0; i < 2; ++i)
    if (!input.shape[i])
      values.push_back(Array(matrix.shape()[i]));
  return values;
}
