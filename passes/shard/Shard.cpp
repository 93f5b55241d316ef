// One rank's part of a function.
#include "ir/dialect/GathersParts.h"
#include "ir/dialect/GraphError.h"
#include "ir/dialect/MeshAxes.h"
#include "ir/dialect/RankNumbers.h"
#include "ir/dialect/Signature.h"
#include "ir/interfaces/ComputedSizes.h"
#include "passes/Passes.h"
#include "passes/shard/Gatherer.h"
#include "passes/shard/RankMarkers.h"
#include "passes/shard/RankValues.h"
#include "passes/shard/Reducer.h"
#include "passes/shard/StateParts.h"
#include "passes/shard/VariableParts.h"

#include "llvm/ADT/MapVector.h"

using namespace keratin::passes;
using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {
#define GEN_PASS_DEF_SHARD
#include "passes/Passes.h.inc"
} // namespace keratin::passes

// Of inputs.
static SymbolsByAxis shardedSizes(func::FuncOp function) {
  SymbolsByAxis sizes;
  Signature signature(function);
  for (BlockArgument argument : function.getArguments()) {
    const unsigned number = argument.getArgNumber();
    std::optional<int64_t> dimension = signature.sharded(number);
    if (!dimension || signature.isVariable(number))
      continue;
    for (int64_t symbol : getShape(argument)[size_t(*dimension)].symbols())
      sizes[signature.meshAxis(number)].insert(symbol);
  }
  return sizes;
}

// A rank's places, and how many there are, are sizes that a call knows, two for each axis.
static void nameRankNumbers(func::FuncOp function) {
  SmallVector<Operation *> numbers;
  function.walk([&](Operation *op) {
    if (isRankNumber(op) && !rankNumberSize(op))
      numbers.push_back(op);
  });
  if (numbers.empty())
    return;
  // By the op and the axis; null: all ranks.
  llvm::DenseMap<std::pair<OperationName, StringAttr>, DimsAttr> sizes;
  int64_t unused = firstUnusedSymbol(function);
  for (Operation *op : numbers) {
    DimsAttr &size = sizes[{op->getName(), meshAxisOf(op)}];
    if (!size)
      size = DimsAttr::get(function.getContext(), {DimExpr::symbol(unused++)});
    op->setAttr(RankOp::kSizeAttr, size);
  }
}

namespace {
struct ShardPass : keratin::passes::impl::ShardBase<ShardPass> {
  using ShardBase::ShardBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!function.getBody().hasOneBlock())
      return;
    nameRankNumbers(function);
    const bool gathers = function->removeAttr(kGathersPartsAttr) != nullptr;
    VariableParts variables(function);
    if (failed(variables.run()))
      return signalPassFailure();
    const SymbolsByAxis sizes = shardedSizes(function);
    const RankMarkers markers(function, sizes);
    SymbolsByAxis sharded = variables.symbols(); // first
    for (const auto &[axis, symbols] : sizes)
      sharded[axis].insert(symbols.begin(), symbols.end());
    Signature signature(function);
    for (BlockArgument argument : function.getArguments()) {
      const unsigned number = argument.getArgNumber();
      if (!signature.isVariable(number))
        signature.makePart(number);
      else if (signature.sharded(number)) // and not divided: each rank has the whole
        signature.removeOwnPart(number);
    }
    Symbols others;
    for (const auto &[axis, symbols] : sharded)
      others.insert(symbols.begin(), symbols.end());
    for (const auto &[axis, symbols] : sharded) {
      for (int64_t symbol : symbols)
        others.erase(symbol);
      RankValues values(function, {axis, symbols, others}, markers, gathers, variables.begins());
      if (failed(shard(function, values)))
        return signalPassFailure();
    }
    variables.finish();
  }

  // What the ranks along one axis have; what those along another have is as it is.
  LogicalResult shard(func::FuncOp function, RankValues &values) const {
    if (failed(values.run()))
      return failure();
    StateParts states(function, values);
    const BucketLimits limits{bucketBytes, lastBucketBytes};
    Reducer(function, values, states, limits).run();
    states.run(limits);
    Signature signature(function);
    Operation *end = function.getBody().front().getTerminator();
    for (OpOperand &result : end->getOpOperands())
      if (std::optional<unsigned> dimension = values.dimensionOf(result.get()))
        signature.addResultPart(result.getOperandNumber(), *dimension, values.meshAxis());
    Gatherer(function, values).run();
    values.ownPlaces().check();
    return success();
  }
};
} // namespace
