#include "ir/dialect/MeshAxes.h"

#include "ir/dialect/RankNumbers.h"
#include "ir/interfaces/OpProperties.h"

using namespace keratin::ir;
using namespace mlir;

bool keratin::ir::isMeshAxis(StringRef name) {
  return !name.empty() &&
         llvm::none_of(name, [](char c) { return uint8_t(c) < 0x20 || c == 0x7f; });
}

StringAttr keratin::ir::meshAxisAttr(MLIRContext *context, StringRef name) {
  return name.empty() ? StringAttr() : StringAttr::get(context, name);
}

StringAttr keratin::ir::meshAxisOf(Operation *op) {
  return op->getAttrOfType<StringAttr>("mesh_axis");
}

llvm::SetVector<StringAttr> keratin::ir::meshAxesIn(Operation *op) {
  llvm::SetVector<StringAttr> axes;
  op->walk([&](Operation *inner) {
    if (StringAttr axis =
            isCollective(inner) || isRankNumber(inner) ? meshAxisOf(inner) : StringAttr())
      axes.insert(axis);
  });
  return axes;
}
