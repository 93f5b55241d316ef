// Views as JSON: docs/tools.md says what stands in it.
#ifndef KERATIN_TOOLS_DUMP_JSON_H
#define KERATIN_TOOLS_DUMP_JSON_H

#include "tools/keratin-dump/GraphView.h"

namespace keratin::dump {

std::string toJson(const std::vector<GraphView> &views);

} // namespace keratin::dump

#endif // KERATIN_TOOLS_DUMP_JSON_H
