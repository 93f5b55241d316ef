// What the ranks of a job do together, and which of them one is.
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

static StringRef axisOf(Operation *op) {
  const StringAttr axis = meshAxisOf(op);
  return axis ? axis.getValue() : StringRef();
}

// In place, as one rank has it.
static bool reduce(EvaluationContext &context, StringRef axis, RankReduction reduction,
                   HostTensor &tensor) {
  if (reduction == RankReduction::Mean) {
    HostTensor ranks = *makeHostTensor(KERATIN_DTYPE_INT64, {});
    ranks.ints[0] = 1;
    if (!reduce(context, axis, RankReduction::Sum, ranks) ||
        !reduce(context, axis, RankReduction::Sum, tensor))
      return false;
    for (double &element : tensor.floats)
      element /= double(ranks.ints[0]);
    return true;
  }
  if (context.ranks && !context.ranks->reduce(axis, int64_t(reduction), tensor))
    return false;
  if (!context.ranks && reduction == RankReduction::Before)
    setZeros(tensor);
  for (int64_t &number : tensor.ints)
    number = wrapToInteger(tensor.dtype, number);
  return true;
}

static void copyElements(const HostTensor &from, int64_t begin, HostTensor &to, int64_t at,
                         int64_t count) {
  if (from.isFloat())
    std::copy_n(from.floats.begin() + begin, count, to.floats.begin() + at);
  else
    std::copy_n(from.ints.begin() + begin, count, to.ints.begin() + at);
}

namespace {
// What ranks have, one behind the other.
struct AllRanks {
  HostTensor elements;
  int64_t rank = 0, ranks = 1; // this one, and how many there are
};
} // namespace

static bool gatherAll(EvaluationContext &context, StringRef axis, const HostTensor &x,
                      AllRanks &all) {
  HostTensor before = *makeHostTensor(KERATIN_DTYPE_INT64, {});
  before.ints[0] = 1;
  all.elements = x;
  all.elements.dims = {1, x.size()};
  if (!reduce(context, axis, RankReduction::Before, before) ||
      (context.ranks && !context.ranks->gather(axis, all.elements)))
    return false;
  all.rank = before.ints[0];
  all.ranks = all.elements.dims[0];
  return true;
}

static LogicalResult failNoRank(EvaluationContext &context, StringRef op, int64_t rank,
                                int64_t ranks) {
  return fail(context, op + ": there is no rank " + Twine(rank) + "; there are " + Twine(ranks));
}

LogicalResult RankOp::evaluate(EvaluationContext &context, Operands, Results results) {
  const StringRef axis = axisOf(*this);
  std::optional<int64_t> rank = context.ranks ? context.ranks->rank(axis) : 0;
  if (!rank)
    return fail(context, "rank: the mesh has no axis '" + axis + "'");
  results[0].ints[0] = *rank;
  return success();
}

// The ranks meet for it here.
LogicalResult RankCountOp::evaluate(EvaluationContext &context, Operands, Results results) {
  const StringRef axis = axisOf(*this);
  if (context.ranks && !context.ranks->rank(axis))
    return fail(context, "rank_count: the mesh has no axis '" + axis + "'");
  HostTensor ones = *makeHostTensor(KERATIN_DTYPE_INT64, {1});
  if (context.ranks && !context.ranks->gather(axis, ones))
    return differ(context, "rank_count");
  results[0].ints[0] = ones.dims[0];
  return success();
}

LogicalResult AllReduceOp::evaluate(EvaluationContext &context, Operands operands,
                                    Results results) {
  results[0] = *operands[0];
  return reduce(context, axisOf(*this), getReduction(), results[0]) ? success()
                                                                    : differ(context, "all_reduce");
}

LogicalResult AllGatherOp::evaluate(EvaluationContext &context, Operands operands,
                                    Results results) {
  HostTensor all = *operands[0];
  if ((context.ranks && !context.ranks->gather(axisOf(*this), all)) || all.dims != results[0].dims)
    return differ(context, "all_gather");
  results[0] = std::move(all);
  return success();
}

LogicalResult ReduceScatterOp::evaluate(EvaluationContext &context, Operands operands,
                                        Results results) {
  HostTensor all = *operands[0], begin = *makeHostTensor(KERATIN_DTYPE_INT64, {});
  begin.ints[0] = results[0].dims[0];
  HostTensor rows = begin;
  const StringRef axis = axisOf(*this);
  if (!reduce(context, axis, getReduction(), all) ||
      !reduce(context, axis, RankReduction::Before, begin) ||
      !reduce(context, axis, RankReduction::Sum, rows) || rows.ints[0] != all.dims[0])
    return differ(context, "reduce_scatter");
  const int64_t row = all.dims[0] ? all.size() / all.dims[0] : 0;
  copyElements(all, begin.ints[0] * row, results[0], 0, results[0].size());
  return success();
}

LogicalResult BroadcastFromOp::evaluate(EvaluationContext &context, Operands operands,
                                        Results results) {
  const int64_t root = getRoot(), count = operands[0]->size();
  AllRanks all;
  if (!gatherAll(context, axisOf(*this), *operands[0], all))
    return differ(context, "broadcast_from");
  if (root >= all.ranks)
    return failNoRank(context, "broadcast_from", root, all.ranks);
  copyElements(all.elements, root * count, results[0], 0, count);
  return success();
}

LogicalResult AllToAllOp::evaluate(EvaluationContext &context, Operands operands, Results results) {
  AllRanks all;
  if (!gatherAll(context, axisOf(*this), *operands[0], all))
    return differ(context, "all_to_all");
  const int64_t count = operands[0]->size(), part = count / all.ranks;
  if (count % all.ranks != 0)
    return fail(context, "all_to_all: " + Twine(count) + " elements are not " + Twine(all.ranks) +
                             " equal parts");
  for (int64_t rank = 0; rank < all.ranks; ++rank)
    copyElements(all.elements, rank * count + all.rank * part, results[0], rank * part, part);
  return success();
}

LogicalResult PermuteOp::evaluate(EvaluationContext &context, Operands operands, Results results) {
  const int64_t count = operands[0]->size();
  AllRanks all;
  if (!gatherAll(context, axisOf(*this), *operands[0], all))
    return differ(context, "permute");
  setZeros(results[0]);
  for (size_t i = 0; i < getPairs().size(); i += 2) {
    const int64_t from = getPairs()[i], to = getPairs()[i + 1];
    if (std::max(from, to) >= all.ranks)
      return failNoRank(context, "permute", std::max(from, to), all.ranks);
    if (to == all.rank)
      copyElements(all.elements, from * count, results[0], 0, count);
  }
  return success();
}
