// Sums of products of tensors whose dimensions have labels: what einsum and matmul are.
#ifndef KERATIN_FRONTEND_BACKEND_LABELLEDPRODUCT_H
#define KERATIN_FRONTEND_BACKEND_LABELLEDPRODUCT_H

#include "frontend/backend/ContractionOrder.h"
#include "frontend/graph/Call.h"

#include <functional>

namespace keratin::frontend {

struct Labelled {
  Value value;
  std::vector<Label> labels; // of each dimension; one may be there twice, which is the diagonal
};

// How labels behave.
struct LabelRules {
  // Dimensions that NumPy broadcasts, as those of an ellipsis; sizes of others must be equal, but
  // for a 1 that is known.
  std::function<bool(Label)> broadcasts;
  // "the sizes of 'j'", for messages.
  std::function<std::string(Label)> describe;
};

// The product of the operands, at least one of them and all of one dtype, which are numbers, summed
// over the labels that are not in the result's, each of which some operand has. Two at a time, in
// the order of contractionOrder.
Value labelledProduct(Call &call, std::vector<Labelled> operands, const std::vector<Label> &result,
                      const LabelRules &rules);

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_BACKEND_LABELLEDPRODUCT_H
