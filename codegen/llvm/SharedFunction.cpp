#include "codegen/llvm/SharedFunction.h"

#include "codegen/llvm/CodeParts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

ValueRange
keratin::codegen::callShared(OpBuilder &builder, Location loc, StringRef name, ValueRange arguments,
                             TypeRange results,
                             llvm::function_ref<SmallVector<Value>(OpBuilder &, ValueRange)> body) {
  auto module = builder.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  auto function = module.lookupSymbol<func::FuncOp>(name);
  if (!function) {
    // In front, where the next look-up finds it without going through all kernels.
    OpBuilder outside = OpBuilder::atBlockBegin(module.getBody());
    function = outside.create<func::FuncOp>(loc, name,
                                            outside.getFunctionType(arguments.getTypes(), results));
    function.setPrivate();
    function->setAttr("llvm.linkage",
                      LLVM::LinkageAttr::get(builder.getContext(), LLVM::Linkage::WeakODR));
    function->setAttr(kSharedFunctionAttr, builder.getUnitAttr());
    outside.setInsertionPointToStart(function.addEntryBlock());
    SmallVector<Value> values = body(outside, function.getArguments());
    outside.setInsertionPointToEnd(&function.getBody().back());
    outside.create<func::ReturnOp>(loc, values);
  }
  return builder.create<func::CallOp>(loc, function, arguments).getResults();
}
