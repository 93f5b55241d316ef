#include "passes/shard/Reducer.h"

#include "ir/builder/GraphMath.h"

#include "llvm/ADT/MapVector.h"

using namespace keratin::passes;
using namespace keratin::ir;
using namespace mlir;

// In the order in which shares are ready.
std::vector<Need> Reducer::findNeeds() const {
  llvm::MapVector<Value, SmallVector<OpOperand *>> found;
  body.walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        found.try_emplace(argument);
    for (Value result : op->getResults())
      found.try_emplace(result);
  });
  for (OpOperand *operand : values.wholeOperands())
    found[operand->get()].push_back(operand);
  std::vector<Need> needs;
  for (auto &[share, uses] : found)
    if (!uses.empty())
      needs.push_back({share, std::move(uses), bytesOf(share)});
  return needs;
}

// Sums of floats of the function's own block; others are few and small. What ranks along another
// axis have parts of cannot be in one line with anything else.
bool Reducer::goesIntoBucket(Value share) const {
  return values.kindOf(share) == RankKind::Sum && share.getParentBlock() == &body &&
         !values.isOfOthers(share) && share.getDefiningOp() &&
         isa<FloatType>(getElementType(share));
}

static RankReduction reductionOf(RankKind kind) {
  switch (kind) {
  case RankKind::Max:
    return RankReduction::Max;
  case RankKind::Min:
    return RankReduction::Min;
  default:
    return RankReduction::Sum;
  }
}

// A rank without rows has no share, of whatever it has made of none: a mean of nothing is no
// number.
void Reducer::leaveOutEmpty(LeaveRankOp op) {
  for (BlockArgument argument : op->getBlock()->getArguments()) {
    std::optional<unsigned> dimension = values.dimensionOf(argument);
    if (!dimension)
      continue;
    OpBuilder builder(op);
    GraphMath math(builder, op.getLoc());
    Value own = op.getX(), none = math.zeroLike(own);
    Value rows = math.broadcastScalar(
        math.count(argument, {int64_t(*dimension)}, getElementType(own)), getShape(own));
    return op.setOperand(math.select(math.greater(rows, none), own, none));
  }
}

void Reducer::reduce(const Need &need) {
  OpBuilder builder(need.share.getContext());
  builder.setInsertionPointAfterValue(need.share);
  Value whole =
      builder.create<AllReduceOp>(need.share.getLoc(), need.share.getType(), need.share,
                                  reductionOf(values.kindOf(need.share)), values.meshAxis());
  for (OpOperand *use : need.uses)
    use->set(whole);
}

// Whether what lies behind it begins where vectors do, if it does itself.
static bool fillsLines(Value share) {
  constexpr int64_t lineBytes = 64;
  std::optional<DimExpr> bytes = byteCount(share);
  return bytes && mod(*bytes, DimExpr(lineBytes)) == DimExpr(0);
}

// One behind the other, behind the last that is ready.
void Reducer::reduceTogether(ArrayRef<Need> bucket) {
  if (bucket.size() == 1)
    return reduce(bucket.front());
  OpBuilder builder(bucket.front().share.getContext());
  builder.setInsertionPointAfterValue(bucket.back().share);
  SmallVector<Need> ordered(
      llvm::make_filter_range(bucket, [](const Need &need) { return fillsLines(need.share); }));
  llvm::append_range(ordered, llvm::make_filter_range(bucket, [](const Need &need) {
                       return !fillsLines(need.share);
                     }));
  Type element = getElementType(ordered.front().share);
  SmallVector<Value> flat;
  SmallVector<DimExpr> starts = {DimExpr(0)};
  for (const Need &need : ordered) {
    DimExpr count = *elementCount(getShape(need.share));
    flat.push_back(builder.create<ReshapeOp>(need.share.getLoc(), getTensorType({count}, element),
                                             need.share));
    starts.push_back(*add(starts.back(), count));
  }
  Location location = ordered.front().share.getLoc();
  RankedTensorType together = getTensorType({starts.back()}, element);
  Value joined = builder.create<ConcatenateOp>(location, together, flat, 0);
  Value whole = builder.create<AllReduceOp>(location, together, joined, RankReduction::Sum,
                                            values.meshAxis());
  for (auto [number, need] : llvm::enumerate(ordered)) {
    Value part = builder.create<SliceOp>(need.share.getLoc(), flat[number].getType(), whole,
                                         DimsAttr::get(builder.getContext(), {starts[number]}),
                                         ArrayRef<int64_t>{1});
    part = builder.create<ReshapeOp>(need.share.getLoc(), need.share.getType(), part);
    for (OpOperand *use : need.uses)
      use->set(part);
  }
}

// One message for all ops of the function's own block that draw as many.
Value Reducer::elementsBefore(RandomBitsOp bits, const DimExpr &count) {
  bool isShared = bits->getBlock() == &body;
  if (Value known = isShared ? before[count] : Value())
    return known;
  OpBuilder builder(bits);
  if (isShared)
    builder.setInsertionPointToStart(&body);
  Location location = bits.getLoc();
  RankedTensorType scalar = getTensorType({}, builder.getI64Type());
  Value one = GraphMath(builder, location).integerScalar(1, builder.getI64Type());
  Value line = builder.create<BroadcastOp>(location, getTensorType({count}, builder.getI64Type()),
                                           one, ArrayRef<int64_t>{});
  Value own = builder.create<DimOp>(location, scalar, line, 0);
  Value found =
      builder.create<AllReduceOp>(location, scalar, own, RankReduction::Before, values.meshAxis());
  if (isShared)
    before[count] = found;
  return found;
}

// The rank's part of what one process draws: from the line of 64 on in which it begins, less what
// stands before it there.
void Reducer::drawOwn(RandomBitsOp bits) {
  constexpr int64_t lineElements = 64;
  Shape shape = getShape(bits.getY());
  DimExpr count = *elementCount(shape);
  std::optional<DimExpr> drawn = add(count, DimExpr(lineElements));
  if (!drawn)
    return; // nor could it be drawn
  Value first = elementsBefore(bits, count);
  OpBuilder builder(bits);
  GraphMath math(builder, bits.getLoc());
  Type element = getElementType(bits.getY());
  Value length = math.integerScalar(lineElements, builder.getI64Type());
  Value more =
      builder.create<RandomBitsOp>(bits.getLoc(), getTensorType({*drawn}, element), bits.getDraw(),
                                   math.floorDiv(first, length), bits.getSeed());
  Value flat = builder.create<DynamicSliceOp>(bits.getLoc(), getTensorType({count}, element), more,
                                              ValueRange{math.mod(first, length)});
  Value own = builder.create<ReshapeOp>(bits.getLoc(), bits.getY().getType(), flat);
  bits.replaceAllUsesWith(own);
  bits.erase();
}

// Those that make a share, and those whose results they need.
llvm::DenseSet<Operation *> Reducer::opsTowards(ArrayRef<Need> needs) const {
  llvm::DenseSet<Operation *> found;
  for (const Need &need : needs)
    found.insert(need.share.getDefiningOp());
  for (Operation &op : llvm::reverse(body))
    if (llvm::any_of(op.getUsers(), [&](Operation *user) {
          return found.contains(body.findAncestorOpInBlock(*user));
        }))
      found.insert(&op);
  return found;
}

// A gradient waits for no other message, and none for it, so many go in one. What other shares are
// made of, as the mean of a batch, is asked for at once, and does not wait until all of them are
// there.
void Reducer::run() {
  SmallVector<RandomBitsOp> drawing;
  body.walk([&](RandomBitsOp bits) {
    if (values.kindOf(bits.getY()) == RankKind::Part && !values.isOfWhole(bits))
      drawing.push_back(bits);
  });
  SmallVector<LeaveRankOp> leaving;
  body.walk([&](LeaveRankOp op) {
    if (values.isOfRanks(op) && values.kindOf(op.getY()) == RankKind::Sum)
      leaving.push_back(op);
  });
  for (LeaveRankOp op : leaving)
    leaveOutEmpty(op);
  std::vector<Need> inBuckets;
  for (Need &need : findNeeds())
    if (goesIntoBucket(need.share))
      inBuckets.push_back(std::move(need));
    else
      reduce(need);
  makeEarly(body, inBuckets);
  const llvm::DenseSet<Operation *> towards = opsTowards(inBuckets);
  std::vector<Need> urgent, lazy, scattered;
  for (Need &need : inBuckets) {
    bool isOfParts =
        llvm::all_of(need.uses, [&](OpOperand *use) { return states.needsPart(*use); });
    bool isUrgent = llvm::any_of(need.uses, [&](OpOperand *use) {
      return towards.contains(body.findAncestorOpInBlock(*use->getOwner()));
    });
    (isUrgent ? urgent : isOfParts ? scattered : lazy).push_back(std::move(need));
  }
  auto reduceAll = [&](ArrayRef<Need> bucket) { reduceTogether(bucket); };
  sendInBuckets(body, urgent, {limits.bytes, limits.bytes}, reduceAll);
  sortByPlace(lazy);
  sendInBuckets(body, lazy, limits, reduceAll);
  sortByPlace(scattered);
  sendInBuckets(body, scattered, limits, [&](ArrayRef<Need> bucket) { states.scatter(bucket); });
  for (RandomBitsOp bits : drawing)
    drawOwn(bits);
}
