// One rank's part of a function.
#include "ir/builder/GraphMath.h"
#include "ir/dialect/GathersParts.h"
#include "ir/dialect/Signature.h"
#include "ir/interfaces/ComputedSizes.h"
#include "passes/Passes.h"
#include "passes/shard/RankValues.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <map>

using namespace keratin::passes;
using namespace keratin::ir;
using namespace mlir;

namespace keratin::passes {
#define GEN_PASS_DEF_SHARD
#include "passes/Passes.h.inc"
} // namespace keratin::passes

namespace {

// A share, and who needs the whole.
struct Need {
  Value share;
  SmallVector<OpOperand *> uses;
};

// Needs whose shares go in one message, in the order in which they are ready. What stands between
// them and needs one of them comes behind the message: an update of a variable stands behind its
// gradient, and need not be done before the next gradient is.
class Bucket {
public:
  explicit Bucket(Block &body) : body(body) {}

  ArrayRef<Need> needs() const { return members; }
  // Whether the share needs none of the others as a whole. To be asked for each share in its turn.
  bool isReadyFor(const Need &need);
  void add(const Need &need, int64_t bytes);
  int64_t bytes() const { return sum; }
  // Of what goes in the message; all that waits comes behind the last share.
  void moveWaiting();
  void clear();

private:
  bool waits(Operation &op) const;

  Block &body;
  std::vector<Need> members;
  int64_t sum = 0;
  // What needs a share as a whole, and ops up to `last` that need such.
  llvm::DenseSet<Operation *> users;
  llvm::SetVector<Operation *> waiting;
  Operation *last = nullptr;
};

class Reducer {
public:
  Reducer(func::FuncOp function, const RankValues &values, int64_t bucketBytes)
      : body(function.getBody().front()), values(values), bucketBytes(bucketBytes) {}

  void run();

private:
  std::vector<Need> findNeeds() const;
  bool goesIntoBucket(Value share) const;
  int64_t bytesOf(Value share) const;
  void reduce(const Need &need);
  void reduceTogether(ArrayRef<Need> bucket);
  void reduceInBuckets(ArrayRef<Need> needs);
  void drawOwn(RandomBitsOp bits);
  Value elementsBefore(RandomBitsOp bits, const DimExpr &count);

  Block &body;
  const RankValues &values;
  const int64_t bucketBytes;
  // Of numbers of elements, of the function's own block: how many ranks before this one have.
  std::map<DimExpr, Value> before;
};

} // namespace

bool Bucket::waits(Operation &op) const {
  if (users.contains(&op))
    return true;
  return op
      .walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          if (Operation *maker = operand.getDefiningOp(); maker && waiting.contains(maker))
            return WalkResult::interrupt();
        return WalkResult::advance();
      })
      .wasInterrupted();
}

bool Bucket::isReadyFor(const Need &need) {
  if (members.empty())
    return true;
  Operation *maker = need.share.getDefiningOp();
  for (; last != maker; last = last->getNextNode())
    if (waits(*last)) {
      if (!isMemoryEffectFree(last))
        return false;
      waiting.insert(last);
    }
  return !waits(*maker);
}

void Bucket::add(const Need &need, int64_t bytes) {
  if (members.empty())
    last = need.share.getDefiningOp();
  members.push_back(need);
  sum += bytes;
  for (OpOperand *use : need.uses)
    users.insert(body.findAncestorOpInBlock(*use->getOwner()));
}

void Bucket::moveWaiting() {
  Operation *behind = members.back().share.getDefiningOp();
  for (Operation *op : waiting) {
    if (behind->isBeforeInBlock(op))
      continue;
    op->moveAfter(behind);
    behind = op;
  }
}

void Bucket::clear() {
  members.clear();
  users.clear();
  waiting.clear();
  sum = 0;
}

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
      needs.push_back({share, std::move(uses)});
  return needs;
}

// Sums of floats of the function's own block; others are few and small.
bool Reducer::goesIntoBucket(Value share) const {
  return values.kindOf(share) == RankKind::Sum && share.getParentBlock() == &body &&
         share.getDefiningOp() && isa<FloatType>(getElementType(share));
}

// A size that is not known counts as 32, as in reports.
int64_t Reducer::bytesOf(Value share) const {
  std::optional<DimExpr> bytes = byteCount(share);
  std::optional<int64_t> known =
      bytes ? bytes->evaluate([](int64_t) { return std::optional<int64_t>(32); }) : std::nullopt;
  return known.value_or(bucketBytes);
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

void Reducer::reduce(const Need &need) {
  OpBuilder builder(need.share.getContext());
  builder.setInsertionPointAfterValue(need.share);
  Value whole = builder.create<AllReduceOp>(need.share.getLoc(), need.share.getType(), need.share,
                                            reductionOf(values.kindOf(need.share)));
  for (OpOperand *use : need.uses)
    use->set(whole);
}

// One behind the other, behind the last that is ready.
void Reducer::reduceTogether(ArrayRef<Need> bucket) {
  if (bucket.size() == 1)
    return reduce(bucket.front());
  OpBuilder builder(bucket.front().share.getContext());
  builder.setInsertionPointAfterValue(bucket.back().share);
  Type element = getElementType(bucket.front().share);
  SmallVector<Value> flat;
  SmallVector<DimExpr> starts = {DimExpr(0)};
  for (const Need &need : bucket) {
    DimExpr count = *elementCount(getShape(need.share));
    flat.push_back(builder.create<ReshapeOp>(need.share.getLoc(), getTensorType({count}, element),
                                             need.share));
    starts.push_back(*add(starts.back(), count));
  }
  Location location = bucket.front().share.getLoc();
  RankedTensorType together = getTensorType({starts.back()}, element);
  Value joined = builder.create<ConcatenateOp>(location, together, flat, 0);
  Value whole = builder.create<AllReduceOp>(location, together, joined, RankReduction::Sum);
  for (auto [number, need] : llvm::enumerate(bucket)) {
    Value part = builder.create<SliceOp>(need.share.getLoc(), flat[number].getType(), whole,
                                         DimsAttr::get(builder.getContext(), {starts[number]}),
                                         ArrayRef<int64_t>{1});
    part = builder.create<ReshapeOp>(need.share.getLoc(), need.share.getType(), part);
    for (OpOperand *use : need.uses)
      use->set(part);
  }
}

void Reducer::reduceInBuckets(ArrayRef<Need> needs) {
  Bucket bucket(body);
  auto close = [&] {
    if (bucket.needs().empty())
      return;
    bucket.moveWaiting();
    reduceTogether(bucket.needs());
    bucket.clear();
  };
  for (const Need &need : needs) {
    int64_t own = bytesOf(need.share);
    if (!bucket.needs().empty() &&
        (own > bucketBytes - bucket.bytes() ||
         getElementType(need.share) != getElementType(bucket.needs().front().share) ||
         !bucket.isReadyFor(need)))
      close();
    bucket.add(need, own);
  }
  close();
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
  Value found = builder.create<AllReduceOp>(location, scalar, own, RankReduction::Before);
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

void Reducer::run() {
  SmallVector<RandomBitsOp> drawing;
  body.walk([&](RandomBitsOp bits) {
    if (values.kindOf(bits.getY()) == RankKind::Part && !values.isOfWhole(bits))
      drawing.push_back(bits);
  });
  std::vector<Need> inBuckets;
  for (Need &need : findNeeds())
    if (goesIntoBucket(need.share))
      inBuckets.push_back(std::move(need));
    else
      reduce(need);
  reduceInBuckets(inBuckets);
  for (RandomBitsOp bits : drawing)
    drawOwn(bits);
}

//===-- The whole of parts --------------------------------------------------------------------===//

namespace {

// Gives ops the whole where they need it, and the others their parts of it again.
class Gatherer {
public:
  Gatherer(func::FuncOp function, const RankValues &values) : function(function), values(values) {}

  void run();

private:
  void nameSizes();
  void defineSizes();
  DimExpr renamed(const DimExpr &size, const llvm::DenseMap<int64_t, int64_t> &names) const;
  Value wholeOf(Value part);
  Value partOf(Value whole, RankedTensorType type);
  void makeWhole(Operation *op);

  func::FuncOp function;
  const RankValues &values;
  SmallVector<int64_t> symbols; // the sharded ones
  // Of them: those of the whole size, and of what the ranks before this one have.
  llvm::DenseMap<int64_t, int64_t> allOf, before;
  llvm::DenseMap<Value, Value> wholes;
  bool takesParts = false;
};

} // namespace

void Gatherer::nameSizes() {
  int64_t next = firstUnusedSymbol(function);
  symbols.assign(values.shardedSymbols().begin(), values.shardedSymbols().end());
  llvm::sort(symbols);
  for (int64_t symbol : symbols) {
    allOf[symbol] = next++;
    before[symbol] = next++;
  }
}

// By a message each, in front of all else.
void Gatherer::defineSizes() {
  OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
  GraphMath math(builder, function.getLoc());
  Type i64 = builder.getI64Type();
  for (int64_t symbol : symbols) {
    Value own =
        math.count(math.splat(0.0, getTensorType({DimExpr::symbol(symbol)}, i64)), {0}, i64);
    auto define = [&](int64_t defined, RankReduction reduction) {
      builder.create<DefineSizeOp>(function.getLoc(), uint64_t(defined),
                                   math.allReduce(own, reduction), DimsAttr());
    };
    define(allOf[symbol], RankReduction::Sum);
    if (takesParts)
      define(before[symbol], RankReduction::Before);
  }
}

DimExpr Gatherer::renamed(const DimExpr &size,
                          const llvm::DenseMap<int64_t, int64_t> &names) const {
  return *size.substitute([&](int64_t symbol) {
    auto found = names.find(symbol);
    return std::optional(DimExpr::symbol(found == names.end() ? symbol : found->second));
  });
}

// Where dimensions in front have been merged with the sharded one, it is for a moment apart.
Value Gatherer::wholeOf(Value part) {
  Value &whole = wholes[part];
  if (whole)
    return whole;
  OpBuilder builder(part.getContext());
  builder.setInsertionPointAfterValue(part);
  GraphMath math(builder, part.getLoc());
  unsigned axis = *values.dimensionOf(part);
  Shape apart = getShape(part), result = apart;
  result[axis] = renamed(result[axis], allOf);
  DimExpr runs = values.runsOf(part).value_or(DimExpr(1));
  bool isMerged = runs != DimExpr(1);
  if (isMerged) {
    apart[axis] = *floordiv(apart[axis], runs);
    apart.insert(apart.begin() + axis, runs);
  }
  unsigned gathered = axis + isMerged;
  Value all = math.allGather(math.reshape(part, apart), gathered, renamed(apart[gathered], allOf));
  return whole = math.reshape(all, result);
}

Value Gatherer::partOf(Value whole, RankedTensorType type) {
  takesParts = true;
  OpBuilder builder(whole.getContext());
  builder.setInsertionPointAfterValue(whole);
  const Shape shape = getShape(type);
  Shape starts(shape.size(), DimExpr(0));
  for (auto [number, size] : llvm::enumerate(shape))
    if (size != getShape(whole)[number])
      starts[number] = renamed(size, before);
  return GraphMath(builder, whole.getLoc())
      .slice(whole, starts, shape, SmallVector<int64_t>(shape.size(), 1));
}

void Gatherer::makeWhole(Operation *op) {
  for (OpOperand &operand : op->getOpOperands())
    if (values.dimensionOf(operand.get()))
      operand.set(wholeOf(operand.get()));
  SmallVector<RankedTensorType> types;
  for (Value result : op->getResults())
    types.push_back(getTensorType(result));
  renameSymbols(op, allOf);
  for (auto [result, type] : llvm::zip_equal(op->getResults(), types)) {
    SmallVector<OpOperand *> ofPart;
    for (OpOperand &use : result.getUses())
      if (result.getType() != type && !values.isOfWhole(use.getOwner()))
        ofPart.push_back(&use);
    if (ofPart.empty())
      continue;
    Value part = partOf(result, type);
    for (OpOperand *use : ofPart)
      use->set(part);
  }
}

void Gatherer::run() {
  SmallVector<Operation *> ofWhole;
  SmallVector<OpOperand *> unordered;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (values.isOfWhole(op))
      ofWhole.push_back(op);
    for (OpOperand &operand : op->getOpOperands())
      if (values.needsOrder(operand))
        unordered.push_back(&operand);
  });
  if (ofWhole.empty() && unordered.empty())
    return;
  nameSizes();
  for (OpOperand *operand : unordered) {
    Value part = operand->get();
    operand->set(partOf(wholeOf(part), getTensorType(part)));
  }
  for (Operation *op : ofWhole)
    makeWhole(op);
  defineSizes();
}

namespace {
struct ShardPass : keratin::passes::impl::ShardBase<ShardPass> {
  using ShardBase::ShardBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!function.getBody().hasOneBlock())
      return;
    const bool gathers = function->removeAttr(kGathersPartsAttr) != nullptr;
    Signature signature(function);
    llvm::DenseSet<int64_t> sharded;
    for (BlockArgument argument : function.getArguments())
      if (std::optional<int64_t> dimension = signature.sharded(argument.getArgNumber())) {
        for (int64_t symbol : getShape(argument)[size_t(*dimension)].symbols())
          sharded.insert(symbol);
        signature.makePart(argument.getArgNumber());
      }
    if (sharded.empty())
      return;
    RankValues values(function, std::move(sharded), gathers);
    if (failed(values.run()))
      return signalPassFailure();
    Reducer(function, values, bucketBytes).run();
    for (OpOperand &result : function.getBody().front().getTerminator()->getOpOperands())
      if (std::optional<unsigned> dimension = values.dimensionOf(result.get()))
        signature.setResultPart(result.getOperandNumber(), *dimension);
    Gatherer(function, values).run();
  }
};
} // namespace
