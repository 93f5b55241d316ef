// Views as a graph for GraphViz.
#ifndef KERATIN_TOOLS_DUMP_DOT_H
#define KERATIN_TOOLS_DUMP_DOT_H

#include "tools/keratin-dump/GraphView.h"

namespace keratin::dump {

// One digraph; each function, each name scope and each kernel is a cluster. An op shows its name,
// the type of its result and its source line; the tooltip has the rest. In a large graph a line
// from far away begins at a stub with the name of what it comes from: GraphViz would not end.
std::string toDot(const std::vector<GraphView> &views);

} // namespace keratin::dump

#endif // KERATIN_TOOLS_DUMP_DOT_H
