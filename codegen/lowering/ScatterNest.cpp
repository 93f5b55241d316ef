#include "codegen/lowering/ScatterNest.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::getElementType;
using keratin::ir::getShape;
using keratin::ir::Shape;

ScatterNest::ScatterNest(Operation *op)
    : op(op), isSparse(isa<ir::SparseDotOp>(op)), keepsLast(isa<ir::ScatterLastOp>(op)),
      elementType(getElementType(op->getResult(0))) {
  Shape result = getShape(op->getResult(0));
  rows = result[0];
  width = elementsOf(Shape(result.begin() + 1, result.end()));
  count = elementsOf(getShape(op->getOperand(targetOperand)));
  if (isSparse) {
    addendOperand = 3;
    sources = getShape(op->getOperand(addendOperand))[0];
  }
  indicesType = ir::getTensorType({count}, getElementType(op->getOperand(targetOperand)));
  resultType = ir::getTensorType({rows, width}, elementType);
  addendsType = ir::getTensorType({isSparse ? sources : count, width}, elementType);
}

StringRef ScatterNest::message() const {
  if (isSparse)
    return "sparse_dot: a stored element is outside the matrix";
  return keepsLast ? "scatter_last: an index is outside the first axis of the result"
                   : "scatter_add: an index is outside the first axis of the result";
}

void ScatterNest::print(llvm::raw_ostream &out) const {
  out << "nest: " << count.str() << (isSparse ? " stored elements, rows" : " rows") << " of "
      << width.str() << (keepsLast ? " elements put into " : " elements added to ") << rows.str()
      << "\n";
}
