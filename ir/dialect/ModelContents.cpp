#include "ir/dialect/ModelContents.h"

#include "ir/dialect/Keratin.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace keratin::ir;
using namespace mlir;

static LogicalResult verifyFunction(func::FuncOp function) {
  if (function.isExternal())
    return success(); // nothing computes with it
  auto emitError = [&] { return function.emitOpError(); };
  for (TypeRange types :
       {TypeRange(function.getArgumentTypes()), TypeRange(function.getResultTypes())})
    for (Type type : types)
      if (failed(verifyTensorType(type, emitError)))
        return failure();
  WalkResult result = function.getBody().walk([](Operation *op) {
    if (isa_and_nonnull<KeratinDialect>(op->getDialect()) || isa<func::ReturnOp>(op))
      return WalkResult::advance();
    op->emitOpError("is no op of a model");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult keratin::ir::verifyModelContents(ModuleOp module,
                                               llvm::function_ref<bool(Operation &)> isAllowed) {
  for (Operation &op : module.getOps()) {
    if (auto inner = dyn_cast<ModuleOp>(op)) {
      if (failed(verifyModelContents(inner, isAllowed)))
        return failure();
    } else if (auto function = dyn_cast<func::FuncOp>(op)) {
      if (failed(verifyFunction(function)))
        return failure();
    } else if (!isAllowed || !isAllowed(op)) {
      return op.emitOpError("is no function, of which a model is made");
    }
  }
  return success();
}
