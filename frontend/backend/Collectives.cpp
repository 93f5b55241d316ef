// What ranks do together within a function.
#include "keratin/distributed.h"

#include "frontend/graph/Call.h"
#include "frontend/graph/Job.h"

#include "llvm/ADT/SmallSet.h"

using namespace keratin;
using namespace keratin::frontend;

namespace keratin::backend::distributed {

static ir::RankReduction reductionOf(const Call &call, Value x, const std::string &name) {
  std::optional<ir::RankReduction> reduction = ir::symbolizeRankReduction(name);
  if (!reduction || *reduction == ir::RankReduction::Before)
    call.valueError("there is no reduction '" + name + "'; needed sum, max, min or mean");
  if (*reduction == ir::RankReduction::Mean && !isFloating(call.dtypeOf(x)))
    call.valueError("the mean of " + std::string(dtypeName(call.dtypeOf(x))) + "; needed floats");
  return *reduction;
}

namespace {
// Those that do it together.
struct Ranks {
  Ranks(Call &call, const std::string &along) {
    if (along.empty())
      return;
    std::optional<keratin_axis_t> found = jobAxis(along);
    if (!found)
      call.valueError(noSuchAxis(along));
    axis = call.builder.getStringAttr(along);
    count = found->count;
  }
  mlir::StringAttr axis; // of the mesh; null: all
  int64_t count = size();
};
} // namespace

// Of the size of an axis of x the part of one rank. x becomes one of so many of them.
static DimExpr partAlong(Call &call, Value &x, int64_t axis, int64_t count) {
  const DimExpr ranks(count), whole = ir::getShape(x)[size_t(axis)];
  DimExpr part = call.check(ir::floordiv(whole, ranks));
  DimExpr parts = call.check(ir::mul(part, ranks));
  if (whole.isConstant() && whole != parts)
    call.valueError("axis " + std::to_string(axis) + " has size " + whole.str() +
                    "; needed a multiple of " + ranks.str() + ", the number of ranks");
  x = call.withSize(x, axis, parts,
                    "axis " + std::to_string(axis) + " and " + ranks.str() +
                        " parts of it, one for each rank,");
  return part;
}

static int64_t rankOf(const Call &call, int rank, const Ranks &ranks) {
  if (rank < 0 || rank >= ranks.count)
    call.valueError("there is no rank " + std::to_string(rank) + "; needed one of " +
                    std::to_string(ranks.count) + ", from 0 on");
  return rank;
}

Tensor allReduce(const Tensor &x, const std::string &reduction, const std::string &along,
                 SourceLocation location) {
  Call call("distributed.all_reduce", location);
  const Ranks among(call, along);
  Value value = call.dense(x);
  return call.tensor(call.g.allReduce(value, reductionOf(call, value, reduction), among.axis));
}

Tensor allGather(const Tensor &x, int64_t axis, const std::string &along, SourceLocation location) {
  Call call("distributed.all_gather", location);
  const Ranks among(call, along);
  Value value = call.dense(x);
  axis = call.axis(axis, call.rank(value));
  DimExpr whole = call.check(ir::mul(ir::getShape(value)[size_t(axis)], DimExpr(among.count)));
  return call.tensor(call.g.allGather(value, axis, whole, among.axis));
}

Tensor reduceScatter(const Tensor &x, int64_t axis, const std::string &reduction,
                     const std::string &along, SourceLocation location) {
  Call call("distributed.reduce_scatter", location);
  const Ranks among(call, along);
  Value value = call.dense(x);
  axis = call.axis(axis, call.rank(value));
  const ir::RankReduction how = reductionOf(call, value, reduction);
  DimExpr part = partAlong(call, value, axis, among.count);
  return call.tensor(call.g.reduceScatter(value, how, axis, part, among.axis));
}

Tensor broadcastFrom(const Tensor &x, int root, const std::string &along, SourceLocation location) {
  Call call("distributed.broadcast_from", location);
  const Ranks among(call, along);
  return call.tensor(call.g.broadcastFrom(call.dense(x), rankOf(call, root, among), among.axis));
}

// Of `rank` dimensions, with the one at `from` moved to `to`.
static llvm::SmallVector<int64_t> moved(int64_t rank, int64_t from, int64_t to) {
  auto order = llvm::to_vector(llvm::seq<int64_t>(rank));
  order.erase(order.begin() + from);
  order.insert(order.begin() + to, from);
  return order;
}

// The parts come first, as rows, and go where they are to be joined.
Tensor allToAll(const Tensor &x, int64_t splitAxis, int64_t concatAxis, const std::string &along,
                SourceLocation location) {
  Call call("distributed.all_to_all", location);
  const Ranks among(call, along);
  Value value = call.dense(x);
  const int64_t rank = call.rank(value);
  splitAxis = call.axis(splitAxis, rank);
  concatAxis = call.axis(concatAxis, rank);
  DimExpr part = partAlong(call, value, splitAxis, among.count);
  ir::Shape shape = ir::getShape(value);
  shape[size_t(splitAxis)] = part;
  shape.insert(shape.begin() + splitAxis, DimExpr(among.count));
  value = call.g.transpose(call.g.reshape(value, shape), moved(rank + 1, splitAxis, 0));
  value = call.g.transpose(call.g.allToAll(value, among.axis), moved(rank + 1, 0, concatAxis));
  shape = ir::getShape(value);
  shape.erase(shape.begin() + concatAxis);
  DimExpr &joined = shape[size_t(concatAxis)];
  joined = call.check(ir::mul(joined, DimExpr(among.count)));
  return call.tensor(call.g.reshape(value, shape));
}

Tensor permute(const Tensor &x, const std::vector<std::pair<int, int>> &pairs,
               const std::string &along, SourceLocation location) {
  Call call("distributed.permute", location);
  const Ranks among(call, along);
  Value value = call.dense(x);
  llvm::SmallVector<int64_t> ranks;
  llvm::SmallSet<int64_t, 8> senders, receivers;
  for (auto [from, to] : pairs) {
    ranks.append({rankOf(call, from, among), rankOf(call, to, among)});
    if (!senders.insert(from).second || !receivers.insert(to).second)
      call.valueError("the pair (" + std::to_string(from) + ", " + std::to_string(to) +
                      ") has the sender or the receiver of an earlier one; needed others");
  }
  return call.tensor(ranks.empty() ? call.g.zeroLike(value)
                                   : call.g.permute(value, ranks, among.axis));
}

Tensor rankIndex(const std::string &along, SourceLocation location) {
  Call call("distributed.rank_index", location);
  const Ranks among(call, along);
  return call.tensor(call.g.rankIndex(among.axis));
}

Tensor rankCount(const std::string &along, SourceLocation location) {
  Call call("distributed.rank_count", location);
  const Ranks among(call, along);
  mlir::Type scalar = ir::getTensorType({}, call.elementType(DType::Int64));
  return call.tensor(call.builder.create<ir::RankCountOp>(call.g.location(), scalar, among.axis));
}

} // namespace keratin::backend::distributed
