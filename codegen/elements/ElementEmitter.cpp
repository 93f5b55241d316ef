#include "codegen/elements/ElementEmitter.h"

#include "codegen/elements/RandomBits.h"
#include "ir/dialect/RankNumbers.h"
#include "ir/dialect/SiteMessage.h"
#include "ir/interfaces/IterationSpace.h"
#include "ir/interfaces/NeverPositive.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/ADT/ScopeExit.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::getShape;
using keratin::ir::getTensorType;

ElementEmitter::ElementEmitter(KernelBuilder &k, Location loc, const ElementTarget &target,
                               unsigned lanes)
    : k(k), code(k.b, loc, lanes), positions(code, k, target), memory(code, positions, target),
      b(k.b), loc(loc), target(target) {
  for (auto [argument, pointer] : llvm::zip(k.body().getArguments(), k.inputs))
    buffers[argument] = pointer;
}

bool ElementEmitter::isFloat() const { return isa<FloatType>(elementType); }
bool ElementEmitter::isUnsigned() const {
  return elementType.isUnsignedInteger() || elementType.isInteger(1);
}

static bool varies(ArrayRef<LaneIndex> index) {
  return llvm::any_of(index, [](const LaneIndex &i) { return i.varies(); });
}

SmallVector<Value> ElementEmitter::loop(Value from, Value to, int64_t step, ArrayRef<Value> init,
                                        LoopBody body) {
  return k.forLoop(from, to, i64(step), init,
                   [&](Operation *op, Value iv, ArrayRef<Value> carried) {
                     code.enter(op);
                     SmallVector<Value> next = body(iv, carried);
                     code.leave();
                     return next;
                   });
}

SmallVector<Value> ElementEmitter::where(Value condition, ArrayRef<Value> otherwise,
                                         llvm::function_ref<SmallVector<Value>()> body) {
  bool hasResults = !otherwise.empty();
  auto branch = b.create<scf::IfOp>(loc, ValueRange(otherwise).getTypes(), condition,
                                    /*withElseRegion=*/hasResults);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  code.enterBranch(branch);
  SmallVector<Value> results = body();
  if (hasResults)
    b.create<scf::YieldOp>(loc, results);
  code.leave();
  if (hasResults) {
    b.setInsertionPointToStart(branch.elseBlock());
    b.create<scf::YieldOp>(loc, otherwise);
  }
  return SmallVector<Value>(branch.getResults());
}

//===-- Values at an index --------------------------------------------------------------------===//

static bool samePosition(Value x, Value y) {
  if (x == y || !x || !y)
    return x == y;
  std::optional<int64_t> known = constantOf(x);
  return known && known == constantOf(y);
}

static bool sameIndex(ArrayRef<LaneIndex> x, ArrayRef<LaneIndex> y) {
  return x.size() == y.size() &&
         std::equal(x.begin(), x.end(), y.begin(), [](const auto &a, const auto &b) {
           return samePosition(a.base, b.base) && a.laneStep == b.laneStep && a.lanes == b.lanes;
         });
}

// Of positions that are the same for all lanes; a value without dimensions has no other.
static bool isSurelyInside(RankedTensorType type, ArrayRef<LaneIndex> index) {
  return llvm::all_of_zip(type.getShape(), index, [](int64_t size, const LaneIndex &i) {
    std::optional<int64_t> position = i.varies() ? std::nullopt : constantOf(i.base);
    return position && *position >= 0 && *position < size;
  });
}

SmallVector<LaneIndex> ElementEmitter::unsqueeze(RankedTensorType type,
                                                 ArrayRef<Index> squeezedIndex) {
  SmallVector<Index> result;
  size_t next = 0;
  for (int64_t dim : type.getShape())
    result.push_back(dim == 1 ? scalarIndex(i64(0)) : squeezedIndex[next++]);
  return result;
}

Value ElementEmitter::emit(Value value, ArrayRef<Index> index) {
  if (Value registers = bound.lookup(value))
    return registers;
  // The mask counts where lanes differ; what is uniform is good under any, unless it may lie
  // outside for all lanes. What is inside is read even if no lane wants it here: lanes that do will
  // find it.
  bool differs = varies(index);
  auto restored = llvm::make_scope_exit([&, outer = masks.condition] { masks.condition = outer; });
  if (masks.condition && isSurelyInside(getTensorType(value), index))
    masks.condition = nullptr;
  bool depends = differs || masks.condition;
  Value mask = depends ? masks.active : Value();
  auto &entries = cache[value];
  for (const CacheEntry &entry : entries)
    if ((entry.mask == mask || (!differs && !entry.mask)) && sameIndex(entry.index, index) &&
        code.isVisible(entry.result))
      return entry.result;
  Operation *op = value.getDefiningOp();
  Value result = op ? emitOp(op, index) : load(buffers.lookup(value), getTensorType(value), index);
  // emitOp may have grown the map.
  cache[value].push_back({SmallVector<Index>(index), mask, result});
  return result;
}

Value ElementEmitter::emitOp(Operation *op, ArrayRef<Index> index) {
  opStack.push_back(op);
  Value result;
  if (auto elementwise = dyn_cast<ir::ElementwiseOpInterface>(op)) {
    result = emitElementwise(elementwise, index);
  } else if (auto indexing = dyn_cast<ir::IndexingOpInterface>(op)) {
    SmallVector<ir::Index> positions =
        llvm::map_to_vector(index, [](const Index &i) { return opaque(i); });
    result = indexing.buildElement(*this, positions);
  } else if (auto random = dyn_cast<ir::RandomBitsOp>(op)) {
    result = emitRandomBits(random, index);
  } else if (auto constant = dyn_cast<ir::ConstantOp>(op)) {
    result = emitConstant(constant);
  } else if (auto dim = dyn_cast<ir::DimOp>(op)) {
    setElementType(ir::getElementType(dim.getY()));
    result = fromIndex(this->index(getShape(dim.getX())[dim.getAxis()]));
  } else if (ir::isRankNumber(op)) {
    setElementType(ir::getElementType(op->getResult(0)));
    result = fromIndex(this->index(ir::rankNumberSize(op).getDims()[0]));
  } else if (auto reshape = dyn_cast<ir::ReshapeOp>(op); reshape && !ir::isUnitReshape(reshape)) {
    result = emitReshape(reshape, index);
  } else {
    result = emitSameElement(op, index);
  }
  opStack.pop_back();
  return result;
}

Value ElementEmitter::emitRandomBits(ir::RandomBitsOp op, ArrayRef<Index> index) {
  LaneIndex position = positions.linearize(getTensorType(op.getY()), index);
  Value draw = emit(op.getDraw(), {});
  if (op.getLine()) {
    Value first = code.b.create<arith::MulIOp>(
        code.loc, emit(op.getLine(), {}),
        code.b.create<arith::ConstantIntOp>(code.loc, RandomNest::groupElements, 64));
    Value own = positions.eachOrScalar(position);
    if (auto lanes = dyn_cast<VectorType>(own.getType()))
      first = code.b.create<vector::SplatOp>(code.loc, first, lanes);
    return randomBitsAt(code, target, op, draw, code.b.create<arith::AddIOp>(code.loc, own, first));
  }
  if (k.randomBits && position.laneStep == 1)
    if (Value together = code.place({draw, position.base}, [&] {
          return k.randomBits(op, draw, position.base, code.lanes);
        }))
      return together;
  return randomBitsAt(code, target, op, draw, positions.eachOrScalar(position));
}

Value ElementEmitter::emitElementwise(ir::ElementwiseOpInterface op, ArrayRef<Index> index) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(emit(operand, index));
  hides = false;
  Value result;
  if (isa<ir::ExpOp>(op) && ir::isNeverPositive(op->getOperand(0))) {
    setElementType(ir::getElementType(op->getOperand(0)));
    result = expOfNotPositive(operands.front());
  } else {
    result = op.buildScalar(*this, operands);
  }
  if (hides)
    for (auto [operand, registers] : llvm::zip(op->getOperands(), operands))
      watch(operand, registers);
  return result;
}

Value ElementEmitter::emitConstant(ir::ConstantOp op) {
  auto elements = cast<DenseElementsAttr>(op.getValue());
  Attribute attribute = elements.getSplatValue<Attribute>();
  setElementType(elements.getElementType());
  if (auto number = dyn_cast<FloatAttr>(attribute))
    return constant(number.getValueAsDouble());
  return integerConstant(cast<IntegerAttr>(attribute).getValue().getSExtValue());
}

// Unit reshapes and reductions of nothing: the same element at an index without, or with more,
// zeros.
Value ElementEmitter::emitSameElement(Operation *op, ArrayRef<Index> index) {
  Value operand = op->getOperand(0);
  SmallVector<Index> kept;
  for (auto [i, dim] : llvm::enumerate(getTensorType(op->getResult(0)).getShape()))
    if (dim != 1)
      kept.push_back(index[i]);
  return emit(operand, unsqueeze(getTensorType(operand), kept));
}

// Dimensions that both have at their end keep their positions; those before are counted.
Value ElementEmitter::emitReshape(ir::ReshapeOp op, ArrayRef<Index> index) {
  ir::Shape from = getShape(op.getX()), to = getShape(op.getY());
  SmallVector<Index> position(from.size(), scalarIndex(i64(0)));
  size_t outer = from.size(), outerTo = to.size();
  while (outer > 0 && outerTo > 0 && from[outer - 1] == to[outerTo - 1])
    position[--outer] = index[--outerTo];
  Index number = scalarIndex(i64(0));
  for (size_t i = 0; i < outerTo; ++i)
    number = positions.add(positions.scale(number, to[i]), index[i]);
  for (size_t i = outer; i-- > 0;) {
    if (from[i] == ir::DimExpr(1))
      continue;
    position[i] = number;
    if (llvm::all_of(llvm::ArrayRef(from).take_front(i),
                     [](const ir::DimExpr &dim) { return dim == ir::DimExpr(1); }))
      break;
    std::tie(number, position[i]) = divMod(number, extent(from[i]));
  }
  return emit(op.getX(), position);
}

Value ElementEmitter::fromIndex(const ir::Index &index) {
  Value position = positions.eachOrScalar(transparent(index));
  Type to = elementType;
  setElementType(b.getI64Type());
  Value result = cast(position, to);
  setElementType(to);
  return result;
}

Value ElementEmitter::load(Value pointer, RankedTensorType type, ArrayRef<Index> index) {
  return memory.load(pointer, type.getElementType(), positions.linearize(type, index), masks);
}

void ElementEmitter::prefetch(Value pointer, RankedTensorType type, ArrayRef<Index> index,
                              Value distance, bool willStore) {
  const Index place = positions.add(positions.linearize(type, index), scalarIndex(distance));
  // Lanes that lie anywhere are not asked for.
  if (place.base)
    memory.prefetch(pointer, type.getElementType(), place.base, willStore);
}

void ElementEmitter::store(Value registers, Value pointer, RankedTensorType type,
                           ArrayRef<Index> index) {
  memory.store(registers, pointer, type.getElementType(), positions.linearize(type, index),
               masks.active);
}

//===-- Operands of ops that move elements ----------------------------------------------------===//

Value ElementEmitter::element(unsigned operand, ArrayRef<ir::Index> index) {
  return emit(opStack.back()->getOperand(operand), transparent(index));
}

Value ElementEmitter::zero(Type elementType, bool vector) {
  Type type = registerType(elementType);
  Value scalar = code.place(
      {}, [&]() -> Value { return b.create<arith::ConstantOp>(loc, b.getZeroAttr(type)); });
  return vector ? splat(scalar) : scalar;
}

Value ElementEmitter::elementOrZero(unsigned operand, ArrayRef<ir::Index> position, Value inside) {
  Value source = opStack.back()->getOperand(operand);
  SmallVector<Index> index = transparent(position);
  return isa<VectorType>(inside.getType()) ? whereLanes(source, index, inside)
                                           : whereAll(source, index, inside);
}

Value ElementEmitter::whereLanes(Value source, ArrayRef<Index> index, Value inside) {
  LaneMasks outer = masks;
  Value both = inside;
  if (masks.active)
    both = code.place({masks.active, inside}, [&]() -> Value {
      return b.create<arith::AndIOp>(loc, masks.active, inside);
    });
  masks = {both, both};
  Value part = splat(emit(source, index));
  masks = outer;
  Value nothing = zero(ir::getElementType(source), true);
  return code.place({inside, part, nothing}, [&]() -> Value {
    return b.create<arith::SelectOp>(loc, inside, part, nothing);
  });
}

// One answer for all lanes: a branch.
Value ElementEmitter::whereAll(Value source, ArrayRef<Index> index, Value inside) {
  bool differs = varies(index);
  Value nothing = zero(ir::getElementType(source), differs);
  return where(inside, nothing,
               [&] {
                 Value part = emit(source, index);
                 return SmallVector<Value>{differs ? splat(part) : part};
               })
      .front();
}

//===-- Checks --------------------------------------------------------------------------------===//

// Lanes that are not real never fail, nor does what no lane takes.
Value ElementEmitter::holdsWhereReal(Value inside) {
  auto no = [&](Value condition) -> Value {
    return b.create<arith::XOrIOp>(loc, condition, b.create<arith::ConstantIntOp>(loc, 1, 1));
  };
  if (!isa<VectorType>(inside.getType()))
    return masks.condition
               ? b.create<arith::OrIOp>(loc, inside, no(code.anyLane(masks.condition))).getResult()
               : inside;
  Value wanted = inside;
  if (masks.active) {
    auto type = cast<VectorType>(masks.active.getType());
    Value all = b.create<arith::ConstantOp>(loc, DenseElementsAttr::get(type, true));
    Value off = b.create<arith::XOrIOp>(loc, masks.active, all);
    wanted = b.create<arith::OrIOp>(loc, inside, off);
  }
  return b.create<vector::ReductionOp>(loc, vector::CombiningKind::AND, wanted);
}

// The lowest of the positions that are not inside; negative ones are the highest.
static Value lowestOutside(OpBuilder &b, Location loc, Value position, Value inside, Value active) {
  auto type = dyn_cast<VectorType>(inside.getType());
  if (!type)
    return position;
  auto numberType = VectorType::get(type.getShape(), b.getI64Type());
  Value all = b.create<arith::ConstantOp>(loc, DenseElementsAttr::get(type, true));
  Value highest = b.create<arith::ConstantOp>(loc, DenseElementsAttr::get(numberType, int64_t(-1)));
  Value outside = b.create<arith::XOrIOp>(loc, inside, all);
  if (active)
    outside = b.create<arith::AndIOp>(loc, outside, active);
  Value numbers = b.create<arith::SelectOp>(loc, outside, position, highest);
  return b.create<vector::ReductionOp>(loc, vector::CombiningKind::MINUI, numbers);
}

// The number of the site that tells of this element: those beyond the last share it.
static Value numberAt(OpBuilder &b, Location loc, Value site, Value element) {
  Value half = b.create<arith::ConstantIntOp>(loc, 32, 64);
  Value behind = b.create<arith::ShRUIOp>(loc, site, half);
  Value number = b.create<arith::AddIOp>(loc, site, b.create<arith::MinUIOp>(loc, element, behind));
  return b.create<arith::TruncIOp>(loc, b.getI32Type(), number);
}

ir::Index ElementEmitter::checked(const ir::Index &a, Value inside, StringRef message) {
  const bool tells = ir::toldElements(message) > 1;
  Value site = tells ? k.numberedSite(opStack.back(), message) : k.site(opStack.back(), message);
  LaneIndex index = transparent(a);
  bool isVector = isa<VectorType>(inside.getType());
  Value position = isVector ? positions.each(index) : index.base;
  Value ok = holdsWhereReal(inside);
  Value bad = b.create<arith::XOrIOp>(loc, ok, b.create<arith::ConstantIntOp>(loc, 1, 1));
  auto branch = b.create<scf::IfOp>(loc, bad, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    k.fail(loc, tells
                    ? numberAt(b, loc, site, lowestOutside(b, loc, position, inside, masks.active))
                    : site);
  }
  // A position that is safe to read whatever the check said.
  Value nothing = isVector ? splat(i64(0)) : i64(0);
  Value safe = b.create<arith::SelectOp>(loc, inside, position, nothing);
  return opaque(isVector ? LaneIndex{Value(), 0, safe} : scalarIndex(safe));
}
