// What ranks do together within a function.
#include "keratin/distributed.h"

#include "frontend/graph/Call.h"

#include "llvm/ADT/SmallSet.h"

using namespace keratin;
using namespace keratin::frontend;

namespace keratin::backend::distributed {

namespace {
struct Reduction {
  ir::RankReduction kind;
  bool isMean; // what is divided by the number of ranks
};
} // namespace

static Reduction reductionOf(const Call &call, Value x, const std::string &name) {
  const bool isMean = name == "mean";
  std::optional<ir::RankReduction> kind = ir::symbolizeRankReduction(isMean ? "sum" : name);
  if (!kind || *kind == ir::RankReduction::Before)
    call.valueError("there is no reduction '" + name + "'; needed sum, max, min or mean");
  if (isMean && !isFloating(call.dtypeOf(x)))
    call.valueError("the mean of " + std::string(dtypeName(call.dtypeOf(x))) + "; needed floats");
  return {*kind, isMean};
}

static Value ofOne(Call &call, ir::RankReduction reduction) {
  return call.g.allReduce(call.g.integerScalar(1, call.elementType(DType::Int64)), reduction);
}

// Of a sum, where a mean is asked for.
static Value divided(Call &call, Value sum, const Reduction &reduction) {
  if (!reduction.isMean)
    return sum;
  Value ranks = call.cast(ofOne(call, ir::RankReduction::Sum), call.dtypeOf(sum));
  return call.g.div(sum, call.g.broadcastScalar(ranks, ir::getShape(sum)));
}

// Of the size of an axis of x the part of one rank. x becomes one of so many of them.
static DimExpr partAlong(Call &call, Value &x, int64_t axis) {
  const DimExpr ranks(size()), whole = ir::getShape(x)[size_t(axis)];
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

static int64_t rankOf(const Call &call, int rank) {
  if (rank < 0 || rank >= size())
    call.valueError("there is no rank " + std::to_string(rank) + "; needed one of " +
                    std::to_string(size()) + ", from 0 on");
  return rank;
}

Tensor allReduce(const Tensor &x, const std::string &reduction, SourceLocation location) {
  Call call("distributed.all_reduce", location);
  Value value = call.dense(x);
  const Reduction how = reductionOf(call, value, reduction);
  return call.tensor(divided(call, call.g.allReduce(value, how.kind), how));
}

Tensor allGather(const Tensor &x, int64_t axis, SourceLocation location) {
  Call call("distributed.all_gather", location);
  Value value = call.dense(x);
  axis = call.axis(axis, call.rank(value));
  DimExpr whole = call.check(ir::mul(ir::getShape(value)[size_t(axis)], DimExpr(size())));
  return call.tensor(call.g.allGather(value, axis, whole));
}

Tensor reduceScatter(const Tensor &x, int64_t axis, const std::string &reduction,
                     SourceLocation location) {
  Call call("distributed.reduce_scatter", location);
  Value value = call.dense(x);
  axis = call.axis(axis, call.rank(value));
  const Reduction how = reductionOf(call, value, reduction);
  DimExpr part = partAlong(call, value, axis);
  return call.tensor(divided(call, call.g.reduceScatter(value, how.kind, axis, part), how));
}

// A row of each rank.
static Value rowsOf(Call &call, Value x) {
  ir::Shape shape = ir::getShape(x);
  shape.insert(shape.begin(), DimExpr(1));
  return call.g.allGather(call.g.reshape(x, shape), 0, DimExpr(size()));
}

Tensor broadcastFrom(const Tensor &x, int root, SourceLocation location) {
  Call call("distributed.broadcast_from", location);
  Value value = call.dense(x);
  root = int(rankOf(call, root));
  ir::Shape shape = ir::getShape(value), starts(shape.size() + 1, DimExpr(0));
  starts[0] = DimExpr(root);
  shape.insert(shape.begin(), DimExpr(1));
  Value row =
      call.g.slice(rowsOf(call, value), starts, shape, llvm::SmallVector<int64_t>(shape.size(), 1));
  return call.tensor(call.g.reshape(row, ir::getShape(value)));
}

// Of `rank` dimensions, with the one at `from` moved to `to`.
static llvm::SmallVector<int64_t> moved(int64_t rank, int64_t from, int64_t to) {
  auto order = llvm::to_vector(llvm::seq<int64_t>(rank));
  order.erase(order.begin() + from);
  order.insert(order.begin() + to, from);
  return order;
}

// The parts come first, as rows, and go where they are to be joined.
Tensor allToAll(const Tensor &x, int64_t splitAxis, int64_t concatAxis, SourceLocation location) {
  Call call("distributed.all_to_all", location);
  Value value = call.dense(x);
  const int64_t rank = call.rank(value);
  splitAxis = call.axis(splitAxis, rank);
  concatAxis = call.axis(concatAxis, rank);
  DimExpr part = partAlong(call, value, splitAxis);
  ir::Shape shape = ir::getShape(value);
  shape[size_t(splitAxis)] = part;
  shape.insert(shape.begin() + splitAxis, DimExpr(size()));
  value = call.g.transpose(call.g.reshape(value, shape), moved(rank + 1, splitAxis, 0));
  // Of the rank that it comes from, and the one that it goes to.
  Value rows = rowsOf(call, value);
  shape = ir::getShape(rows);
  shape[1] = DimExpr(1);
  llvm::SmallVector<Value> starts(shape.size(),
                                  call.g.integerScalar(0, call.elementType(DType::Int64)));
  starts[1] = ofOne(call, ir::RankReduction::Before);
  value = call.builder.create<ir::DynamicSliceOp>(
      call.g.location(), ir::getTensorType(shape, ir::getElementType(rows)), rows, starts);
  shape.erase(shape.begin() + 1);
  value = call.g.transpose(call.g.reshape(value, shape), moved(rank + 1, 0, concatAxis));
  shape = ir::getShape(value);
  shape.erase(shape.begin() + concatAxis);
  DimExpr &joined = shape[size_t(concatAxis)];
  joined = call.check(ir::mul(joined, DimExpr(size())));
  return call.tensor(call.g.reshape(value, shape));
}

// Behind the rows of all ranks stands one of zeros, for who gets none.
Tensor permute(const Tensor &x, const std::vector<std::pair<int, int>> &pairs,
               SourceLocation location) {
  Call call("distributed.permute", location);
  Value value = call.dense(x);
  std::vector<int64_t> senders(size_t(size()), size());
  llvm::SmallSet<int, 8> sending;
  for (auto [from, to] : pairs) {
    int64_t &sender = senders[size_t(rankOf(call, to))];
    if (!sending.insert(int(rankOf(call, from))).second || sender != size())
      call.valueError("the pair (" + std::to_string(from) + ", " + std::to_string(to) +
                      ") has the sender or the receiver of an earlier one; needed others");
    sender = from;
  }
  Value rows = rowsOf(call, value);
  ir::Shape shape = ir::getShape(rows), low(shape.size(), DimExpr(0));
  shape[0] = DimExpr(size() + 1);
  rows = call.g.pad(rows, low, llvm::SmallVector<int64_t>(shape.size(), 0), shape);
  Value sender =
      call.g.gather(call.literal(Array(senders)), ofOne(call, ir::RankReduction::Before));
  return call.tensor(call.g.gather(rows, sender));
}

Tensor rankIndex(SourceLocation location) {
  Call call("distributed.rank_index", location);
  return call.tensor(ofOne(call, ir::RankReduction::Before));
}

Tensor rankCount(SourceLocation location) {
  Call call("distributed.rank_count", location);
  return call.tensor(ofOne(call, ir::RankReduction::Sum));
}

} // namespace keratin::backend::distributed
