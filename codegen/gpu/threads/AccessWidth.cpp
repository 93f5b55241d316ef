#include "codegen/gpu/threads/AccessWidth.h"

#include "ir/dialect/Keratin.h"

using namespace mlir;
using keratin::ir::getElementType;
using keratin::ir::getShape;

unsigned keratin::codegen::elementsOfAccess(Block &body, unsigned most) {
  unsigned widest = 1;
  auto look = [&](Value value) {
    if (!getShape(value).empty())
      widest = std::max(widest, getElementType(value).getIntOrFloatBitWidth() / 8);
  };
  llvm::for_each(body.getArguments(), look);
  llvm::for_each(body.getTerminator()->getOperands(), look);
  return std::min(most, accessBytes / widest);
}
