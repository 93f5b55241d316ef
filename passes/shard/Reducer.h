// What ranks add up, where something needs the whole; and their parts of random numbers.
#ifndef KERATIN_PASSES_SHARD_REDUCER_H
#define KERATIN_PASSES_SHARD_REDUCER_H

#include "passes/shard/Bucket.h"
#include "passes/shard/RankValues.h"
#include "passes/shard/StateParts.h"

#include <map>

namespace keratin::passes {

class Reducer {
public:
  Reducer(mlir::func::FuncOp function, const RankValues &values, StateParts &states,
          BucketLimits limits)
      : body(function.getBody().front()), values(values), states(states), limits(limits) {}

  void run();

private:
  std::vector<Need> findNeeds() const;
  bool goesIntoBucket(mlir::Value share) const;
  llvm::DenseSet<mlir::Operation *> opsTowards(llvm::ArrayRef<Need> needs) const;
  void leaveOutEmpty(ir::LeaveRankOp op);
  void reduce(const Need &need);
  void reduceTogether(llvm::ArrayRef<Need> bucket);
  void drawOwn(ir::RandomBitsOp bits);
  mlir::Value elementsBefore(ir::RandomBitsOp bits, const ir::DimExpr &count);

  mlir::Block &body;
  const RankValues &values;
  StateParts &states;
  const BucketLimits limits;
  // Of numbers of elements, of the function's own block: how many ranks before this one have.
  std::map<ir::DimExpr, mlir::Value> before;
};

} // namespace keratin::passes

#endif // KERATIN_PASSES_SHARD_REDUCER_H
