// print: a copy of the operand, and a call of the context's print() with it.
#include "codegen/cpu/SingleOpKernel.h"
#include "runtime/abi/keratin_abi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;
using keratin::ir::getElementType;
using keratin::ir::getShape;
using keratin::ir::Shape;

namespace {

class PrintKernel : SingleOpKernel {
public:
  PrintKernel(CpuKernelBuilder &k, ir::PrintOp print)
      : SingleOpKernel(k, print,
                       lanesFor(k.target, getElementType(print.getX()).getIntOrFloatBitWidth())),
        print(print), pointer(LLVM::LLVMPointerType::get(b.getContext())) {}

  void emit();

private:
  void copy(const Shape &shape, Type type);
  Value message();
  Value i32(int32_t value) { return b.create<arith::ConstantIntOp>(loc, value, 32); }

  ir::PrintOp print;
  Type pointer;
};

void PrintKernel::copy(const Shape &shape, Type type) {
  // As integers of the same width, so that every bit is kept.
  DimExpr elements = elementsOf(shape);
  unsigned bits = std::max(8u, type.getIntOrFloatBitWidth());
  auto flat = ir::getTensorType({elements}, b.getIntegerType(bits));
  laneLoop(elements, 4, {}, [&](Value position, Value mask, ArrayRef<Value>) {
    storeLanes(loadLanes(input(0), flat, {position}, mask), output(), flat, {position}, mask);
    return SmallVector<Value>();
  });
}

// The text behind a pointer: a constant of the module, shared by the kernels that print it.
Value PrintKernel::message() {
  std::string text = print.getMessage().str();
  text.push_back('\0');
  auto function = k.result.function;
  auto module = function->getParentOfType<ModuleOp>();
  LLVM::GlobalOp global;
  for (auto known : module.getOps<LLVM::GlobalOp>())
    if (auto value = dyn_cast_or_null<StringAttr>(known.getValueOrNull());
        value && known.getConstant() && value.getValue() == text)
      global = known;
  if (!global) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(function);
    auto type = LLVM::LLVMArrayType::get(b.getI8Type(), text.size());
    global =
        b.create<LLVM::GlobalOp>(loc, type, /*isConstant=*/true, LLVM::Linkage::Internal,
                                 (function.getSymName() + ".message").str(), b.getStringAttr(text));
  }
  return b.create<LLVM::AddressOfOp>(loc, pointer, global.getSymName());
}

void PrintKernel::emit() {
  Shape shape = getShape(print.getX());
  Type type = getElementType(print.getX());
  // Printed once, whatever the range of units: there is one. The value goes on where someone reads
  // it.
  if (!k.outputs.empty())
    copy(shape, type);
  SmallVector<Value> dims;
  for (const DimExpr &dim : shape)
    dims.push_back(size(dim));
  callHost(offsetof(keratin_runtime_functions_t, print),
           {message(), i32(ir::dtypeOf(type)), i32(shape.size()), record(dims), input(0)});
}

} // namespace

CpuPlan keratin::codegen::planPrintKernel(ir::KernelOp kernel, const MachineTarget &) {
  auto print = dyn_cast_or_null<ir::PrintOp>(onlyOp(kernel));
  if (!print)
    return nullptr;
  auto plan = std::make_shared<HostCallPlan>(
      kernel, "once, and a copy for those who read it",
      [print](CpuKernelBuilder &k) { PrintKernel(k, print).emit(); });
  plan->work = elementsOf(getShape(print.getX()));
  return plan;
}
