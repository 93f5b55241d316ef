// Outputs that are the same in every call, whose elements a header has: the structure of a sparse
// Jacobian, say.
#ifndef KERATIN_COMPILER_ARTIFACT_KNOWNOUTPUTS_H
#define KERATIN_COMPILER_ARTIFACT_KNOWNOUTPUTS_H

#include "ir/saved/SavedGraph.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace keratin::compiler {

class KnownOutputs {
public:
  // Those of integers that are constants of the graph, up to 2^20 elements.
  explicit KnownOutputs(const ir::SavedGraph &graph);

  // Behind what a comment says of the output; `function` is its name in C, with the model's.
  std::string said(int32_t number, int32_t output, const std::string &function) const;
  // For all of a function's: macros that are initializers of arrays.
  std::string definitions(int32_t number, const std::string &function) const;

private:
  // By the numbers of the function and of the output, row-major.
  std::map<std::pair<int32_t, int32_t>, std::vector<int64_t>> elements;
};

} // namespace keratin::compiler

#endif // KERATIN_COMPILER_ARTIFACT_KNOWNOUTPUTS_H
