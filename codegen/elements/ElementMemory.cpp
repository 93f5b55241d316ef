#include "codegen/elements/ElementMemory.h"

#include "codegen/elements/VectorMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace keratin::codegen;
using namespace mlir;

//===-- Forms of an element -------------------------------------------------------------------===//

Type ElementMemory::registerType(Type type) const {
  if (type.isF16() || type.isBF16())
    return code.b.getF32Type();
  if (auto integer = dyn_cast<IntegerType>(type))
    return code.b.getIntegerType(integer.getWidth());
  return type;
}

Type ElementMemory::storageType(Type type) const {
  if (auto integer = dyn_cast<IntegerType>(type))
    return code.b.getIntegerType(std::max(8u, integer.getWidth()));
  // LLVM takes narrow floats apart in function calls where it has no instruction for a masked
  // access.
  if (type.isF16() || type.isBF16())
    return code.b.getI16Type();
  return type;
}

static unsigned bytesOf(Type storage) { return storage.getIntOrFloatBitWidth() / 8; }

Value ElementMemory::toRegister(Value stored, Type type) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
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

Value ElementMemory::toStorage(Value registers, Type type) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  if (type.isInteger(1))
    return b.create<arith::ExtUIOp>(loc, likeShape(b.getI8Type(), registers), registers);
  if (type.isF16() || type.isBF16()) {
    Value stored = narrow.lookup(registers);
    if (!stored || getElementTypeOrSelf(stored) != type)
      stored = VectorMath(b, loc, target).castFloatToFloat(registers, type);
    return b.create<arith::BitcastOp>(loc, likeShape(b.getI16Type(), stored), stored);
  }
  return registers;
}

Value ElementMemory::rounded(Value registers, Type type) {
  VectorMath math(code.b, code.loc, target);
  Value stored = math.castFloatToFloat(registers, type);
  Value wide = math.castFloatToFloat(stored, code.b.getF32Type());
  narrow[wide] = stored;
  return wide;
}

Value ElementMemory::address(Value pointer, Type storage, Value offset) {
  Type type = LLVM::LLVMPointerType::get(code.b.getContext());
  if (auto vector = dyn_cast<VectorType>(offset.getType()))
    type = LLVM::getVectorType(type, vector.getNumElements());
  return code.b.create<LLVM::GEPOp>(code.loc, type, storage, pointer,
                                    ArrayRef<LLVM::GEPArg>{offset});
}

// A mask for accesses that want one.
Value ElementMemory::allLanes() {
  auto type = VectorType::get(code.lanes, code.b.getI1Type());
  return code.b.create<arith::ConstantOp>(code.loc, DenseElementsAttr::get(type, true));
}

//===-- Reading -------------------------------------------------------------------------------===//

Value ElementMemory::load(Value pointer, Type elementType, const Index &offset,
                          const LaneMasks &masks) {
  if (!offset.varies())
    return loadUniform(pointer, elementType, offset.base, masks.condition);
  if (!offset.lanes && offset.laneStep == 1)
    return loadNeighbours(pointer, elementType, offset.base, masks.active);
  return gather(pointer, elementType, positions.each(offset), masks.active);
}

Value ElementMemory::loadUniform(Value pointer, Type elementType, Value offset, Value condition) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  Type storage = storageType(elementType);
  auto load = [&]() -> Value {
    return b.create<LLVM::LoadOp>(loc, storage, address(pointer, storage, offset),
                                  bytesOf(storage));
  };
  // A position that is 0 whatever the index is that of a single element, which is always there.
  if (!condition || constantOf(offset) == 0)
    return code.place({pointer, offset},
                      [&]() -> Value { return toRegister(load(), elementType); });
  Value any = code.anyLane(condition);
  return code.place({pointer, offset, any}, [&]() -> Value {
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

Value ElementMemory::loadNeighbours(Value pointer, Type elementType, Value offset, Value mask) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  Type storage = storageType(elementType);
  auto vector = VectorType::get(code.lanes, storage);
  return code.place({pointer, offset, mask}, [&]() -> Value {
    Value from = address(pointer, storage, offset);
    if (!mask)
      return toRegister(b.create<LLVM::LoadOp>(loc, vector, from, bytesOf(storage)), elementType);
    Value nothing = b.create<arith::ConstantOp>(loc, b.getZeroAttr(vector));
    Value loaded = b.create<LLVM::MaskedLoadOp>(loc, vector, from, mask, ValueRange{nothing},
                                                b.getI32IntegerAttr(bytesOf(storage)));
    return toRegister(loaded, elementType);
  });
}

Value ElementMemory::gather(Value pointer, Type elementType, Value offsets, Value mask) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  Type storage = storageType(elementType);
  auto vector = VectorType::get(code.lanes, storage);
  return code.place({pointer, offsets, mask}, [&]() -> Value {
    Value from = address(pointer, storage, offsets);
    Value real = mask ? mask : allLanes();
    Value nothing = b.create<arith::ConstantOp>(loc, b.getZeroAttr(vector));
    Value loaded = b.create<LLVM::masked_gather>(loc, vector, from, real, ValueRange{nothing},
                                                 b.getI32IntegerAttr(bytesOf(storage)));
    return toRegister(loaded, elementType);
  });
}

void ElementMemory::prefetch(Value pointer, Type elementType, Value offset, bool willStore) {
  code.b.create<LLVM::Prefetch>(code.loc, address(pointer, storageType(elementType), offset),
                                /*rw=*/willStore, /*hint=*/3, /*cache=*/1);
}

//===-- Writing -------------------------------------------------------------------------------===//

void ElementMemory::store(Value registers, Value pointer, Type elementType, const Index &offset,
                          Value mask) {
  OpBuilder &b = code.b;
  Location loc = code.loc;
  Type storage = storageType(elementType);
  unsigned bytes = bytesOf(storage);
  if (!offset.varies()) {
    // A contraction with one column hands over a vector of which the first lane exists.
    if (isa<VectorType>(registers.getType()))
      registers = b.create<vector::ExtractOp>(loc, registers, ArrayRef<int64_t>{0});
    Value stored = toStorage(registers, elementType);
    b.create<LLVM::StoreOp>(loc, stored, address(pointer, storage, offset.base), bytes);
    return;
  }
  Value stored = toStorage(code.splat(registers), elementType);
  if (!offset.lanes && offset.laneStep == 1) {
    Value to = address(pointer, storage, offset.base);
    if (mask)
      b.create<LLVM::MaskedStoreOp>(loc, stored, to, mask, b.getI32IntegerAttr(bytes));
    else
      b.create<LLVM::StoreOp>(loc, stored, to, bytes);
    return;
  }
  Value to = address(pointer, storage, positions.each(offset));
  b.create<LLVM::masked_scatter>(loc, stored, to, mask ? mask : allLanes(),
                                 b.getI32IntegerAttr(bytes));
}
