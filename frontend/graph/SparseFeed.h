// What is fed for a sparse placeholder: its rows, columns and values, then its numbers of rows and
// of columns, each if it is not known.
#ifndef KERATIN_FRONTEND_GRAPH_SPARSEFEED_H
#define KERATIN_FRONTEND_GRAPH_SPARSEFEED_H

#include "keratin/sparse.h"

#include <string>
#include <vector>

namespace keratin::frontend {

struct SparseInput {
  std::string name;
  DType dtype;
  StaticShape shape;
  std::string place; // " (file:line)" of the placeholder, for messages
};

// The placeholders behind a sparse one. Under the graph's mutex.
std::vector<Tensor> sparseComponents(const Tensor &placeholder);
// A value for each of them. ValueError for another shape.
std::vector<Array> sparseFeed(const std::string &function, const SparseInput &input,
                              const SparseMatrix &matrix);

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_GRAPH_SPARSEFEED_H
