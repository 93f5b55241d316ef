// The structure of a slice: equal signatures have equal code.
#ifndef KERATIN_FRONTEND_GRAPH_SLICESIGNATURE_H
#define KERATIN_FRONTEND_GRAPH_SLICESIGNATURE_H

#include "frontend/graph/GraphSlice.h"
#include "frontend/graph/OpenNumbers.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace keratin::frontend {

// All that the code depends on, as numbers: ops by name, attributes and types as uniqued objects of
// the graph's context, operands by position, symbols by order of appearance. Literals are inputs:
// their types count, their values do not. Locations do not count.
class SliceSignature {
public:
  // Of code for these sizes.
  explicit SliceSignature(const GraphSlice &slice);
  // Of code for all sizes (GeneralForm.h), or all of a SizePattern: the slice's own are put into
  // `numbers`. nullopt: there is none, since the slice has loops or branches, sizes that only the
  // call knows, or effects that must not be repeated.
  static std::optional<SliceSignature> general(const GraphSlice &slice, OpenNumbers &numbers);

  size_t hash() const { return digest; }
  bool operator==(const SliceSignature &other) const { return words == other.words; }

private:
  SliceSignature() = default;

  std::vector<uint64_t> words;
  size_t digest = 0;
};

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_GRAPH_SLICESIGNATURE_H
