#include "codegen/cpu/ElementEmitter.h"

#include "codegen/cpu/VectorMath.h"
#include "codegen/lowering/KernelFunction.h"
#include "ir/interfaces/IterationSpace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;
using keratin::ir::getShape;
using keratin::ir::getTensorType;
using keratin::ir::Shape;

ElementEmitter::ElementEmitter(OpBuilder &builder, Location loc, const MachineTarget &target,
                               unsigned lanes, std::function<Value(const DimExpr &)> sizeOf,
                               Value context)
    : b(builder), loc(loc), target(target), lanes(lanes), sizeOf(std::move(sizeOf)),
      context(context) {
  scopes.push_back({b.getInsertionBlock()->getParent()});
}

//===-- Scopes --------------------------------------------------------------------------------===//

void ElementEmitter::enter(Operation *loop) {
  scopes.back().loop = loop;
  scopes.push_back({b.getInsertionBlock()->getParent()});
}

void ElementEmitter::leave() {
  scopes.pop_back();
  scopes.back().loop = nullptr;
}

bool ElementEmitter::isVisible(Value value, const Scope &scope) const {
  return value.getParentRegion()->isAncestor(scope.region);
}

Value ElementEmitter::place(ArrayRef<Value> operands, llvm::function_ref<Value()> function) {
  size_t outermost = scopes.size() - 1;
  while (outermost > 0 && !scopes[outermost].isBarrier &&
         llvm::all_of(operands, [&](Value v) { return !v || isVisible(v, scopes[outermost - 1]); }))
    --outermost;
  OpBuilder::InsertionGuard guard(b);
  if (scopes[outermost].loop)
    b.setInsertionPoint(scopes[outermost].loop);
  return function();
}

//===-- Types and small values ----------------------------------------------------------------===//

Type ElementEmitter::registerType(Type type) const {
  if (type.isF16() || type.isBF16())
    return b.getF32Type();
  if (auto integer = dyn_cast<IntegerType>(type))
    return b.getIntegerType(integer.getWidth());
  return type;
}

Type ElementEmitter::storageType(Type type) const {
  if (auto integer = dyn_cast<IntegerType>(type))
    return b.getIntegerType(std::max(8u, integer.getWidth()));
  // LLVM takes narrow floats apart in function calls where it has no instruction for a masked
  // access.
  if (type.isF16() || type.isBF16())
    return b.getI16Type();
  return type;
}

Type ElementEmitter::likeShape(Type scalarType, Value shape) const {
  auto vector = dyn_cast<VectorType>(shape.getType());
  return vector ? Type(VectorType::get(vector.getShape(), scalarType)) : scalarType;
}

bool ElementEmitter::isFloat() const { return isa<FloatType>(elementType); }
bool ElementEmitter::isUnsigned() const {
  return elementType.isUnsignedInteger() || elementType.isInteger(1);
}

Value ElementEmitter::i64(int64_t value) {
  return place({}, [&]() -> Value { return b.create<arith::ConstantIntOp>(loc, value, 64); });
}

Value ElementEmitter::splat(Value scalar) {
  if (isa<VectorType>(scalar.getType()))
    return scalar;
  return place({scalar}, [&]() -> Value {
    return b.create<vector::SplatOp>(loc, scalar, VectorType::get(lanes, scalar.getType()));
  });
}

void ElementEmitter::match(Value &x, Value &y) {
  bool vx = isa<VectorType>(x.getType()), vy = isa<VectorType>(y.getType());
  if (vx && !vy)
    y = splat(y);
  if (vy && !vx)
    x = splat(x);
}

Value ElementEmitter::zero(Type elementType, bool vector) {
  Type type = registerType(elementType);
  Value scalar =
      place({}, [&]() -> Value { return b.create<arith::ConstantOp>(loc, b.getZeroAttr(type)); });
  return vector ? splat(scalar) : scalar;
}

//===-- Emission ------------------------------------------------------------------------------===//

static bool sameIndex(ArrayRef<LaneIndex> x, ArrayRef<LaneIndex> y) {
  return x.size() == y.size() &&
         std::equal(x.begin(), x.end(), y.begin(), [](const auto &a, const auto &b) {
           return a.base == b.base && a.laneStep == b.laneStep && a.lanes == b.lanes;
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
  // outside for all lanes.
  bool varies = llvm::any_of(index, [](const Index &i) { return i.varies(); });
  bool depends = varies || (condition && !index.empty());
  Value mask = depends ? activeMask : Value();
  auto &entries = cache[value];
  for (const CacheEntry &entry : entries)
    if ((entry.mask == mask || (!varies && !entry.mask)) && sameIndex(entry.index, index) &&
        isVisible(entry.result, scopes.back()))
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
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(emit(operand, index));
    hides = false;
    result = elementwise.buildScalar(*this, operands);
    if (hides)
      for (auto [operand, registers] : llvm::zip(op->getOperands(), operands))
        watch(operand, registers);
  } else if (auto indexing = dyn_cast<ir::IndexingOpInterface>(op)) {
    SmallVector<ir::Index> positions =
        llvm::map_to_vector(index, [](const Index &i) { return opaque(i); });
    result = indexing.buildElement(*this, positions);
  } else if (auto constant = dyn_cast<ir::ConstantOp>(op)) {
    auto elements = cast<DenseElementsAttr>(constant.getValue());
    Attribute attribute = elements.getSplatValue<Attribute>();
    setElementType(elements.getElementType());
    if (auto number = dyn_cast<FloatAttr>(attribute)) {
      result = this->constant(number.getValueAsDouble());
    } else {
      result = integerConstant(cast<IntegerAttr>(attribute).getValue().getSExtValue());
    }
  } else if (auto dim = dyn_cast<ir::DimOp>(op)) {
    setElementType(ir::getElementType(dim.getY()));
    result = fromIndex(scalarIndex(extent(getShape(dim.getX())[dim.getAxis()])));
  } else {
    // Unit reshapes and reductions of nothing: the same element at an index without, or with more,
    // zeros.
    Value operand = op->getOperand(0);
    SmallVector<Index> kept;
    for (auto [i, dim] : llvm::enumerate(getTensorType(op->getResult(0)).getShape()))
      if (dim != 1)
        kept.push_back(index[i]);
    result = emit(operand, unsqueeze(getTensorType(operand), kept));
  }
  opStack.pop_back();
  return result;
}

Value ElementEmitter::element(unsigned operand, ArrayRef<ir::Index> index) {
  return emit(opStack.back()->getOperand(operand), transparent(index));
}

Value ElementEmitter::combineMasks(Value inside) {
  if (!activeMask)
    return inside;
  Value mask = activeMask;
  return place({mask, inside},
               [&]() -> Value { return b.create<arith::AndIOp>(loc, mask, inside); });
}

Value ElementEmitter::anyLane() {
  Value mask = condition;
  return place({mask}, [&]() -> Value {
    return b.create<vector::ReductionOp>(loc, vector::CombiningKind::OR, mask);
  });
}

Value ElementEmitter::elementOrZero(unsigned operand, ArrayRef<ir::Index> position, Value inside) {
  SmallVector<Index> index = transparent(position);
  Value source = opStack.back()->getOperand(operand);
  Type type = ir::getElementType(source);
  if (isa<VectorType>(inside.getType())) {
    Value outerMask = activeMask, outerCondition = condition;
    activeMask = condition = combineMasks(inside);
    Value part = splat(emit(source, index));
    activeMask = outerMask;
    condition = outerCondition;
    Value nothing = zero(type, true);
    return place({inside, part, nothing},
                 [&]() -> Value { return b.create<arith::SelectOp>(loc, inside, part, nothing); });
  }
  // One answer for all lanes: a branch, out of which nothing may be moved.
  bool varies = llvm::any_of(index, [](const Index &i) { return i.varies(); });
  Value nothing = zero(type, varies);
  auto branch =
      b.create<scf::IfOp>(loc, TypeRange{nothing.getType()}, inside, /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    enter(branch);
    scopes.back().isBarrier = true;
    Value part = emit(source, index);
    b.create<scf::YieldOp>(loc, varies ? splat(part) : part);
    leave();
    b.setInsertionPointToStart(branch.elseBlock());
    b.create<scf::YieldOp>(loc, nothing);
  }
  return branch.getResult(0);
}

void ElementEmitter::fail(Value site) {
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value callee = runtimeFunction(b, loc, context, offsetof(keratin_runtime_functions_t, fail));
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                          {pointer, b.getI32Type()});
  b.create<LLVM::CallOp>(loc, type, ValueRange{callee, context, site});
}

LaneIndex ElementEmitter::checked(const Index &a, Value inside, StringRef message) {
  Operation *op = opStack.back();
  Value &site = sites[op];
  if (!site)
    site = makeSite(op, message);
  Value ok = inside;
  bool vector = isa<VectorType>(inside.getType());
  if (vector) {
    Value wanted = inside;
    if (activeMask) {
      // Lanes that are not real never fail.
      Value off = b.create<arith::XOrIOp>(
          loc, activeMask,
          b.create<arith::ConstantOp>(
              loc, DenseElementsAttr::get(cast<VectorType>(activeMask.getType()), true)));
      wanted = b.create<arith::OrIOp>(loc, inside, off);
    }
    ok = b.create<vector::ReductionOp>(loc, vector::CombiningKind::AND, wanted);
  } else if (condition) {
    // Nor does what no lane takes.
    Value none = b.create<arith::XOrIOp>(loc, anyLane(), b.create<arith::ConstantIntOp>(loc, 1, 1));
    ok = b.create<arith::OrIOp>(loc, inside, none);
  }
  Value bad = b.create<arith::XOrIOp>(loc, ok, b.create<arith::ConstantIntOp>(loc, 1, 1));
  auto branch = b.create<scf::IfOp>(loc, bad, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    fail(site);
  }
  // A position that is safe to read whatever the check said.
  Value position = vector ? positions(a) : a.base;
  Value nothing = vector ? splat(i64(0)) : i64(0);
  Value safe = b.create<arith::SelectOp>(loc, inside, position, nothing);
  return vector ? Index{Value(), 0, safe} : scalarIndex(safe);
}

//===-- Positions -----------------------------------------------------------------------------===//

Value ElementEmitter::positions(const Index &a) {
  if (a.lanes)
    return a.lanes;
  Value base = splat(a.base);
  if (a.laneStep == 0)
    return base;
  SmallVector<int64_t> steps;
  for (unsigned lane = 0; lane < lanes; ++lane)
    steps.push_back(lane * a.laneStep);
  return place({base}, [&]() -> Value {
    Value offsets = b.create<arith::ConstantOp>(loc, b.getI64VectorAttr(steps));
    return b.create<arith::AddIOp>(loc, base, offsets);
  });
}

Value ElementEmitter::extent(const DimExpr &value) {
  return value.isConstant() ? i64(value.constantValue()) : sizeOf(value);
}

static std::optional<int64_t> constantOf(Value value) {
  llvm::APInt number;
  if (value && matchPattern(value, m_ConstantInt(&number)))
    return number.getSExtValue();
  return std::nullopt;
}

Value ElementEmitter::indexBinary(Value x, Value y, bool subtract) {
  if (constantOf(y) == 0)
    return x;
  if (!subtract && constantOf(x) == 0)
    return y;
  return place({x, y}, [&]() -> Value {
    if (subtract)
      return b.create<arith::SubIOp>(loc, x, y);
    return b.create<arith::AddIOp>(loc, x, y);
  });
}

LaneIndex ElementEmitter::add(const Index &x, const Index &y) {
  if (x.lanes || y.lanes)
    return Index{Value(), 0, indexBinary(positions(x), positions(y), false)};
  return Index{indexBinary(x.base, y.base, false), x.laneStep + y.laneStep, Value()};
}

LaneIndex ElementEmitter::sub(const Index &x, const Index &y) {
  if (x.lanes || y.lanes)
    return Index{Value(), 0, indexBinary(positions(x), positions(y), true)};
  return Index{indexBinary(x.base, y.base, true), x.laneStep - y.laneStep, Value()};
}

LaneIndex ElementEmitter::scale(const Index &x, int64_t factor) {
  if (factor == 1)
    return x;
  auto times = [&](Value v) {
    Value by = isa<VectorType>(v.getType()) ? splat(i64(factor)) : i64(factor);
    return place({v, by}, [&]() -> Value { return b.create<arith::MulIOp>(loc, v, by); });
  };
  if (x.lanes)
    return Index{Value(), 0, times(x.lanes)};
  return Index{times(x.base), x.laneStep * factor, Value()};
}

LaneIndex ElementEmitter::floorDiv(const Index &x, int64_t divisor) {
  auto divide = [&](Value v) {
    Value by = isa<VectorType>(v.getType()) ? splat(i64(divisor)) : i64(divisor);
    return place({v, by}, [&]() -> Value {
      return VectorMath(b, loc, target).floorDiv(v, by, /*isSigned=*/true);
    });
  };
  if (x.varies())
    return Index{Value(), 0, divide(positions(x))};
  return scalarIndex(divide(x.base));
}

std::pair<LaneIndex, LaneIndex> ElementEmitter::divMod(const Index &position, Value extent) {
  bool varies = position.varies();
  Value p = varies ? positions(position) : position.base, by = varies ? splat(extent) : extent;
  Value quotient = place({p, by}, [&]() -> Value { return b.create<arith::DivUIOp>(loc, p, by); });
  Value remainder = place({p, by}, [&]() -> Value { return b.create<arith::RemUIOp>(loc, p, by); });
  if (varies)
    return {Index{Value(), 0, quotient}, Index{Value(), 0, remainder}};
  return {scalarIndex(quotient), scalarIndex(remainder)};
}

LaneIndex ElementEmitter::positionOf(Value integer) {
  Type wide = likeShape(b.getI64Type(), integer);
  bool isUnsignedType = isUnsigned();
  Value position = integer;
  if (wide != integer.getType())
    position = place({integer}, [&]() -> Value {
      if (isUnsignedType)
        return b.create<arith::ExtUIOp>(loc, wide, integer);
      return b.create<arith::ExtSIOp>(loc, wide, integer);
    });
  return isa<VectorType>(wide) ? Index{Value(), 0, position} : scalarIndex(position);
}

Value ElementEmitter::fromIndex(const Index &x) {
  bool varies = x.varies();
  Value position = varies ? positions(x) : x.base;
  Type to = elementType;
  setElementType(b.getI64Type());
  Value result = cast(position, to);
  setElementType(to);
  return result;
}

// Lanes whose number is below, or above, how far `to` is ahead of `from`.
Value ElementEmitter::compareLanes(bool below, Value from, Value to) {
  return place({from, to}, [&]() -> Value {
    Value ahead = b.create<arith::SubIOp>(loc, to, from);
    Value capped = b.create<arith::MinSIOp>(loc, ahead, i64(lanes));
    capped = b.create<arith::MaxSIOp>(loc, capped, i64(-1));
    Value narrow = b.create<arith::TruncIOp>(loc, b.getI32Type(), capped);
    Value spread = b.create<vector::SplatOp>(loc, narrow, VectorType::get(lanes, narrow.getType()));
    SmallVector<int32_t> numbers(lanes);
    std::iota(numbers.begin(), numbers.end(), 0);
    Value lane = b.create<arith::ConstantOp>(loc, b.getI32VectorAttr(numbers));
    auto predicate = below ? arith::CmpIPredicate::slt : arith::CmpIPredicate::sgt;
    return b.create<arith::CmpIOp>(loc, predicate, lane, spread);
  });
}

Value ElementEmitter::less(const Index &x, const Index &y) {
  // The common comparisons of neighbours with a bound do without vectors of positions.
  auto areNeighbours = [](const Index &i) { return !i.lanes && i.laneStep == 1; };
  auto isUniform = [](const Index &i) { return !i.varies(); };
  if (areNeighbours(x) && isUniform(y))
    return compareLanes(/*below=*/true, x.base, y.base);
  if (isUniform(x) && areNeighbours(y))
    return compareLanes(/*below=*/false, y.base, x.base);
  bool varies = x.lanes || y.lanes || x.laneStep != y.laneStep;
  Value p = varies ? positions(x) : x.base, q = varies ? positions(y) : y.base;
  return place({p, q}, [&]() -> Value {
    return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, p, q);
  });
}

Value ElementEmitter::equal(const Index &x, const Index &y) {
  bool varies = x.lanes || y.lanes || x.laneStep != y.laneStep;
  Value p = varies ? positions(x) : x.base, q = varies ? positions(y) : y.base;
  return place({p, q}, [&]() -> Value {
    return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, p, q);
  });
}

//===-- Memory --------------------------------------------------------------------------------===//

LaneIndex ElementEmitter::linearize(RankedTensorType type, ArrayRef<Index> index) {
  Shape shape = getShape(type);
  Index offset = scalarIndex(i64(0));
  DimExpr stride(1);
  for (size_t i = shape.size(); i-- > 0;) {
    bool isZero = !index[i].varies() && constantOf(index[i].base) == 0;
    if (!isZero) {
      Index term = index[i];
      if (stride.isConstant()) {
        term = scale(term, stride.constantValue());
      } else {
        Value by = sizeOf(stride);
        Value position = term.varies() ? positions(term) : term.base;
        if (isa<VectorType>(position.getType()))
          by = splat(by);
        Value product = place(
            {position, by}, [&]() -> Value { return b.create<arith::MulIOp>(loc, position, by); });
        term =
            isa<VectorType>(product.getType()) ? Index{Value(), 0, product} : scalarIndex(product);
      }
      offset = add(offset, term);
    }
    // Overflow was refused when the type was made: the element count fits.
    stride = ir::mul(stride, shape[i]).value_or(DimExpr(0));
  }
  return offset;
}

Value ElementEmitter::address(Value pointer, Type storage, Value offset) {
  Type pointerType = LLVM::LLVMPointerType::get(b.getContext());
  if (auto vector = dyn_cast<VectorType>(offset.getType()))
    return b.create<LLVM::GEPOp>(loc, LLVM::getVectorType(pointerType, vector.getNumElements()),
                                 storage, pointer, ArrayRef<LLVM::GEPArg>{offset});
  return b.create<LLVM::GEPOp>(loc, pointerType, storage, pointer, ArrayRef<LLVM::GEPArg>{offset});
}

Value ElementEmitter::toRegister(Value stored, Type type) {
  if (type.isInteger(1)) {
    Value nothing = b.create<arith::ConstantOp>(loc, b.getZeroAttr(stored.getType()));
    return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, stored, nothing);
  }
  if (type.isF16() || type.isBF16()) {
    Value narrow = b.create<arith::BitcastOp>(loc, likeShape(type, stored), stored);
    return VectorMath(b, loc, target).castFloatToFloat(narrow, b.getF32Type());
  }
  return stored;
}

Value ElementEmitter::toStorage(Value registers, Type type) {
  if (type.isInteger(1))
    return b.create<arith::ExtUIOp>(loc, likeShape(b.getI8Type(), registers), registers);
  if (type.isF16() || type.isBF16()) {
    Value narrow = VectorMath(b, loc, target).castFloatToFloat(registers, type);
    return b.create<arith::BitcastOp>(loc, likeShape(b.getI16Type(), narrow), narrow);
  }
  return registers;
}

Value ElementEmitter::maskBelow(Value position, Value bound) {
  // min(bound - position, lanes) > lane number, in 32 bits
  Value left = b.create<arith::SubIOp>(loc, bound, position);
  Value capped = b.create<arith::MinSIOp>(loc, left, i64(lanes));
  Value narrow = b.create<arith::TruncIOp>(loc, b.getI32Type(), capped);
  Value spread = splat(narrow);
  SmallVector<int32_t> numbers(lanes);
  std::iota(numbers.begin(), numbers.end(), 0);
  Value lane = b.create<arith::ConstantOp>(loc, b.getI32VectorAttr(numbers));
  return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, lane, spread);
}

Value ElementEmitter::load(Value pointer, RankedTensorType type, ArrayRef<Index> index) {
  return loadFrom(pointer, type.getElementType(), linearize(type, index));
}

Value ElementEmitter::loadFrom(Value pointer, Type elementType, const Index &offset) {
  Type storage = storageType(elementType);
  unsigned bytes = storage.getIntOrFloatBitWidth() / 8;
  bool varies = offset.varies();
  if (!varies) {
    auto load = [&]() -> Value {
      return b.create<LLVM::LoadOp>(loc, storage, address(pointer, storage, offset.base), bytes);
    };
    // A position that is 0 whatever the index is that of a single element, which is always there.
    if (!condition || constantOf(offset.base) == 0)
      return place({pointer, offset.base},
                   [&]() -> Value { return toRegister(load(), elementType); });
    Value any = anyLane();
    return place({pointer, offset.base, any}, [&]() -> Value {
      auto branch = b.create<scf::IfOp>(loc, TypeRange{storage}, any, /*withElseRegion=*/true);
      {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(branch.thenBlock());
        b.create<scf::YieldOp>(loc, load());
        b.setInsertionPointToStart(branch.elseBlock());
        Value nothing = b.create<arith::ConstantOp>(loc, b.getZeroAttr(storage));
        b.create<scf::YieldOp>(loc, nothing);
      }
      return toRegister(branch.getResult(0), elementType);
    });
  }
  auto vector = VectorType::get(lanes, storage);
  if (!offset.lanes && offset.laneStep == 1) {
    Value mask = activeMask;
    return place({pointer, offset.base, mask}, [&]() -> Value {
      Value from = address(pointer, storage, offset.base);
      if (!mask)
        return toRegister(b.create<LLVM::LoadOp>(loc, vector, from, bytes), elementType);
      Value nothing = b.create<arith::ConstantOp>(loc, b.getZeroAttr(vector));
      Value loaded = b.create<LLVM::MaskedLoadOp>(loc, vector, from, mask, ValueRange{nothing},
                                                  b.getI32IntegerAttr(bytes));
      return toRegister(loaded, elementType);
    });
  }
  Value where = positions(offset), mask = activeMask;
  return place({pointer, where, mask}, [&]() -> Value {
    Value from = address(pointer, storage, where);
    Value real = mask;
    if (!real)
      real = b.create<arith::ConstantOp>(
          loc, DenseElementsAttr::get(VectorType::get(lanes, b.getI1Type()), true));
    Value nothing = b.create<arith::ConstantOp>(loc, b.getZeroAttr(vector));
    Value loaded = b.create<LLVM::masked_gather>(loc, vector, from, real, ValueRange{nothing},
                                                 b.getI32IntegerAttr(bytes));
    return toRegister(loaded, elementType);
  });
}

void ElementEmitter::store(Value registers, Value pointer, RankedTensorType type,
                           ArrayRef<Index> index) {
  Index offset = linearize(type, index);
  Type storage = storageType(type.getElementType());
  unsigned bytes = storage.getIntOrFloatBitWidth() / 8;
  bool varies = offset.varies();
  if (!varies) {
    // A contraction with one column hands over a vector of which the first lane exists.
    if (isa<VectorType>(registers.getType()))
      registers = b.create<vector::ExtractOp>(loc, registers, ArrayRef<int64_t>{0});
    b.create<LLVM::StoreOp>(loc, toStorage(registers, type.getElementType()),
                            address(pointer, storage, offset.base), bytes);
    return;
  }
  Value stored = toStorage(splat(registers), type.getElementType());
  if (!offset.lanes && offset.laneStep == 1) {
    Value to = address(pointer, storage, offset.base);
    if (activeMask)
      b.create<LLVM::MaskedStoreOp>(loc, stored, to, activeMask, b.getI32IntegerAttr(bytes));
    else
      b.create<LLVM::StoreOp>(loc, stored, to, bytes);
    return;
  }
  Value to = address(pointer, storage, positions(offset));
  Value real = activeMask;
  if (!real)
    real = b.create<arith::ConstantOp>(
        loc, DenseElementsAttr::get(VectorType::get(lanes, b.getI1Type()), true));
  b.create<LLVM::masked_scatter>(loc, stored, to, real, b.getI32IntegerAttr(bytes));
}
