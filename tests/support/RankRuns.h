// A sharded function on several ranks, each with its parts of the arguments.
#ifndef KERATIN_TESTS_SUPPORT_RANKRUNS_H
#define KERATIN_TESTS_SUPPORT_RANKRUNS_H

#include "ir/dialect/Keratin.h"
#include "ir/reference/ErrorBounds.h"
#include "ir/reference/HostTensor.h"
#include "tests/support/InterpretedRanks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>
#include <string>
#include <vector>

namespace keratin::tests {

using Tensors = std::vector<ir::HostTensor>;

// Elements [begin, end) along a dimension.
ir::HostTensor partOf(const ir::HostTensor &whole, unsigned dimension, int64_t begin, int64_t end);

// The arguments of each rank, of parts of these sizes along the dimension that an argument is
// sharded along.
std::vector<Tensors> partsOf(const Tensors &arguments,
                             llvm::ArrayRef<std::optional<unsigned>> dimensions,
                             llvm::ArrayRef<int64_t> sizes);

struct RankRun {
  std::vector<Tensors> results; // of each rank
  std::string error;            // of the first that has one
};

// By the reference interpreter: a function that --keratin-shard has made.
RankRun interpretOnRanks(mlir::func::FuncOp function, llvm::ArrayRef<Tensors> parts,
                         const Mesh &mesh = {});
// The ranges of the results of each rank (interpretWithBounds); the same of errors.
struct RankBounds {
  std::vector<std::vector<ir::BoundedTensor>> results;
  std::string error;
};
RankBounds boundsOnRanks(mlir::func::FuncOp function, llvm::ArrayRef<Tensors> parts,
                         const ir::BoundOptions &options, const Mesh &mesh = {});
// The device of CompiledRunner for a rank: one of its own where KERATIN_TEST_DEVICES is "each".
std::string deviceOfRank(size_t rank);
// Compiled, with `keratin.sharded` at its arguments, on threads that are ranks.
RankRun runOnRanks(mlir::func::FuncOp function, llvm::ArrayRef<Tensors> parts,
                   const Mesh &mesh = {});

} // namespace keratin::tests

#endif // KERATIN_TESTS_SUPPORT_RANKRUNS_H
