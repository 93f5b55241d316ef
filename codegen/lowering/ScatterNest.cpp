#include "codegen/lowering/ScatterNest.h"

#include "ir/interfaces/Extremes.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::getElementType;
using keratin::ir::getShape;
using keratin::ir::Shape;

ScatterNest::ScatterNest(Operation *op)
    : op(op), isSparse(isa<ir::SparseDotOp>(op)), elementType(getElementType(op->getResult(0))) {
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

Value ScatterNest::initial(ir::ScalarBuilder &builder) const {
  if (isa<ir::ScatterMaxOp>(op))
    return ir::buildSmallest(builder, elementType);
  if (isa<ir::ScatterMinOp>(op))
    return ir::buildLargest(builder, elementType);
  builder.setElementType(elementType);
  return isa<FloatType>(elementType) ? builder.constant(0) : builder.integerConstant(0);
}

Value ScatterNest::combined(ir::ScalarBuilder &builder, Value before, Value addend) const {
  builder.setElementType(elementType);
  if (isa<ir::ScatterLastOp>(op))
    return addend;
  if (isa<ir::ScatterMaxOp>(op))
    return builder.maximum(addend, before);
  if (isa<ir::ScatterMinOp>(op))
    return builder.minimum(addend, before);
  return builder.add(before, addend);
}

std::string ScatterNest::message() const {
  if (isSparse)
    return "sparse_dot: a stored element is outside the matrix";
  return (op->getName().stripDialect() + ": an index is outside the first axis of the result")
      .str();
}

void ScatterNest::print(llvm::raw_ostream &out) const {
  out << "nest: " << count.str() << (isSparse ? " stored elements, rows" : " rows") << " of "
      << width.str()
      << (isa<ir::ScatterLastOp>(op)                    ? " elements put into "
          : isa<ir::ScatterMaxOp, ir::ScatterMinOp>(op) ? " elements compared with "
                                                        : " elements added to ")
      << rows.str() << "\n";
}
