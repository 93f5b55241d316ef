#include "passes/shard/OwnPlaces.h"

#include "passes/simplify/Matchers.h"

#include <map>

using namespace keratin::passes;
using namespace keratin::ir;
using namespace mlir;

// In which rows of a list can be counted, of any number.
static bool isCount(Value value) {
  return isa<IntegerType>(getElementType(value)) &&
         getElementType(value).getIntOrFloatBitWidth() >= 32;
}

static std::optional<DimExpr> splatCount(Value constant) {
  std::optional<double> number = getSplatNumber(constant);
  return number ? std::optional(DimExpr(int64_t(*number))) : std::nullopt;
}

OwnPlaces::OwnPlaces(func::FuncOp function, const Symbols &sharded, const Symbols &others)
    : sharded(sharded), others(others) {
  for (Operation &op : function.getBody().front())
    visit(&op);
  forgetRefused();
}

void OwnPlaces::visit(Operation *op) {
  if (llvm::any_of(op->getOperands(), [&](Value operand) { return before.contains(operand); }))
    return visitPlaces(op);
  if (auto iota = dyn_cast<IotaOp>(op)) {
    const DimExpr size = getShape(iota.getY())[size_t(iota.getAxis())];
    if (isOf(size, sharded) && isAdditive(size, sharded) && isCount(iota.getY()))
      setPlaces(op, size);
    return;
  }
  if (op->getNumResults() == 1 && isCount(op->getResult(0)))
    findNumber(op);
}

void OwnPlaces::findNumber(Operation *op) {
  auto known = [&](unsigned operand) {
    auto found = numbers.find(op->getOperand(operand));
    return found == numbers.end() ? std::nullopt : std::optional(found->second);
  };
  std::optional<DimExpr> number;
  if (auto dim = dyn_cast<DimOp>(op))
    number = getShape(dim.getX())[size_t(dim.getAxis())];
  else if (isa<ConstantOp>(op))
    number = splatCount(op->getResult(0));
  else if (isa<BroadcastOp, ReshapeOp, CastOp>(op))
    number = known(0);
  else if (isa<MulOp>(op) && known(0) && known(1))
    number = mul(*known(0), *known(1));
  if (number && !isOf(*number, sharded) && !isOf(*number, others))
    numbers.try_emplace(op->getResult(0), *number);
}

// What adds up and moves places makes places, and so does what scales them.
void OwnPlaces::visitPlaces(Operation *op) {
  auto isPlace = [&](unsigned operand) { return before.contains(op->getOperand(operand)); };
  auto more = [&](unsigned operand) { return before.lookup(op->getOperand(operand)); };
  auto times = [&](unsigned operand) -> std::optional<DimExpr> {
    auto number = numbers.find(op->getOperand(1 - operand));
    return number == numbers.end() ? std::nullopt : mul(more(operand), number->second);
  };
  if (isa<AddOp>(op))
    return setPlaces(op, add(more(0), more(1)));
  if (isa<SubOp>(op))
    return setPlaces(op, sub(more(0), more(1)));
  if (isa<MulOp>(op))
    return setPlaces(op, times(isPlace(0) ? 0 : 1));
  if (isa<ReshapeOp, TransposeOp, BroadcastOp, IdentityOp, StopGradientOp, DelayOp>(op))
    return setPlaces(op, more(0));
  if (isa<CastOp>(op) && isCount(op->getResult(0)))
    return setPlaces(op, more(0));
  auto gather = dyn_cast<GatherOp>(op);
  auto scatter = dyn_cast<ScatterAddOp>(op);
  if ((gather && !isPlace(0) && getShape(gather.getX()).front() == more(1)) ||
      (scatter && !isPlace(1) && getShape(scatter.getY()).front() == more(0)))
    picking.insert(op);
  else
    setPlaces(op, std::nullopt);
}

// Without a size, the op needs what is a place to be that of the whole.
void OwnPlaces::setPlaces(Operation *op, const std::optional<DimExpr> &more) {
  Value last = more && *more != DimExpr(0) ? op->getResult(0) : Value();
  if (last) {
    before.try_emplace(last, *more);
    together.insert(last.getAsOpaquePointer());
  }
  for (Value operand : op->getOperands()) {
    if (!before.contains(operand))
      continue;
    if (!more)
      refused.push_back(operand);
    if (last)
      together.unionSets(last.getAsOpaquePointer(), operand.getAsOpaquePointer());
    last = operand;
  }
}

void OwnPlaces::forget(Value place) {
  refused.push_back(place);
  forgetRefused();
}

void OwnPlaces::forgetRefused() {
  llvm::DenseSet<void *> leaders;
  for (Value value : refused)
    leaders.insert(together.getLeaderValue(value.getAsOpaquePointer()));
  auto isRefused = [&](Value value) {
    return before.contains(value) &&
           leaders.contains(together.getLeaderValue(value.getAsOpaquePointer()));
  };
  picking.remove_if([&](Operation *op) { return llvm::any_of(op->getOperands(), isRefused); });
  SmallVector<Value> forgotten;
  for (const auto &[value, more] : before)
    if (isRefused(value))
      forgotten.push_back(value);
  for (Value value : forgotten)
    before.erase(value);
}

void OwnPlaces::check() const {
  std::map<std::pair<void *, DimExpr>, Value> checked;
  for (Operation *op : picking) {
    auto gather = dyn_cast<GatherOp>(op);
    OpOperand &places = op->getOpOperand(gather ? 1 : 0);
    const DimExpr rows = getShape(gather ? op->getOperand(0) : op->getResult(0)).front();
    Value &own = checked[{places.get().getAsOpaquePointer(), rows}];
    if (!own) {
      OpBuilder builder(op->getContext());
      builder.setInsertionPointAfterValue(places.get());
      auto bound = [&](const DimExpr &size) { return DimsAttr::get(op->getContext(), {size}); };
      own = builder.create<CheckRangeOp>(
          op->getLoc(), places.get().getType(), places.get(), bound(DimExpr(0)), bound(rows),
          builder.getStringAttr(op->getName().stripDialect() +
                                ": an index is outside the rows that its rank has"));
    }
    places.set(own);
  }
}
