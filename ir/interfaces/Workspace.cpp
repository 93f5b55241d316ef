#include "ir/interfaces/Workspace.h"

#include "ir/interfaces/LineSort.h"

using namespace keratin::ir;
using namespace mlir;

std::optional<RankedTensorType> keratin::ir::workspaceOf(Operation *op) {
  Type word = IntegerType::get(op->getContext(), 64);
  if (auto search = dyn_cast<CtcBeamSearchOp>(op))
    return getTensorType({getShape(search.getLogits())[0], *beamSearchWords(search)}, word);
  if (auto top = dyn_cast<TopKOp>(op))
    if (std::optional<LineSort> sort = LineSort::of(top); sort && !sort->isShort) {
      Shape shape = getShape(top.getX());
      shape.back() = sort->recordWords;
      shape.insert(shape.begin(), DimExpr(2));
      if (elementCount(shape))
        return getTensorType(shape, word);
    }
  return std::nullopt;
}
