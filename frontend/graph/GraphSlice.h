// The part of the graph that one evaluation needs.
#ifndef KERATIN_FRONTEND_GRAPH_GRAPHSLICE_H
#define KERATIN_FRONTEND_GRAPH_GRAPHSLICE_H

#include "frontend/graph/Graph.h"

#include <string>
#include <vector>

namespace keratin::frontend {

// What is asked for, as values of the graph.
struct SliceRequest {
  std::string function; // for messages: "function", "eval"
  std::vector<mlir::Value> inputs;
  std::vector<mlir::Value> outputs;
  std::vector<mlir::Value> updates; // update ops, and values that are only evaluated
};

struct ShardedSize {
  int64_t symbol;
  std::string axis; // of the mesh; "": all ranks have parts of it
};

// Everything between the inputs and what is asked for. The lists are in the order of first need, so
// equal graphs give equal slices.
struct GraphSlice {
  std::vector<mlir::Value> inputs, outputs;
  std::vector<mlir::Operation *> ops; // operands before users; without inputs
  std::vector<ir::VariableOp> variables;
  std::vector<ir::LiteralOp> literals;      // also among ops
  std::vector<ir::PlaceholderOp> defaulted; // not fed, but with a default; also among ops
  std::vector<ir::UpdateOp> updates;        // to be committed, each once, in order
  bool lazyUpdates = false;                 // as FunctionOptions::lazyUpdates
  std::string productDType;                 // of products of float32; "": theirs
  std::vector<ShardedSize> sharded;         // as FunctionOptions::shard
  bool gatherParts = false;                 // as FunctionOptions::gatherParts
  bool localStatistics = false;             // as FunctionOptions::localStatistics
};

// Under the graph's mutex. ValueError for a placeholder that is neither fed nor has a default, and
// for a size that no input gives.
GraphSlice sliceGraph(const SliceRequest &request);

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_GRAPH_GRAPHSLICE_H
