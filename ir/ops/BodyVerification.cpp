#include "ir/ops/BodyVerification.h"

#include "ir/interfaces/ComputedSizes.h"

using namespace keratin::ir;
using namespace mlir;

LogicalResult keratin::ir::verifyTypes(Operation *op, TypeRange found, TypeRange needed,
                                       const Twine &what) {
  if (found.size() != needed.size())
    return op->emitOpError() << what << " must be " << needed.size() << " values, found "
                             << found.size();
  for (auto [i, types] : llvm::enumerate(llvm::zip(found, needed)))
    if (std::get<0>(types) != std::get<1>(types))
      return op->emitOpError() << what << ": value " << i << " must have type "
                               << std::get<1>(types) << ", found " << std::get<0>(types);
  return success();
}

// A size that the block computes is another one each time it is run: nothing around it has that.
static LogicalResult verifySizes(Operation *op, Block &block, StringRef what) {
  LocalSizes sizes(block);
  if (sizes.empty())
    return success();
  auto fail = [&](auto found) {
    return op->emitOpError() << what << " computes a size that the op around it has, found "
                             << found;
  };
  for (TypeRange types : {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types)
      if (sizes.mentionedIn(type))
        return fail(type);
  for (NamedAttribute attribute : op->getAttrs())
    if (auto dims = dyn_cast<DimsAttr>(attribute.getValue()))
      for (const DimExpr &dim : dims.getDims())
        if (sizes.mentionedIn(dim))
          return fail(dim.str());
  return success();
}

LogicalResult keratin::ir::verifyRegion(Operation *op, Region &region, TypeRange arguments,
                                        TypeRange yielded, StringRef what) {
  Block &block = region.front();
  if (failed(
          verifyTypes(op, block.getArgumentTypes(), arguments, "the arguments of " + Twine(what))))
    return failure();
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield)
    return op->emitOpError() << what << " must end with keratin.yield";
  if (failed(verifySizes(op, block, what)))
    return failure();
  return verifyTypes(op, yield.getValues().getTypes(), yielded, "the yield of " + Twine(what));
}
