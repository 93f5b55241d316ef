// Sizes of a model that get their values when it is compiled: code without a runtime asks nobody
// what they are.
#ifndef KERATIN_COMPILER_FREESTANDING_KNOWNSIZES_H
#define KERATIN_COMPILER_FREESTANDING_KNOWNSIZES_H

#include "ir/saved/SavedGraph.h"

#include "absl/status/status.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace keratin::compiler {

// By their names, as tools call them: "batch", "x_dim0", "d0".
using NamedSizes = std::vector<std::pair<std::string, int64_t>>;

// Gives the sizes that inputs have as dimensions these values, in all functions that have them.
// INVALID_ARGUMENT for a name that no function has, a value outside of a size's limits, and where a
// function has sizes left that are not known.
absl::Status fixSizes(ir::SavedGraph &graph, const NamedSizes &sizes);

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_FREESTANDING_KNOWNSIZES_H
