#include "codegen/gpu/loops/LoopValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace keratin::codegen;
using namespace mlir;
namespace host = keratin::host;
using keratin::ir::DimExpr;

Value LoopValues::i64(int64_t value) { return b.create<arith::ConstantIntOp>(loc, value, 64); }

Value LoopValues::hoisted(llvm::function_ref<Value()> emit) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(prologueEnd);
  return emit();
}

Value LoopValues::argument(LoopArgument argument, Type type) {
  return hoisted([&]() -> Value {
    auto slot = int32_t(arguments.size());
    arguments.push_back(std::move(argument));
    Value address =
        b.create<LLVM::GEPOp>(loc, pointer, b.getI64Type(), argv, ArrayRef<LLVM::GEPArg>{slot});
    if (!type.isInteger(1))
      return b.create<LLVM::LoadOp>(loc, type, address);
    Value number = b.create<LLVM::LoadOp>(loc, b.getI64Type(), address);
    return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, number, i64(0));
  });
}

Value LoopValues::sizeOf(const DimExpr &size) {
  if (size.isConstant())
    return i64(size.constantValue());
  Value &number = sizes[size];
  if (!number)
    number = argument({{}, KernelArgument{KernelArgument::Kind::Size, 0, size, {}, loc}},
                      b.getI64Type());
  return number;
}

Value LoopValues::offsetBy(Value place, Value bytes) {
  return b.create<LLVM::GEPOp>(loc, pointer, b.getI8Type(), place, ArrayRef<LLVM::GEPArg>{bytes});
}

Value LoopValues::baseOf(Operation *op) {
  if (auto at = dyn_cast_or_null<host::AtOp>(op))
    return at.getBase();
  auto element = dyn_cast_or_null<host::ElementOp>(op);
  return element ? element.getBase() : Value();
}

Value LoopValues::placeBehind(Value base, Operation *op) {
  if (auto at = dyn_cast<host::AtOp>(op))
    return offsetBy(base, sizeOf(at.getOffset().getDims().front()));
  auto element = cast<host::ElementOp>(op);
  Value bytes = sizeOf(element.getBytes().getDims().front());
  return offsetBy(base, b.create<arith::MulIOp>(loc, of(element.getStep()), bytes));
}

// What the whole loop has one of: places are offsets of few beginnings, which are its arguments.
Value LoopValues::outside(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<host::AtOp>(op))
    return hoisted([&] { return placeBehind(of(baseOf(op)), op); });
  if (isa_and_nonnull<host::ArgumentOp, host::ResultOp, host::ConstantOp, host::MemoryOp>(op)) {
    int64_t number = op->getAttrOfType<IntegerAttr>("number").getInt();
    Value &beginning = beginnings[{op->getName().getStringRef(), number}];
    if (!beginning)
      beginning = argument({value, {}}, pointer);
    return beginning;
  }
  if (auto size = dyn_cast_or_null<host::SizeOp>(op))
    return sizeOf(size.getSize().getDims().front());
  if (auto constant = dyn_cast_or_null<arith::ConstantOp>(op))
    return hoisted(
        [&]() -> Value { return b.create<arith::ConstantOp>(loc, constant.getValue()); });
  return argument({value, {}}, typeOf(value.getType()));
}

Value LoopValues::of(Value value) {
  if (Value here = known.lookup(value))
    return here;
  Value made = outside(value);
  known[value] = made;
  return made;
}
