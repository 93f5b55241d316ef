#include "ir/builder/GradientLocation.h"

#include "ir/dialect/NameScope.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"

using namespace mlir;

Location keratin::ir::gradientLocation(Operation *op) {
  std::string name = (kGradientOf + op->getName().stripDialect()).str();
  return NameLoc::get(StringAttr::get(op->getContext(), name), op->getLoc());
}
