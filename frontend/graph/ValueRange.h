// What is known of the numbers in a tensor before a call: how large a size that is computed from
// them can be.
#ifndef KERATIN_FRONTEND_GRAPH_VALUERANGE_H
#define KERATIN_FRONTEND_GRAPH_VALUERANGE_H

#include "frontend/graph/Graph.h"
#include "ir/shapes/DimExpr.h"

#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace keratin::frontend {

// Bounds of all elements, as sizes that are known before a call; nullopt where none is known. They
// hold as long as nothing wraps and nothing is NaN: whoever plans memory by them has the value
// checked in the call.
struct ValueRange {
  std::optional<ir::DimExpr> least, most;

  bool isAtLeast(int64_t number) const;
  bool isAtMost(int64_t number) const;
};

// Walks back from values, with a bound on depth and work. A scalar placeholder or variable is
// between symbols for its parts below and above 0.
class ValueRanges {
public:
  explicit ValueRanges(Graph &graph) : graph(graph) {}

  ValueRange of(mlir::Value value) { return of(value, 0); }

private:
  ValueRange of(mlir::Value value, unsigned depth);
  ValueRange compute(mlir::Value value, unsigned depth);
  ValueRange ofBranches(mlir::Value value, unsigned depth);

  Graph &graph;
  llvm::DenseMap<mlir::Value, ValueRange> known;
};

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_GRAPH_VALUERANGE_H
