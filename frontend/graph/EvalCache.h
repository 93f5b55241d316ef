// Evaluation of values without a function of their own.
#ifndef KERATIN_FRONTEND_GRAPH_EVALCACHE_H
#define KERATIN_FRONTEND_GRAPH_EVALCACHE_H

#include "keratin/array.h"
#include "keratin/tensor.h"

#include <string>
#include <utility>
#include <vector>

namespace keratin::frontend {

// Placeholders of the graph and what they are given.
using FedArrays = std::vector<std::pair<Tensor, Array>>;

// The values of the fetches, updates among them executed. Structures already seen, which may differ
// in numbers and in the variables and feeds they use, are not compiled again (the latest
// kCachedPrograms of them).
std::vector<Array> evaluate(const std::string &function, const std::vector<Tensor> &fetches,
                            FedArrays feeds);

inline constexpr size_t kCachedPrograms = 256;

// K::clear_session drops the cache.
void clearEvalCache();
// How many programs were compiled for evaluations so far.
int64_t evalCompileCount();

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_GRAPH_EVALCACHE_H
