// In which order a product of many labelled tensors is worked off, two at a time.
#ifndef KERATIN_FRONTEND_BACKEND_CONTRACTIONORDER_H
#define KERATIN_FRONTEND_BACKEND_CONTRACTIONORDER_H

#include <cstddef>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace keratin::frontend {

// A dimension of a labelled tensor. Dimensions of one label are walked together.
using Label = int;

// Each step multiplies two of what there is, numbered in the order in which it came: operands
// first, then the results of the steps. A label that neither a later step nor the result needs is
// summed over as soon as it can be.
//
// The steps take the fewest multiplications, up to eight operands; of more, the pairs that take the
// fewest come first until eight are left. `sizes` are estimates where sizes are unknown.
std::vector<std::pair<size_t, size_t>>
contractionOrder(const std::vector<std::set<Label>> &operands, const std::set<Label> &result,
                 const std::map<Label, double> &sizes);

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_BACKEND_CONTRACTIONORDER_H
