#include "codegen/lowering/SingleOp.h"

#include "ir/interfaces/Workspace.h"

using namespace keratin::codegen;
using namespace mlir;
namespace ir = keratin::ir;
using keratin::ir::DimExpr;
using keratin::ir::getElementType;
using keratin::ir::getShape;
using keratin::ir::Shape;

DimExpr keratin::codegen::elementsOf(const Shape &shape) {
  return product(shape).value_or(DimExpr(0));
}

AxisLines::AxisLines(Value tensor, int64_t axis) {
  Shape shape = getShape(tensor);
  outer = elementsOf(Shape(shape.begin(), shape.begin() + axis));
  length = shape[axis];
  inner = elementsOf(Shape(shape.begin() + axis + 1, shape.end()));
  type = ir::getTensorType({outer, length, inner}, getElementType(tensor));
}

void AxisLines::print(llvm::raw_ostream &out) const {
  out << "nest: lines of " << length.str() << " elements, " << outer.str() << " x " << inner.str()
      << " of them\n";
}

DimExpr UnitBlocks::blocksOfRow() const { return *ceildiv(columns, DimExpr(blockColumns)); }

DimExpr UnitBlocks::units() const { return mul(rows, blocksOfRow()).value_or(DimExpr(0)); }

std::optional<unsigned> keratin::codegen::workspaceResult(ir::KernelOp kernel, Operation *op) {
  std::optional<RankedTensorType> type = ir::workspaceOf(op);
  for (auto [index, yielded] :
       llvm::enumerate(kernel.getBody().front().getTerminator()->getOperands()))
    if (type && yielded.getDefiningOp<ir::IotaOp>() && yielded.getType() == *type)
      return unsigned(index);
  return std::nullopt;
}

Operation *keratin::codegen::onlyOp(ir::KernelOp kernel) {
  Block &body = kernel.getBody().front();
  Operation &first = body.front();
  bool alone = &*std::next(body.begin()) == body.getTerminator();
  if (alone && llvm::all_of(first.getOperands(), [](Value v) { return isa<BlockArgument>(v); }))
    return &first;
  kernel.emitError("not implemented: a kernel of ") << first.getName() << " and other ops";
  return nullptr;
}
