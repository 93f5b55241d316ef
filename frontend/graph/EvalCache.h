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
// in sizes, in numbers and in the variables and feeds they use, are not compiled again (the latest
// kCachedPrograms of them).
//
// Code is made quickly at first, and with full effort where that is worth it; for all sizes where
// it can be (GeneralForm.h). Sizes get code of their own where nothing else can be made, and where
// they have to do so much that what it saves is worth compiling it. A call that fails is made again
// with such code, whose messages speak of the sizes that the user wrote.
std::vector<Array> evaluate(const std::string &function, const std::vector<Tensor> &fetches,
                            FedArrays feeds);

inline constexpr size_t kCachedPrograms = 256;
// Of one structure: for different sizes that are equal.
inline constexpr size_t kCachedPatterns = 8;
// Of all evaluations of a structure, and of those with the same sizes, as SliceWork.h counts. What
// was lost by then is what compiling costs, within a factor of a few (docs/compile-time.md).
inline constexpr uint64_t kWorkWorthFullEffort = uint64_t(1) << 26;
inline constexpr uint64_t kWorkWorthOwnCode = uint64_t(1) << 32;

// K::clear_session drops the cache.
void clearEvalCache();
// How many programs were compiled for evaluations so far.
int64_t evalCompileCount();
// Of these, for one choice of sizes.
int64_t evalOwnCodeCount();

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_GRAPH_EVALCACHE_H
