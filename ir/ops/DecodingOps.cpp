// Verifiers of searches for label sequences, and the memory they work in.
#include "ir/dialect/GraphError.h"
#include "ir/dialect/Keratin.h"
#include "ir/interfaces/Workspace.h"
#include "runtime/abi/keratin_abi.h"

using namespace keratin::ir;
using namespace mlir;

std::optional<DimExpr> keratin::ir::beamSearchWords(CtcBeamSearchOp op) {
  Shape shape = getShape(op.getLogits());
  DimExpr width(int64_t(op.getBeamWidth()));
  std::optional<DimExpr> both = mul(width, DimExpr(2));
  std::optional<DimExpr> nodes = both ? add(*both, DimExpr(1)) : both;
  nodes = nodes ? mul(*nodes, shape[1]) : nodes;
  nodes = nodes ? add(*nodes, DimExpr(2)) : nodes;
  nodes = nodes ? mul(*nodes, DimExpr(KERATIN_BEAM_NODE_WORDS)) : nodes;
  std::optional<DimExpr> states = both ? add(*both, DimExpr(2)) : both;
  states = states ? mul(*states, DimExpr(KERATIN_BEAM_STATE_WORDS + 1)) : states;
  std::optional<DimExpr> classes = mul(shape[2], DimExpr(3));
  std::optional<DimExpr> sum = nodes && states ? add(*nodes, *states) : std::nullopt;
  return sum && classes ? add(*sum, *classes) : std::nullopt;
}

LogicalResult CtcBeamSearchOp::verify() {
  Shape logits = getShape(getLogits()), labels = getShape(getLabels()),
        lengths = getShape(getLengths());
  int64_t width = getBeamWidth();
  if (logits.size() != 3 || lengths != Shape{logits[0]})
    return emitOpError("needs logits of rank 3 and a length for each of their samples, found ")
           << getLogits().getType() << " and " << getLengths().getType();
  if (logits[2].isConstant() && logits[2].constantValue() < 1)
    return emitOpError("needs at least one class, the blank");
  if (width < 1)
    return emitOpError("beam_width must be positive, found ") << width;
  if (labels.size() != 3 || !labels[1].isConstant() || labels[1].constantValue() < 1 ||
      labels[1].constantValue() > width)
    return emitOpError("needs labels for 1 to ")
           << width << " paths, found " << getLabels().getType();
  Shape paths{logits[0], labels[1]};
  if (labels != Shape{logits[0], labels[1], logits[1]} || getShape(getCounts()) != paths ||
      getLogProbabilities().getType() != getTensorType(paths, getElementType(getLogits())))
    return emitOpError("the results must be labels ")
           << toString({logits[0], labels[1], logits[1]}) << ", and counts and log probabilities "
           << toString(paths) << " of the logits' element type";
  if (!beamSearchWords(*this))
    return emitOpError("the memory to search in does not fit 64 bits");
  return success();
}
