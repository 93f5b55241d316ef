#include "passes/shard/RankValues.h"

#include "ir/dialect/GraphError.h"
#include "ir/dialect/OwnRows.h"
#include "ir/dialect/SizeNames.h"
#include "ir/interfaces/ComputedSizes.h"
#include "ir/interfaces/OpProperties.h"
#include "passes/simplify/Matchers.h"

using namespace keratin::passes;
using namespace keratin::ir;
using namespace mlir;

// As the option is called (FunctionOptions::gatherParts, --gather-parts).
static constexpr StringLiteral kNeedsGathers =
    "; needed gather_parts, with which each rank gets all parts";

LogicalResult RankValues::run() {
  do {
    forgetAll();
    for (BlockArgument argument : function.getArguments())
      setArgument(argument);
    if (failed(visitBlock(function.getBody().front())) && !haveForgotten)
      return failure();
  } while (haveForgotten);
  scaleWholes();
  return gathering.empty() ? success() : visitChecks();
}

//===-- Sizes ---------------------------------------------------------------------------------===//

bool RankValues::isOfOthers(Value value) const {
  return ownOfOthers.contains(value) ||
         llvm::any_of(getShape(value), [&](const DimExpr &size) { return isOf(size, others); });
}

std::optional<unsigned> RankValues::dimensionOf(Value value) const {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.getEncoding())
    return std::nullopt;
  for (auto [number, size] : llvm::enumerate(getShape(type)))
    if (isSharded(size))
      return unsigned(number);
  return std::nullopt;
}

// Whether ranks can have parts of it, which are one after the other the whole.
bool RankValues::hasParts(Value value) const {
  std::optional<unsigned> dimension = dimensionOf(value);
  if (!dimension)
    return true;
  const Shape shape = getShape(value);
  return isAdditive(shape[*dimension], sharded) &&
         llvm::count_if(shape, [&](const DimExpr &size) { return isSharded(size); }) == 1;
}

// Where an op needs the places of the whole after all, all is looked at again.
LogicalResult RankValues::forgetPlaces(Operation *op) {
  for (Value operand : op->getOperands())
    if (places.contain(operand))
      places.forget(operand);
  haveForgotten = true;
  return failure();
}

void RankValues::forgetAll() {
  haveForgotten = false;
  kinds.clear();
  runs.clear();
  ownOfOthers.clear();
  whole.clear();
  unordered.clear();
  gathering.clear();
  exchanged.clear();
  unbounded.clear();
}

LogicalResult RankValues::needAllParts(Operation *op, const Twine &what) {
  if (llvm::any_of(op->getOperands(), [&](Value operand) { return places.contain(operand); }))
    return forgetPlaces(op);
  auto isNowhereWhole = [&](Value operand) {
    return isOwn(operand) || (!hasParts(operand) && !isOfWhole(operand.getDefiningOp()));
  };
  if (hasOwnRows(op) || llvm::any_of(op->getOperands(), isNowhereWhole))
    return refuse(op, what);
  if (!gathers)
    return refuse(op, what, kNeedsGathers);
  forgetInside(op);
  gathering.insert(op);
  needOperandsWhole(op);
  setKinds(op);
  for (Value result : op->getResults())
    setRuns(result, DimExpr(1));
  return success();
}

LogicalResult RankValues::refuse(Operation *op, const Twine &what, StringRef needed) {
  int64_t symbol = *llvm::min_element(sharded);
  return emitGraphError(op) << "not implemented: " << what << " '" << SizeNames(function)[symbol]
                            << "', of which each rank has a part" << needed,
         failure();
}

// The whole of what is repeated for others is made by each rank of its own size.
LogicalResult RankValues::visitChecks() {
  auto checks = function->getAttrOfType<ArrayAttr>("keratin.checks");
  if (!checks)
    return success();
  for (auto check : checks.getAsRange<DictionaryAttr>()) {
    if (check.getAs<RequirementAttr>("kind").getValue() != Requirement::Broadcast)
      continue;
    for (StringRef side : {"lhs", "rhs"})
      if (llvm::any_of(check.getAs<DimsAttr>(side).getDims(),
                       [&](const DimExpr &size) { return isSharded(size); }))
        return refuse(function, "the whole of parts, and a size that may be 1 in the place of");
  }
  return success();
}

//===-- The order of ranks' elements ----------------------------------------------------------===//

void RankValues::setArgument(BlockArgument argument) {
  kinds[argument] = kindByType(argument);
  setRuns(argument, DimExpr(1));
}

void RankValues::setRuns(Value part, const std::optional<DimExpr> &count) {
  if (!count || !isPart(part))
    runs.erase(part);
  else
    runs.insert_or_assign(part, *count);
}

std::optional<DimExpr> RankValues::runsOf(Value part) const {
  auto found = runs.find(part);
  return found == runs.end() ? std::nullopt : std::optional(found->second);
}

LogicalResult RankValues::needOrder(OpOperand &operand) {
  std::optional<DimExpr> own = runsOf(operand.get());
  if (!own || *own == DimExpr(1))
    return success();
  if (!gathers)
    return refuse(operand.get().getDefiningOp(), "other dimensions merged in front of",
                  kNeedsGathers);
  unordered.insert(&operand);
  return success();
}

// What goes together has its elements in one order, and what comes and goes in that of ranks.
LogicalResult RankValues::visitRuns(Operation *op) {
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return visitRunsOfReshape(reshape);
  if (auto delay = dyn_cast<DelayOp>(op))
    return setRuns(delay.getY(), runsOf(delay.getX())), success();
  if (isa<GatherOp>(op) && isExchanged(op)) // what is found comes back as it was asked for
    return setRuns(op->getResult(0), runsOf(op->getOperand(1))), success();
  bool needsOrder = isa<LoopOpInterface, IfOp>(op) || op->hasTrait<OpTrait::IsTerminator>();
  std::optional<DimExpr> common;
  for (OpOperand &operand : op->getOpOperands()) {
    std::optional<DimExpr> own = runsOf(operand.get());
    if (needsOrder && failed(needOrder(operand)))
      return failure();
    if (!needsOrder && own && common && *own != *common)
      return needAllParts(op, op->getName().stripDialect() + " of elements in different orders of");
    if (own)
      common = own;
  }
  if (needsOrder || isa<RandomBitsOp>(op) || isCut(op) ||
      (isa<IotaOp>(op) && places.contain(op->getResult(0))) ||
      (isa<ScatterAddOp>(op) && (hasOwnRows(op) || places.pick(op))))
    common = DimExpr(1);
  for (Value result : op->getResults())
    setRuns(result, common);
  return success();
}

static std::optional<DimExpr> divideExactly(const DimExpr &a, const DimExpr &b) {
  std::optional<DimExpr> quotient = floordiv(a, b);
  return quotient && mul(*quotient, b) == a ? quotient : std::nullopt;
}

// Rows that follow one another, all in all, are as many before and after.
LogicalResult RankValues::visitRunsOfReshape(ReshapeOp op) {
  std::optional<unsigned> before = dimensionOf(op.getX()), after = dimensionOf(op.getY());
  if (!before || !after)
    return success();
  std::optional<DimExpr> own = runsOf(op.getX());
  const Shape x = getShape(op.getX()), y = getShape(op.getY());
  if (!own && x[*before] == y[*after])
    return setRuns(op.getY(), std::nullopt), success();
  auto inFrontOf = [](const Shape &shape, unsigned dimension) {
    return elementCount(Shape(shape.begin(), shape.begin() + dimension));
  };
  std::optional<DimExpr> outside = inFrontOf(x, *before), inFront = inFrontOf(y, *after);
  std::optional<DimExpr> all = outside ? mul(*outside, own.value_or(DimExpr(1))) : std::nullopt;
  std::optional<DimExpr> left = all && inFront ? divideExactly(*all, *inFront) : std::nullopt;
  if (!left)
    return needAllParts(op, "reshape along");
  return setRuns(op.getY(), left), success();
}

//===-- Ops -----------------------------------------------------------------------------------===//

void RankValues::setKinds(Operation *op, RankKind share) {
  for (Value result : op->getResults())
    kinds[result] = isPart(result) ? RankKind::Part : share;
}

void RankValues::needOperandsWhole(Operation *op) {
  for (OpOperand &operand : op->getOpOperands())
    needWhole(operand);
}

LogicalResult RankValues::needAllWhole(Operation *op) {
  needOperandsWhole(op);
  setKinds(op);
  return success();
}

LogicalResult RankValues::visitBlock(Block &block) {
  for (Operation &op : block)
    if (failed(visit(&op)))
      return failure();
  return success();
}

LogicalResult RankValues::visit(Operation *op) {
  auto isEntering = [&](EnterRankOp marker) {
    return markers.areAlongOthers(marker, axis) ? WalkResult::interrupt() : WalkResult::advance();
  };
  const bool isOwnOfOthers =
      op->walk(isEntering).wasInterrupted() ||
      (!isa<LeaveRankOp>(op) && llvm::any_of(op->getOperands(), [&](Value operand) {
        return ownOfOthers.contains(operand);
      }));
  if (isOwnOfOthers)
    ownOfOthers.insert(op->result_begin(), op->result_end());
  return success(succeeded(visitKinds(op)) && (isOfWhole(op) || succeeded(visitRuns(op))));
}

// What is inside of an op is looked at again, or not at all.
void RankValues::forgetInside(Operation *op) {
  op->walk([&](Operation *inner) {
    if (inner == op)
      return;
    gathering.erase(inner);
    exchanged.erase(inner);
    for (OpOperand &operand : inner->getOpOperands()) {
      whole.erase(&operand);
      unordered.erase(&operand);
    }
    for (Value result : inner->getResults())
      kinds.erase(result);
  });
}

LogicalResult RankValues::visitKinds(Operation *op) {
  StringRef name = op->getName().stripDialect();
  if (isa<EnterRankOp, LeaveRankOp>(op) && !isOfRanks(op))
    return needAllWhole(op);
  if (op->hasTrait<OpTrait::IsTerminator>() && !isa<func::ReturnOp>(op))
    return success(); // the loop or branch sees to it
  if (isa<EnterRankOp>(op) ||
      (!isa<LeaveRankOp, IfOp, LoopOpInterface>(op) &&
       llvm::any_of(op->getOperands(), [&](Value operand) { return isOwn(operand); })))
    return visitOwn(op);
  if (isa<LeaveRankOp>(op))
    return needOperandsWhole(op), setKinds(op, RankKind::Sum), success();
  if (auto end = dyn_cast<func::ReturnOp>(op))
    return visitReturn(end);
  noteBound(op);
  if (isCollective(op))
    return visitCollective(op);
  if (auto rank = dyn_cast<RankOp>(op))
    return visitRank(rank);
  if (isa<RankCountOp>(op))
    return setKinds(op), success();
  if (isOfOwnRows(op))
    return visitOwnRows(op);
  for (ValueRange values : {ValueRange(op->getOperands()), ValueRange(op->getResults())})
    for (Value value : values)
      if (!hasParts(value))
        return needAllParts(op, name + " with a size that is no multiple of");
  if (places.pick(op))
    return visitOwnPlaces(op);
  if (auto loop = dyn_cast<LoopOpInterface>(op))
    return visitLoop(loop);
  if (auto branches = dyn_cast<IfOp>(op))
    return visitBranches(branches);
  if (auto dim = dyn_cast<DimOp>(op)) {
    bool isShare = isSharded(getShape(dim.getX())[size_t(dim.getAxis())]);
    return setKinds(op, isShare ? RankKind::Sum : RankKind::Same), success();
  }
  if (auto define = dyn_cast<DefineSizeOp>(op);
      define && define.getBound() && isSharded(define.getBound()->getDims()[0]))
    return needAllParts(op, "a size of at most");
  if (auto delay = dyn_cast<DelayOp>(op))
    return setKinds(op, kindOf(delay.getX())), success();
  if (isa<ElementwiseOpInterface, DependOp>(op))
    return visitElementwise(op);
  if (auto reduction = dyn_cast<ReductionOpInterface>(op))
    return visitReduction(reduction);
  if (auto contraction = dyn_cast<DotGeneralOp>(op))
    return visitContraction(contraction);
  if (auto convolution = dyn_cast<ConvolutionOp>(op))
    return visitConvolution(convolution);
  if (auto scatter = dyn_cast<ScatterAddOp>(op))
    return visitScatter(scatter);
  if (auto windows = dyn_cast<WindowSumOp>(op))
    return visitWindows(op, windows.getWindow(), windows.getStrides(), windows.getLow());
  if (auto windows = dyn_cast<WindowMaxOp>(op))
    return visitWindows(op, windows.getWindow(), windows.getStrides(), windows.getLow());
  if (auto windows = dyn_cast<WindowPickOp>(op))
    return visitWindows(op, windows.getWindow(), windows.getStrides(), windows.getLow());
  if (auto windows = dyn_cast<WindowScatterOp>(op))
    return visitWindows(op, windows.getWindow(), windows.getStrides(), windows.getLow());
  return visitMove(op);
}

// A caller makes room for results before the call.
LogicalResult RankValues::visitReturn(func::ReturnOp op) {
  for (Value result : op.getOperands()) {
    if (!hasParts(result))
      return refuse(op, "a result with a size that is no multiple of");
    for (const DimExpr &size : getShape(result))
      if (llvm::any_of(size.symbols(), [&](int64_t symbol) { return unbounded.contains(symbol); }))
        return refuse(op, "a result with a computed size of at most");
  }
  return needAllWhole(op);
}

void RankValues::noteBound(Operation *op) {
  std::optional<int64_t> symbol = symbolDefinedBy(op);
  std::optional<DimExpr> bound;
  if (auto define = dyn_cast<DefineSizeOp>(op); define && define.getBound())
    bound = define.getBound()->getDims()[0];
  else if (auto truncate = dyn_cast<TruncateOp>(op))
    bound = getShape(truncate.getX())[size_t(truncate.getAxis())];
  else if (auto loop = dyn_cast<WhileOp>(op); loop && loop.getBound())
    bound = *loop.getBound();
  if (symbol && bound && (isSharded(*bound) || llvm::any_of(bound->symbols(), [&](int64_t other) {
                            return unbounded.contains(other);
                          })))
    unbounded.insert(*symbol);
}

// Of equal shapes: all of it is along the sharded size, or nothing. What adds and scales makes
// shares of shares.
LogicalResult RankValues::visitElementwise(Operation *op) {
  if (llvm::any_of(op->getResults(), [&](Value result) { return isPart(result); }))
    return setKinds(op), success();
  auto kind = [&](unsigned operand) { return kindOf(op->getOperand(operand)); };
  auto isSum = [&](unsigned operand) { return kind(operand) == RankKind::Sum; };
  auto isZero = [&](unsigned operand) { return isSplat(op->getOperand(operand), 0.0); };
  bool staysShare = false;
  if (isa<NegOp, StopGradientOp, IdentityOp, DependOp>(op))
    staysShare = isSum(0);
  else if (isa<AddOp, SubOp>(op))
    staysShare = (isSum(0) && (isSum(1) || isZero(1))) || (isZero(0) && isSum(1));
  else if (isa<MulOp>(op))
    staysShare = isSum(0) != isSum(1) && kind(isSum(0) ? 1 : 0) == RankKind::Same;
  else if (isa<DivOp>(op))
    staysShare =
        isSum(0) && kind(1) == RankKind::Same && isa<FloatType>(getElementType(op->getResult(0)));
  if (staysShare)
    return setKinds(op, RankKind::Sum), success();
  return needAllWhole(op);
}

// Whether it makes a share of one share, element by element.
bool RankValues::isScaled(Operation *op) const {
  return isa<NegOp, StopGradientOp, IdentityOp, MulOp, DivOp>(op) &&
         kindOf(op->getResult(0)) == RankKind::Sum;
}

// What is made of a share that is needed whole as well is made of the whole, unless it is added to
// other shares: Adam needs a gradient in two ways, and one message has both.
void RankValues::scaleWholes() {
  Block &body = function.getBody().front();
  llvm::DenseSet<Operation *> needed; // as a whole, itself or what is made of it
  for (Operation &op : llvm::reverse(body))
    if (isScaled(&op) && !op.use_empty() && llvm::all_of(op.getUses(), [&](OpOperand &use) {
          return whole.contains(&use) || needed.contains(use.getOwner());
        }))
      needed.insert(&op);
  for (Operation &op : body) {
    if (!needed.contains(&op))
      continue;
    OpOperand *share = llvm::find_if(op.getOpOperands(),
                                     [&](OpOperand &operand) { return isShare(operand.get()); });
    const bool hasShare = share != op.getOpOperands().end();
    if (hasShare &&
        llvm::none_of(share->get().getUses(), [&](OpOperand &use) { return whole.contains(&use); }))
      continue;
    if (hasShare)
      whole.insert(share);
    kinds[op.getResult(0)] = RankKind::Same;
    for (OpOperand &use : op.getUses())
      whole.erase(&use);
  }
}

LogicalResult RankValues::visitReduction(ReductionOpInterface op) {
  Value x = op->getOperand(0);
  std::optional<unsigned> dimension = dimensionOf(x);
  bool isOver = dimension && llvm::is_contained(op.getReducedAxes(), int64_t(*dimension));
  if (isa<ReduceSumOp>(op.getOperation()) && (isOver || kindOf(x) == RankKind::Sum))
    return setKinds(op, RankKind::Sum), success();
  if (!isOver)
    return needAllWhole(op);
  if (isa<ReduceMaxOp, ReduceAnyOp>(op.getOperation()))
    return setKinds(op, RankKind::Max), success();
  if (isa<ReduceMinOp, ReduceAllOp>(op.getOperation()))
    return setKinds(op, RankKind::Min), success();
  return needAllParts(op, op->getName().stripDialect() + " over");
}

LogicalResult RankValues::visitContraction(DotGeneralOp op) {
  std::optional<unsigned> a = dimensionOf(op.getA()), b = dimensionOf(op.getB());
  bool isOver = (a && llvm::is_contained(op.getAContract(), int64_t(*a))) ||
                (b && llvm::is_contained(op.getBContract(), int64_t(*b)));
  needOperandsWhole(op);
  if (isOver && isPart(op.getY())) // the other operand has it among the rest
    return needAllParts(op, "products over and along");
  return setKinds(op, isOver ? RankKind::Sum : RankKind::Same), success();
}

// A term of `dims` names the dimensions of its tensor.
LogicalResult RankValues::visitConvolution(ConvolutionOp op) {
  StringRef terms = op.getDims(), x, filter, result;
  std::tie(x, terms) = terms.split(',');
  std::tie(filter, result) = terms.split("->");
  auto letterOf = [&](StringRef term, Value value) -> char {
    std::optional<unsigned> dimension = dimensionOf(value);
    return dimension && *dimension < term.size() ? term[*dimension] : '\0';
  };
  char ofX = letterOf(x, op.getX()), ofFilter = letterOf(filter, op.getFilter());
  if (isdigit(ofX) || isdigit(ofFilter) || isdigit(letterOf(result, op.getY())))
    return needAllParts(op, "windows along");
  needOperandsWhole(op);
  bool isOver = ofX == 'c' || ofFilter == 'c';
  if (isOver && isPart(op.getY()))
    return needAllParts(op, "convolutions over and along");
  return setKinds(op, isOver ? RankKind::Sum : RankKind::Same), success();
}

LogicalResult RankValues::visitScatter(ScatterAddOp op) {
  std::optional<unsigned> updates = dimensionOf(op.getUpdates());
  std::optional<unsigned> result = dimensionOf(op.getY());
  bool isOver = updates && *updates < unsigned(getShape(op.getIndices()).size());
  if (result == 0u || (isOver && result))
    return needAllParts(op, "rows at given places along");
  if (kindOf(op.getUpdates()) == RankKind::Sum)
    return needWhole(op.getIndicesMutable()), setKinds(op, RankKind::Sum), success();
  needOperandsWhole(op);
  return setKinds(op, isOver ? RankKind::Sum : RankKind::Same), success();
}

bool RankValues::isOfOwnRows(Operation *op) const {
  return hasOwnRows(op) &&
         dimensionOf(isa<GatherOp>(op) ? op->getOperand(0) : op->getResult(0)) == 0u;
}

// Of a table of which each rank has rows. Where what picks them is not the same on all, a rank
// finds some for the others.
LogicalResult RankValues::visitOwnRows(Operation *op) {
  Value indices = op->getOperand(isa<GatherOp>(op) ? 1 : 0);
  needOperandsWhole(op);
  if (!isPart(indices))
    return setKinds(op, RankKind::Sum), success();
  if (!hasParts(indices))
    return refuse(op, op->getName().stripDialect() +
                          " of rows that are in parts, by as many indices as is no multiple of");
  exchanged.insert(op);
  return setKinds(op), success();
}

// The rows of a rank's part of a list are those of the whole from some place on, if dimensions that
// are merged with the sharded one stand behind it.
LogicalResult RankValues::visitOwnPlaces(Operation *op) {
  if (isa<GatherOp>(op) && runsOf(op->getOperand(0)).value_or(DimExpr(1)) != DimExpr(1))
    return forgetPlaces(op);
  return needAllWhole(op);
}

LogicalResult RankValues::visitWindows(Operation *op, ArrayRef<int64_t> window,
                                       ArrayRef<int64_t> strides, DimsAttr low) {
  if (std::optional<unsigned> dimension = dimensionOf(op->getOperand(0)))
    if (window[*dimension] != 1 || strides[*dimension] != 1 ||
        low.getDims()[*dimension] != DimExpr(0) ||
        getShape(op->getResult(0))[*dimension] != getShape(op->getOperand(0))[*dimension])
      return needAllParts(op, "windows along");
  return needAllWhole(op);
}

bool RankValues::isCut(Operation *op) const {
  auto slice = dyn_cast<SliceOp>(op);
  if (!slice || isPart(slice.getX()) || !isPart(slice.getY()))
    return false;
  const unsigned dimension = *dimensionOf(slice.getY());
  const DimExpr size = getShape(slice.getY())[dimension];
  std::optional<DimExpr> begin = size.substitute([&](int64_t symbol) {
    auto found = begins.find(symbol);
    return std::optional(found == begins.end() ? DimExpr::symbol(symbol) : found->second);
  });
  return begin != size && slice.getStarts().getDims()[dimension] == begin &&
         slice.getStrides()[dimension] == 1;
}

// What moves elements, searches and runs along dimensions: the sharded one must be left alone.
LogicalResult RankValues::visitMove(Operation *op) {
  StringRef name = op->getName().stripDialect();
  bool touches = llvm::any_of(op->getResults(), [&](Value result) { return isPart(result); }) ||
                 llvm::any_of(op->getOperands(), [&](Value operand) { return isPart(operand); });
  if (!touches) {
    bool isView = isa<ReshapeOp, TransposeOp>(op);
    if (isView && kindOf(op->getOperand(0)) == RankKind::Sum)
      return setKinds(op, RankKind::Sum), success();
    return needAllWhole(op);
  }
  std::optional<unsigned> before =
      op->getNumOperands() ? dimensionOf(op->getOperand(0)) : std::nullopt;
  std::optional<unsigned> after =
      op->getNumResults() ? dimensionOf(op->getResult(0)) : std::nullopt;
  // In what it is given and what it makes, at this place, with the same size.
  auto isKept = [&] {
    return before && after && *before == *after &&
           getShape(op->getOperand(0))[*before] == getShape(op->getResult(0))[*after];
  };
  bool leavesAlone = false;
  if (isa<ReshapeOp, TransposeOp>(op))
    leavesAlone = before && after;
  else if (isa<BroadcastOp, CheckRangeOp, PrintOp>(op))
    leavesAlone = after.has_value();
  else if (auto slice = dyn_cast<SliceOp>(op))
    leavesAlone = isCut(op) || (isKept() && slice.getStarts().getDims()[*before] == DimExpr(0) &&
                                slice.getStrides()[*before] == 1);
  else if (auto pad = dyn_cast<PadOp>(op))
    leavesAlone = isKept() && pad.getLow().getDims()[*before] == DimExpr(0) &&
                  pad.getInterior()[*before] == 0;
  else if (auto join = dyn_cast<ConcatenateOp>(op))
    leavesAlone = after && *after != unsigned(join.getAxis());
  else if (auto reverse = dyn_cast<ReverseOp>(op))
    leavesAlone = isKept() && !llvm::is_contained(reverse.getAxes(), int64_t(*before));
  else if (auto gather = dyn_cast<GatherOp>(op))
    leavesAlone = after && before != 0u;
  else if (isa<RandomBitsOp>(op)) // a rank's bits are neighbours among all
    leavesAlone = after && llvm::all_of(ArrayRef(getShape(op->getResult(0))).take_front(*after),
                                        [](const DimExpr &size) { return size == DimExpr(1); });
  else if (auto iota = dyn_cast<IotaOp>(op))
    leavesAlone = after && (*after != unsigned(iota.getAxis()) || places.contain(iota.getY()));
  else if (auto running = op->getAttrOfType<IntegerAttr>("axis");
           running && isa<CumsumOp, CumprodOp, CummaxOp, CumminOp, CumlogsumexpOp,
                          LinearRecurrenceOp, ArgMaxOp, ArgMinOp>(op))
    leavesAlone = before && *before != unsigned(running.getInt());
  else if (isa<DynamicSliceOp, DynamicUnsliceOp>(op))
    leavesAlone = isKept();
  else if (isa<CtcBeamSearchOp>(op))
    leavesAlone = before == 0u;
  else if (isa<CholeskyOp, EighOp, LuOp, QrOp, SvdOp, TriangularSolveOp>(op)) // of batches
    leavesAlone = isKept() && *before + 2 < getShape(op->getOperand(0)).size();
  else if (isa<TopKOp, FftOp>(op))
    leavesAlone = isKept() && *before + 1 < getShape(op->getOperand(0)).size();
  bool mentions = false;
  forEachDims(op, [&](DimsAttr dims) {
    mentions |= llvm::any_of(dims.getDims(), [&](const DimExpr &size) { return isSharded(size); });
  });
  if (!leavesAlone || mentions)
    return needAllParts(op, name + " along");
  return needAllWhole(op);
}

// All ranks that have the same place along the other axis have the same part: so they do it with
// parts as with anything else, row by row.
LogicalResult RankValues::visitOtherAxis(Operation *op) {
  const bool movesRows = isa<AllGatherOp, ReduceScatterOp, AllToAllOp>(op);
  if (movesRows && dimensionOf(op->getOperand(0)) == 0u)
    return needAllParts(op, op->getName().stripDialect() + " along");
  return needAllWhole(op);
}

// What whoever wrote the function has ranks do together: of what is the same on all of them, with a
// result that is.
LogicalResult RankValues::visitCollective(Operation *op) {
  if (isAmongOthers(op))
    return visitOtherAxis(op);
  StringRef name = op->getName().stripDialect();
  int64_t symbol = *llvm::min_element(sharded);
  auto reduce = dyn_cast<AllReduceOp>(op);
  if (isPart(op->getOperand(0)) || isPart(op->getResult(0)))
    return emitGraphError(op) << name << " of '" << SizeNames(function)[symbol]
                              << "', of which each rank has a part; needed what is the same on all",
           failure();
  if (isa<ReduceScatterOp, AllToAllOp, PermuteOp>(op) ||
      (reduce && reduce.getReduction() == RankReduction::Before))
    return refuseOthers(op, name);
  return needAllWhole(op);
}

LogicalResult RankValues::refuseOthers(Operation *op, StringRef what) {
  const int64_t symbol = *llvm::min_element(sharded);
  return emitGraphError(op) << what
                            << " gives each rank another value, and a function sharded along '"
                            << SizeNames(function)[symbol]
                            << "' is the same on all; needed one that is not sharded",
         failure();
}

LogicalResult RankValues::visitRank(RankOp op) {
  if (isAmongOthers(op))
    return setKinds(op), success();
  return refuseOthers(op, "rank_index");
}

// What a rank makes of what is its own is its own.
LogicalResult RankValues::visitOwn(Operation *op) {
  if (isa<IfOp, func::ReturnOp>(op) || symbolDefinedBy(op) || isOfOwnRows(op) ||
      (isCollective(op) && !isAmongOthers(op)))
    return refuse(op, op->getName().stripDialect() + " of what a rank makes of its own rows along");
  needOperandsWhole(op);
  for (Value result : op->getResults())
    kinds[result] = RankKind::Own;
  return success();
}

//===-- Loops and branches --------------------------------------------------------------------===//

// A state is a share if it begins as one, or with zeros, and each step makes a share of it: all
// that may be are taken for it, until a step makes something else of one. It is a rank's own if it
// begins so, or a step makes it so.
LogicalResult RankValues::visitLoop(LoopOpInterface op) {
  auto open = dyn_cast<WhileOp>(op.getOperation());
  // What is known of the number of steps.
  std::optional<DimExpr> steps = open ? open.getBound() : std::optional(op.getSteps());
  if (steps && isSharded(*steps))
    return needAllParts(op, "a loop along");
  Operation *yield = op.getBody().front().getTerminator();
  SmallVector<RankKind> states;
  for (Value begins : op.getInits()) {
    const bool mayBeShare = !isPart(begins) && (kindOf(begins) == RankKind::Sum ||
                                                (!isBool(begins) && isSplat(begins, 0.0)));
    states.push_back(isOwn(begins) ? RankKind::Own : mayBeShare ? RankKind::Sum : RankKind::Same);
  }
  while (true) {
    if (failed(visitStep(op, states)))
      return failure();
    const SmallVector<RankKind> before = states;
    for (auto [state, yielded] : llvm::zip_first(states, yield->getOperands()))
      if (isOwn(yielded))
        state = RankKind::Own;
      else if (state == RankKind::Sum && kindOf(yielded) != RankKind::Sum)
        state = RankKind::Same;
    if (states == before)
      break;
  }
  if (open && states.front() == RankKind::Own)
    return refuse(op, "while of what a rank makes of its own rows along");
  const unsigned firstInit = op.getInits().empty() ? 0 : op.getInits().getBeginOperandIndex();
  for (OpOperand &operand : op->getOpOperands()) {
    const unsigned state = operand.getOperandNumber() - firstInit;
    if (state >= states.size() || states[state] != RankKind::Sum)
      needWhole(operand);
  }
  setKinds(op);
  for (OpOperand &yielded : yield->getOpOperands()) {
    const unsigned number = yielded.getOperandNumber();
    const RankKind kind = number < states.size() ? states[number] : kindOf(yielded.get());
    if (kind == RankKind::Sum || kind == RankKind::Own)
      kinds[op.getResultOf(number)] = kind;
    if (kind != RankKind::Sum)
      needWhole(yielded);
  }
  return success();
}

LogicalResult RankValues::visitStep(LoopOpInterface op, ArrayRef<RankKind> states) {
  forgetInside(op);
  for (BlockArgument argument : op.getBody().getArguments())
    setArgument(argument);
  for (auto [kind, argument] : llvm::zip_equal(states, op.getStateArguments()))
    if (kind != RankKind::Same)
      kinds[argument] = kind;
  auto enter = [&](Block::BlockArgListType arguments, OperandRange from) {
    for (auto [argument, value] : llvm::zip_equal(arguments, from))
      if (isOwn(value))
        kinds[argument] = RankKind::Own;
  };
  enter(op.getElementArguments(), op.getSequences());
  enter(op.getCaptureArguments(), op.getCaptures());
  return visitBlock(op.getBody().front());
}

LogicalResult RankValues::visitBranches(IfOp op) {
  if (isOwn(op.getCondition()))
    return visitOwn(op);
  needOperandsWhole(op);
  SmallVector<Operation *> yields;
  for (Region *region : {&op.getThenBody(), &op.getElseBody()}) {
    Block &block = region->front();
    for (auto [argument, capture] : llvm::zip_equal(block.getArguments(), op.getCaptures())) {
      setArgument(argument);
      if (isOwn(capture))
        kinds[argument] = RankKind::Own;
    }
    if (failed(visitBlock(block)))
      return failure();
    yields.push_back(block.getTerminator());
  }
  setKinds(op);
  for (auto [number, result] : llvm::enumerate(op->getResults())) {
    OpOperand &first = yields[0]->getOpOperand(number), &second = yields[1]->getOpOperand(number);
    if (kindOf(first.get()) == kindOf(second.get())) {
      kinds[result] = kindOf(first.get());
      continue;
    }
    needWhole(first);
    needWhole(second);
    if (isOwn(first.get()) || isOwn(second.get()))
      kinds[result] = RankKind::Own;
  }
  return success();
}
