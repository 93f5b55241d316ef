#include "codegen/cpu/SingleOpKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;
using keratin::ir::getElementType;

unsigned keratin::codegen::lanesFor(const MachineTarget &target, unsigned elementBits) {
  return target.lanes(std::max(32u, elementBits));
}

unsigned keratin::codegen::blockVectors(unsigned most, unsigned lanes, const DimExpr &extent,
                                        int64_t blocks) {
  unsigned vectors = most;
  if (extent.isConstant())
    while (vectors > 1 && extent.constantValue() < blocks * int64_t(vectors) * lanes)
      vectors /= 2;
  return vectors;
}

SingleOpKernel::SingleOpKernel(CpuKernelBuilder &k, Operation *op, unsigned lanes)
    : k(k), b(k.b), loc(op->getLoc()), op(op), lanes(lanes), emitter(k, loc, k.target, lanes) {
  // From here on everything is emitted before the return.
  b.setInsertionPoint(k.result.function.getBody().front().getTerminator());
}

Value SingleOpKernel::input(unsigned operand) {
  return k.inputs[cast<BlockArgument>(op->getOperand(operand)).getArgNumber()];
}

//===-- The host ------------------------------------------------------------------------------===//

Value SingleOpKernel::record(ArrayRef<Value> fields) {
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value words = b.create<LLVM::AllocaOp>(loc, pointer, b.getI64Type(),
                                         i64(std::max<int64_t>(1, fields.size())), 8);
  for (auto [i, field] : llvm::enumerate(fields)) {
    Value slot = b.create<LLVM::GEPOp>(loc, pointer, b.getI64Type(), words,
                                       ArrayRef<LLVM::GEPArg>{int32_t(i)});
    b.create<LLVM::StoreOp>(loc, field, slot);
  }
  return words;
}

void SingleOpKernel::callHost(size_t field, ArrayRef<Value> arguments) {
  SmallVector<Value> operands = {runtimeFunction(b, loc, k.context, field), k.context};
  operands.append(arguments.begin(), arguments.end());
  SmallVector<Type> types(ValueRange(operands).drop_front().getTypes());
  auto signature = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), types);
  b.create<LLVM::CallOp>(loc, signature, operands);
}

//===-- Memory --------------------------------------------------------------------------------===//

static SmallVector<LaneIndex> indexOf(ElementEmitter &emitter, ArrayRef<Value> position,
                                      bool alongLanes) {
  SmallVector<LaneIndex> index;
  for (Value value : position)
    index.push_back(emitter.scalarIndex(value));
  if (alongLanes)
    index.back() = emitter.laneIndex(position.back());
  return index;
}

Value SingleOpKernel::loadLanes(Value pointer, RankedTensorType type, ArrayRef<Value> position,
                                Value mask) {
  emitter.setMask(mask);
  Value loaded = emitter.load(pointer, type, indexOf(emitter, position, true));
  emitter.setMask(Value());
  return loaded;
}

void SingleOpKernel::storeLanes(Value registers, Value pointer, RankedTensorType type,
                                ArrayRef<Value> position, Value mask) {
  emitter.setMask(mask);
  emitter.watchRegisters(registers, type.getElementType());
  emitter.store(registers, pointer, type, indexOf(emitter, position, true));
  emitter.setMask(Value());
}

void SingleOpKernel::prefetch(Value pointer, RankedTensorType type, ArrayRef<Value> position,
                              Value distance) {
  emitter.prefetch(pointer, type, indexOf(emitter, position, true), distance, /*willStore=*/false);
}

Value SingleOpKernel::loadScalar(Value pointer, RankedTensorType type, ArrayRef<Value> position) {
  return emitter.load(pointer, type, indexOf(emitter, position, false));
}

void SingleOpKernel::storeScalar(Value registers, Value pointer, RankedTensorType type,
                                 ArrayRef<Value> position) {
  emitter.watchRegisters(registers, type.getElementType());
  emitter.store(registers, pointer, type, indexOf(emitter, position, false));
}

//===-- Loops ---------------------------------------------------------------------------------===//

Value SingleOpKernel::plus(Value x, Value y) { return b.create<arith::AddIOp>(loc, x, y); }
Value SingleOpKernel::minus(Value x, Value y) { return b.create<arith::SubIOp>(loc, x, y); }
Value SingleOpKernel::times(Value x, Value y) { return b.create<arith::MulIOp>(loc, x, y); }

Value SingleOpKernel::position(unsigned operand, RankedTensorType type, ArrayRef<Value> at) {
  Value integer = loadScalar(input(operand), type, at);
  emitter.setElementType(type.getElementType());
  return emitter.positionOf(integer).base;
}

Value SingleOpKernel::wholePart(Value x, int64_t multiple) {
  return times(b.create<arith::DivUIOp>(loc, x, i64(multiple)), i64(multiple));
}

SmallVector<Value> SingleOpKernel::loop(Value from, Value to, int64_t step, ArrayRef<Value> init,
                                        LoopBody body) {
  return k.forLoop(from, to, i64(step), init, [&](Operation *, Value iv, ArrayRef<Value> carried) {
    return body(iv, carried);
  });
}

bool SingleOpKernel::isWhole(const DimExpr &extent, unsigned vectors) const {
  // Of no elements there is none, though a unit may be there to check indices.
  return extent.isConstant() && extent.constantValue() > 0 &&
         extent.constantValue() % (int64_t(lanes) * vectors) == 0;
}

bool SingleOpKernel::areFull(const DimExpr &extent, unsigned vectors) const {
  return extent.content() % (uint64_t(lanes) * vectors) == 0;
}

SingleOpKernel::Columns SingleOpKernel::columnsFrom(Value column, const DimExpr &extent,
                                                    unsigned unroll) {
  Columns columns;
  for (unsigned u = 0; u < unroll; ++u) {
    columns.starts.push_back(plus(column, i64(int64_t(u) * lanes)));
    columns.masks.push_back(
        isWhole(extent, unroll) ? Value() : emitter.maskBelow(columns.starts[u], size(extent)));
  }
  return columns;
}

Value SingleOpKernel::zeros(Type elementType) {
  emitter.setElementType(elementType);
  return emitter.splat(isa<FloatType>(elementType) ? emitter.constant(0)
                                                   : emitter.integerConstant(0));
}

void SingleOpKernel::fillWith(Value vector, Value pointer, RankedTensorType type, unsigned unroll) {
  laneLoop(ir::getShape(type).front(), unroll, {},
           [&](Value position, Value mask, ArrayRef<Value>) -> SmallVector<Value> {
             storeLanes(vector, pointer, type, {position}, mask);
             return {};
           });
}

void SingleOpKernel::where(Value condition, llvm::function_ref<void()> body) {
  auto branch = b.create<scf::IfOp>(loc, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  body();
}

SmallVector<Value> SingleOpKernel::laneLoop(const DimExpr &extent, unsigned unroll,
                                            ArrayRef<Value> init, LaneBody body) {
  Value n = size(extent), from = i64(0);
  SmallVector<Value> sets;
  for (unsigned u = 0; u < unroll; ++u)
    sets.append(init.begin(), init.end());
  // Full vectors, `count` of them an iteration.
  auto full = [&](unsigned count) {
    Value to = wholePart(n, int64_t(lanes) * count);
    ArrayRef<Value> walked = ArrayRef<Value>(sets).take_front(count * init.size());
    SmallVector<Value> next =
        loop(from, to, int64_t(lanes) * count, walked, [&](Value iv, ArrayRef<Value> carried) {
          SmallVector<Value> all;
          for (unsigned u = 0; u < count; ++u)
            all.append(body(u ? plus(iv, i64(int64_t(u) * lanes)) : iv, Value(),
                            carried.slice(u * init.size(), init.size())));
          return all;
        });
    llvm::copy(next, sets.begin());
    from = to;
  };
  auto holds = [&](unsigned count) {
    return !extent.isConstant() || extent.constantValue() >= int64_t(lanes) * count;
  };
  if (unroll > 1 && holds(unroll))
    full(unroll);
  if ((unroll == 1 || !areFull(extent, unroll)) && holds(1))
    full(1);
  if (!areFull(extent, 1)) {
    SmallVector<Value> next = loop(from, n, lanes, ArrayRef<Value>(sets).take_front(init.size()),
                                   [&](Value iv, ArrayRef<Value> carried) {
                                     return body(iv, emitter.maskBelow(iv, n), carried);
                                   });
    llvm::copy(next, sets.begin());
  }
  return sets;
}

//===-- Units ---------------------------------------------------------------------------------===//

void SingleOpKernel::forEachUnit(const UnitBlocks &blocks,
                                 llvm::function_ref<void(Value row, Value column)> body) {
  DimExpr perRow = blocks.blocksOfRow();
  loop(k.begin, k.end, 1, {}, [&](Value unit, ArrayRef<Value>) -> SmallVector<Value> {
    Value row = unit, block = i64(0);
    if (blocks.rows == DimExpr(1)) {
      row = i64(0);
      block = unit;
    } else if (perRow != DimExpr(1)) {
      Value count = size(perRow);
      row = b.create<arith::DivUIOp>(loc, unit, count);
      block = b.create<arith::RemUIOp>(loc, unit, count);
    }
    body(row, blocks.blockColumns == 1 ? block : times(block, i64(blocks.blockColumns)));
    return {};
  });
}
