// Memory that an op needs to work in beside its operands and results.
//
// The op's kernel gets it as one more result, which nobody reads: it is planned like any other
// value, and its place may be another's before and after. In the kernel's body an iota of this type
// stands for it, whose elements are never computed by code generation.
#ifndef KERATIN_IR_INTERFACES_WORKSPACE_H
#define KERATIN_IR_INTERFACES_WORKSPACE_H

#include "ir/dialect/Keratin.h"

#include <optional>

namespace keratin::ir {

// nullopt for an op that needs none. Precondition: the op is verified.
std::optional<mlir::RankedTensorType> workspaceOf(mlir::Operation *op);

// The words of keratin_beam_search_t::workspace for one sample; nullopt if they do not fit 64 bits.
std::optional<DimExpr> beamSearchWords(CtcBeamSearchOp op);

} // namespace keratin::ir

#endif // KERATIN_IR_INTERFACES_WORKSPACE_H
