// --shard=NAME, --gather-parts and --shard-states of the tools: sizes of which each rank of a job
// has a part, and variables.
#ifndef KERATIN_TOOLS_SUPPORT_SHARDS_H
#define KERATIN_TOOLS_SUPPORT_SHARDS_H

#include "compiler/driver/RankParts.h"
#include "ir/saved/SavedGraph.h"
#include "tools/support/CommandLine.h"

#include "absl/status/status.h"

#include <string>
#include <vector>

namespace keratin::tools {

struct ShardOptions {
  std::vector<std::string> sizes; // by their names
  bool gatherParts = false;       // as FunctionOptions::gatherParts
  bool shardStates = false;       // as FunctionOptions::shardStates
  std::string mesh;               // of the ranks: "data:2,model:2"; "": none

  // What was given of them, as "--shard"; "": nothing.
  std::string given() const {
    return !sizes.empty() ? "--shard"
           : gatherParts  ? "--gather-parts"
           : shardStates  ? "--shard-states"
                          : "";
  }
};

// Adds the options, of which --shard may be given several times.
void addShardOptions(CommandLine &line, ShardOptions &options);

// What is wrong with the mesh; "" if nothing is.
std::string meshProblem(const ShardOptions &options);

// How variables are divided. Precondition: nothing is wrong with the mesh.
compiler::PartOptions partOptions(const ShardOptions &options);

// Makes sizes sharded, beside those that the graph says are, in all functions with an input that
// has one as a dimension. Fails for a name with which there is no such function, and for parts
// where no function has any.
absl::Status shardSizes(ir::SavedGraph &graph, const ShardOptions &options);

} // namespace keratin::tools

#endif // KERATIN_TOOLS_SUPPORT_SHARDS_H
