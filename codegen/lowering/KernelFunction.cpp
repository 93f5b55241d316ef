#include "codegen/lowering/KernelFunction.h"
#include "runtime/abi/keratin_abi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace keratin::codegen;
using namespace mlir;
using keratin::ir::DimExpr;
namespace ir = keratin::ir;

KernelBuilder::KernelBuilder(ir::KernelOp kernel, OpBuilder &builder, StringRef name)
    : b(builder), kernel(kernel), loc(kernel.getLoc()) {
  auto function = kernel->getParentOfType<FunctionOpInterface>();
  watchesNumbers = function && function->hasAttr("keratin.check_numbers");
  Type pointer = LLVM::LLVMPointerType::get(b.getContext()), i64Type = b.getI64Type();
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                          {pointer, pointer, i64Type, i64Type});
  result.function = b.create<LLVM::LLVMFuncOp>(loc, name, type, LLVM::Linkage::Internal);
  Block *entry = result.function.addEntryBlock(b);
  context = entry->getArgument(0);
  argv = entry->getArgument(1);
  begin = entry->getArgument(2);
  end = entry->getArgument(3);
  b.setInsertionPointToStart(entry);
  b.create<LLVM::ReturnOp>(loc, ValueRange{});
  b.setInsertionPointToStart(entry);
  for (unsigned i = 0; i < kernel.getInputs().size(); ++i)
    inputs.push_back(argument({KernelArgument::Kind::Input, i, {}, {}, loc}, pointer));
  for (unsigned i = 0; i < kernel.getOutputs().size(); ++i)
    outputs.push_back(argument({KernelArgument::Kind::Output, i, {}, {}, loc}, pointer));
}

Value KernelBuilder::argument(KernelArgument description, Type type) {
  // Arguments are read at the start of the function, whatever is being built when they turn out to
  // be needed.
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&result.function.getBody().front());
  int32_t slot = result.arguments.size();
  Value address = b.create<LLVM::GEPOp>(loc, LLVM::LLVMPointerType::get(b.getContext()),
                                        b.getI64Type(), argv, ArrayRef<LLVM::GEPArg>{slot});
  result.arguments.push_back(std::move(description));
  Value loaded = b.create<LLVM::LoadOp>(loc, type, address);
  // The builder may stand at the same place; what it makes next must come after.
  return loaded;
}

Value KernelBuilder::sizeOf(const DimExpr &size) {
  if (size.isConstant())
    return i64(size.constantValue());
  Value &known = sizes[size];
  if (!known)
    known = argument({KernelArgument::Kind::Size, 0, size, {}, loc}, b.getI64Type());
  return known;
}

Value KernelBuilder::site(Operation *op, StringRef message, keratin_status_code_t status) {
  Value &known = sites[{op, message.str()}];
  if (!known)
    known = argument({KernelArgument::Kind::Site, 0, {}, message.str(), op->getLoc(), status},
                     b.getI32Type());
  return known;
}

Value KernelBuilder::numberedSite(Operation *op, StringRef message) {
  Value &known = numberedSites[{op, message.str()}];
  if (!known)
    known =
        argument({KernelArgument::Kind::Site, 0, {}, message.str(), op->getLoc()}, b.getI64Type());
  return known;
}

void KernelBuilder::fail(Location where, Value site) {
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value callee = runtimeFunction(b, where, context, offsetof(keratin_runtime_functions_t, fail));
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                          {pointer, b.getI32Type()});
  b.create<LLVM::CallOp>(where, type, ValueRange{callee, context, site});
}

Value KernelBuilder::argumentFor(int64_t number) {
  return argument(
      {.kind = KernelArgument::Kind::Number, .location = loc, .number = uint64_t(number)},
      b.getI64Type());
}

Value KernelBuilder::step() {
  if (!stepNumber)
    stepNumber = argument({.kind = KernelArgument::Kind::Step, .location = loc}, b.getI64Type());
  return stepNumber;
}

Value KernelBuilder::i64(int64_t value) { return b.create<arith::ConstantIntOp>(loc, value, 64); }

SmallVector<Value> KernelBuilder::forLoop(
    Value from, Value to, Value step, ArrayRef<Value> init,
    llvm::function_ref<SmallVector<Value>(Operation *, Value, ArrayRef<Value>)> body) {
  auto loop = b.create<scf::ForOp>(loc, from, to, step, init);
  OpBuilder::InsertionGuard guard(b);
  if (init.empty())
    b.setInsertionPoint(loop.getBody()->getTerminator());
  else
    b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> carried(loop.getRegionIterArgs().begin(), loop.getRegionIterArgs().end());
  SmallVector<Value> next = body(loop, loop.getInductionVar(), carried);
  if (!init.empty())
    b.create<scf::YieldOp>(loc, next);
  return SmallVector<Value>(loop.getResults());
}

// Of a module that declares kFailFunction.
static constexpr llvm::StringLiteral withoutRuntime = "keratin.without_runtime";

void keratin::codegen::declareFailFunction(ModuleOp module) {
  module->setAttr(withoutRuntime, UnitAttr::get(module.getContext()));
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                          {pointer, b.getI32Type()});
  b.create<LLVM::LLVMFuncOp>(module.getLoc(), kFailFunction, type);
}

Value keratin::codegen::runtimeFunction(OpBuilder &b, Location loc, Value context, size_t offset) {
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto module = b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  if (module && module->hasAttr(withoutRuntime)) {
    assert(offset == offsetof(keratin_runtime_functions_t, fail) && "the program was looked at");
    return b.create<LLVM::AddressOfOp>(loc, pointer, kFailFunction);
  }
  auto loadAt = [&](Value base, size_t bytes) -> Value {
    Value address = b.create<LLVM::GEPOp>(loc, pointer, b.getI8Type(), base,
                                          ArrayRef<LLVM::GEPArg>{int32_t(bytes)});
    return b.create<LLVM::LoadOp>(loc, pointer, address);
  };
  return loadAt(loadAt(context, offsetof(keratin_context_t, functions)), offset);
}
