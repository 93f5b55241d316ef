#include "codegen/lowering/TopKNest.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;

TopKNest::TopKNest(Operation *op)
    : op(op), lines(op->getOperand(0), ir::getTensorType(op->getOperand(0)).getRank() - 1),
      k(ir::getShape(op->getResult(0)).back()) {}

void TopKNest::print(llvm::raw_ostream &out) const {
  out << "nest: the " << k.str() << " largest of lines of " << lines.length.str() << " elements, "
      << lines.outer.str() << " of them\n";
}

DimExpr TopKNest::units() const {
  return mul(lines.outer, *min(k, DimExpr(1))).value_or(DimExpr(0));
}
