// What the ranks of a job do together.
#include "ir/reference/Evaluation.h"
#include "ir/reference/HostConversions.h"

using namespace keratin::ir;
using namespace keratin::ir::reference;
using namespace mlir;

static void setZeros(HostTensor &tensor) {
  std::fill(tensor.ints.begin(), tensor.ints.end(), 0);
  std::fill(tensor.floats.begin(), tensor.floats.end(), 0.0);
}

static LogicalResult differ(EvaluationContext &context, StringRef op) {
  return fail(context, op + ": the ranks do not want the same");
}

// In place, as one rank has it.
static bool reduce(EvaluationContext &context, RankReduction reduction, HostTensor &tensor) {
  if (context.ranks && !context.ranks->reduce(int64_t(reduction), tensor))
    return false;
  if (!context.ranks && reduction == RankReduction::Before)
    setZeros(tensor);
  for (int64_t &number : tensor.ints)
    number = wrapToInteger(tensor.dtype, number);
  return true;
}

LogicalResult AllReduceOp::evaluate(EvaluationContext &context, Operands operands,
                                    Results results) {
  results[0] = *operands[0];
  return reduce(context, getReduction(), results[0]) ? success() : differ(context, "all_reduce");
}

LogicalResult AllGatherOp::evaluate(EvaluationContext &context, Operands operands,
                                    Results results) {
  HostTensor all = *operands[0];
  if ((context.ranks && !context.ranks->gather(all)) || all.dims != results[0].dims)
    return differ(context, "all_gather");
  results[0] = std::move(all);
  return success();
}

LogicalResult ReduceScatterOp::evaluate(EvaluationContext &context, Operands operands,
                                        Results results) {
  HostTensor all = *operands[0], begin = *makeHostTensor(KERATIN_DTYPE_INT64, {});
  begin.ints[0] = results[0].dims[0];
  HostTensor rows = begin;
  if (!reduce(context, getReduction(), all) || !reduce(context, RankReduction::Before, begin) ||
      !reduce(context, RankReduction::Sum, rows) || rows.ints[0] != all.dims[0])
    return differ(context, "reduce_scatter");
  const int64_t row = all.dims[0] ? all.size() / all.dims[0] : 0;
  auto take = [&](auto &into, const auto &from) {
    if (!into.empty())
      std::copy_n(from.begin() + begin.ints[0] * row, into.size(), into.begin());
  };
  take(results[0].floats, all.floats);
  take(results[0].ints, all.ints);
  return success();
}
