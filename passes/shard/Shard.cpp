// One rank's part of a function.
#include "ir/dialect/GathersParts.h"
#include "ir/dialect/Signature.h"
#include "passes/Passes.h"
#include "passes/shard/Gatherer.h"
#include "passes/shard/RankValues.h"
#include "passes/shard/Reducer.h"
#include "passes/shard/StateParts.h"
#include "passes/shard/VariableParts.h"

using namespace keratin::passes;
using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {
#define GEN_PASS_DEF_SHARD
#include "passes/Passes.h.inc"
} // namespace keratin::passes

namespace {
struct ShardPass : keratin::passes::impl::ShardBase<ShardPass> {
  using ShardBase::ShardBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!function.getBody().hasOneBlock())
      return;
    const bool gathers = function->removeAttr(kGathersPartsAttr) != nullptr;
    Signature signature(function);
    VariableParts variables(function);
    if (failed(variables.run()))
      return signalPassFailure();
    llvm::DenseSet<int64_t> sharded = variables.symbols();
    for (BlockArgument argument : function.getArguments())
      if (std::optional<int64_t> dimension = signature.sharded(argument.getArgNumber())) {
        for (int64_t symbol : getShape(argument)[size_t(*dimension)].symbols())
          sharded.insert(symbol);
        signature.makePart(argument.getArgNumber());
      }
    if (sharded.empty())
      return;
    RankValues values(function, std::move(sharded), gathers, variables.begins());
    if (failed(values.run()))
      return signalPassFailure();
    StateParts states(function, values);
    const BucketLimits limits{bucketBytes, lastBucketBytes};
    Reducer(function, values, states, limits).run();
    states.run(limits);
    for (OpOperand &result : function.getBody().front().getTerminator()->getOpOperands())
      if (std::optional<unsigned> dimension = values.dimensionOf(result.get()))
        signature.setResultPart(result.getOperandNumber(), *dimension);
    Gatherer(function, values).run();
    variables.finish();
  }
};
} // namespace
