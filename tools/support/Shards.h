// --shard=NAME and --gather-parts of the tools: sizes of which each rank of a job has a part.
#ifndef KERATIN_TOOLS_SUPPORT_SHARDS_H
#define KERATIN_TOOLS_SUPPORT_SHARDS_H

#include "ir/saved/SavedGraph.h"
#include "tools/support/CommandLine.h"

#include "absl/status/status.h"

#include <string>
#include <vector>

namespace keratin::tools {

struct ShardOptions {
  std::vector<std::string> sizes; // by their names
  bool gatherParts = false;       // as FunctionOptions::gatherParts

  // What was given of them, as "--shard"; "": nothing.
  std::string given() const {
    return !sizes.empty() ? "--shard" : gatherParts ? "--gather-parts" : "";
  }
};

// Adds the options, of which --shard may be given several times.
void addShardOptions(CommandLine &line, ShardOptions &options);

// Makes sizes sharded, beside those that the graph says are, in all functions with an input that
// has one as a dimension. Fails for a name with which there is no such function, and for parts
// where no function has any.
absl::Status shardSizes(ir::SavedGraph &graph, const ShardOptions &options);

// What to say of variables that the graph has in parts: each rank has the whole of them, as tools
// and objects know nothing of such parts.
std::vector<std::string> undividedVariables(const ir::SavedGraph &graph);

} // namespace keratin::tools

#endif // KERATIN_TOOLS_SUPPORT_SHARDS_H
