// How the elements of a tensor are divided among ranks.
#ifndef KERATIN_IR_SHAPES_EVENPARTS_H
#define KERATIN_IR_SHAPES_EVENPARTS_H

#include "ir/shapes/DimExpr.h"

namespace keratin::ir {

// All parts have one length, so that parts of several tensors can be joined on all ranks alike: of
// `count` elements rank r has those from r * length on, and what is behind the last element is
// padding, of whatever value.
struct EvenParts {
  DimExpr rank, ranks;

  // nullopt as that of the operators.
  std::optional<DimExpr> length(const DimExpr &count) const { return ceildiv(count, ranks); }
  std::optional<DimExpr> begin(const DimExpr &count) const { return times(rank, count); }
  std::optional<DimExpr> padded(const DimExpr &count) const { return times(ranks, count); }

private:
  std::optional<DimExpr> times(const DimExpr &parts, const DimExpr &count) const {
    std::optional<DimExpr> own = length(count);
    return own ? mul(parts, *own) : std::nullopt;
  }
};

} // namespace keratin::ir

#endif // KERATIN_IR_SHAPES_EVENPARTS_H
