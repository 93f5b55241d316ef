// A view folded by name scopes: a page for each scope, on which the scopes in it are single boxes.
#ifndef KERATIN_TOOLS_DUMP_SCOPETREE_H
#define KERATIN_TOOLS_DUMP_SCOPETREE_H

#include "tools/keratin-dump/GraphView.h"

#include <tuple>

namespace keratin::dump {

// What stands on a page. Where lines come from and lead to outside of the scope is shown by what
// the scope has around it: a box of a page further out.
struct ScopeItem {
  enum Kind { Node, Kernel, Scope } kind;
  int index; // into the view's nodes or kernels, or the tree
  // From outside, or for outside, rather than of the scope.
  enum Side { Inside, From, To } side = Inside;

  bool operator<(const ScopeItem &other) const {
    return std::tie(kind, index, side) < std::tie(other.kind, other.index, other.side);
  }
};

struct ScopePage {
  std::string name; // "block1"; "" of the root
  int parent = -1;
  std::vector<ScopeItem> items;
  std::vector<std::pair<int, int>> edges; // between items
  // All that is in it, however deep.
  int64_t ops = 0, kernels = 0;
  double operations = 0;              // as far as they can be computed
  std::optional<double> microseconds; // as far as there are times
};

// The root first, parents before what is in them. A node of a kernel is not shown: the kernel is.
// What has no scope of its own, a variable or a constant, stands where it is used first. For other
// scopes it is a label where they use it, from outside, and no line leads there: it says nothing of
// what comes first. A number that scopes share which else would each need the other, a step size,
// stands beside them.
std::vector<ScopePage> scopePages(const GraphView &view);

} // namespace keratin::dump

#endif // KERATIN_TOOLS_DUMP_SCOPETREE_H
