#include "codegen/gpu/threads/Alignment.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;

static constexpr int64_t accessBytes = 16;

Alignment::Alignment(KernelBuilder &k) : k(k) {
  auto look = [&](Value tensor, Value pointer) {
    if (ir::getShape(tensor).empty())
      return;
    auto load = pointer.getDefiningOp<LLVM::LoadOp>();
    OpBuilder::InsertionGuard guard(k.b);
    k.b.setInsertionPointAfter(load);
    addresses.push_back(k.b.create<LLVM::LoadOp>(k.loc, k.b.getI64Type(), load.getAddr()));
  };
  for (auto [argument, pointer] : llvm::zip(k.body().getArguments(), k.inputs))
    look(argument, pointer);
  for (auto [value, pointer] : llvm::zip(k.body().getTerminator()->getOperands(), k.outputs))
    look(value, pointer);
}

Value Alignment::isAligned(Value address) {
  Value low = k.b.create<arith::AndIOp>(k.loc, address, k.i64(accessBytes - 1));
  return k.b.create<arith::CmpIOp>(k.loc, arith::CmpIPredicate::eq, low, k.i64(0));
}

Value Alignment::holds() {
  Value together = k.i64(0);
  for (Value address : addresses)
    together = k.b.create<arith::OrIOp>(k.loc, together, address);
  return isAligned(together);
}

void Alignment::assume() {
  for (Value address : addresses)
    k.b.create<LLVM::AssumeOp>(k.loc, isAligned(address));
}
