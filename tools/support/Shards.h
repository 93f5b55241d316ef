// --shard=NAME of the tools: sizes of which each rank of a job has a part.
#ifndef KERATIN_TOOLS_SUPPORT_SHARDS_H
#define KERATIN_TOOLS_SUPPORT_SHARDS_H

#include "ir/saved/SavedGraph.h"
#include "tools/support/CommandLine.h"

#include "absl/status/status.h"

#include <string>
#include <vector>

namespace keratin::tools {

// Adds the option, which may be given several times.
void addShardOption(CommandLine &line, std::vector<std::string> &names);

// Makes the sizes of these names sharded, beside those that the graph says are, in all functions
// with an input that has one as a dimension. Fails for a name with which there is no such function.
absl::Status shardSizes(ir::SavedGraph &graph, const std::vector<std::string> &names);

} // namespace keratin::tools

#endif // KERATIN_TOOLS_SUPPORT_SHARDS_H
